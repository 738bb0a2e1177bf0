// Which variables an expression needs the values of.
#pragma once

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceCalculations.h"

namespace cufort::frontend {

/// Finds the first variable of an expression whose value it needs and that `fits`: a function of a symbol. Functions
/// other than those of elements do something else with their arguments: they reduce them, ask about them, or have
/// device dummies.
template <typename Condition>
struct ValueFinder : Fortran::evaluate::AnyTraverse<ValueFinder<Condition>, const Fortran::semantics::Symbol *> {
  using Result = const Fortran::semantics::Symbol *;
  using Base = Fortran::evaluate::AnyTraverse<ValueFinder, Result>;
  using Base::operator();

  /// With `onlyElements`, the variable must be an array of which the expression needs an element.
  explicit ValueFinder(Condition fits, bool onlyElements = false)
      : Base(*this), fits(fits), onlyElements(onlyElements) {}

  Result operator()(const Fortran::semantics::Symbol &symbol) const {
    const Fortran::semantics::Symbol &variable = Fortran::semantics::ResolveAssociations(symbol);
    return !onlyElements && fits(variable) ? &variable : nullptr;
  }
  Result operator()(const Fortran::evaluate::ArrayRef &reference) const {
    if (Result array = onlyElements ? ValueFinder(fits)(reference.base()) : nullptr)
      return array;
    return Base::operator()(reference);
  }
  Result operator()(const Fortran::evaluate::DescriptorInquiry &) const { return nullptr; }
  Result operator()(const Fortran::evaluate::TypeParamInquiry &) const { return nullptr; }
  Result operator()(const Fortran::evaluate::ProcedureRef &reference) const {
    const Fortran::evaluate::SpecificIntrinsic *intrinsic = reference.proc().GetSpecificIntrinsic();
    return intrinsic && isArrayFunction(intrinsic->name) ? Base::operator()(reference) : nullptr;
  }

private:
  Condition fits;
  bool onlyElements;
};

} // namespace cufort::frontend
