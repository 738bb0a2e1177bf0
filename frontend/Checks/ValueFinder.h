// Which variables an expression needs the values of.
#pragma once

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "llvm/ADT/STLExtras.h"

namespace cufort::frontend {

/// Finds the first variable of an expression whose value it needs and that `fits`: a function of a symbol. Functions
/// other than intrinsic ones of elements, and others that give the values on, do something else with their arguments:
/// they reduce them, ask about them, or have device dummies.
template <typename Condition>
struct ValueFinder : Fortran::evaluate::AnyTraverse<ValueFinder<Condition>, const Fortran::semantics::Symbol *> {
  using Result = const Fortran::semantics::Symbol *;
  using Base = Fortran::evaluate::AnyTraverse<ValueFinder, Result>;
  using Base::operator();

  /// With `onlyElements`, the variable must be an array of which the expression needs an element.
  explicit ValueFinder(const Fortran::semantics::SemanticsContext &context, Condition fits, bool onlyElements = false)
      : Base(*this), context(context), fits(fits), onlyElements(onlyElements) {}

  Result operator()(const Fortran::semantics::Symbol &symbol) const {
    const Fortran::semantics::Symbol &variable = Fortran::semantics::ResolveAssociations(symbol);
    return !onlyElements && fits(variable) ? &variable : nullptr;
  }
  Result operator()(const Fortran::evaluate::ArrayRef &reference) const {
    if (Result array = onlyElements ? ValueFinder(context, fits)(reference.base()) : nullptr)
      return array;
    return Base::operator()(reference);
  }
  Result operator()(const Fortran::evaluate::DescriptorInquiry &) const { return nullptr; }
  Result operator()(const Fortran::evaluate::TypeParamInquiry &) const { return nullptr; }
  Result operator()(const Fortran::evaluate::ProcedureRef &reference) const {
    return needsValues(reference) ? Base::operator()(reference) : nullptr;
  }

private:
  /// Of module ieee_arithmetic, which has procedures for what others have as intrinsic functions.
  static bool isOfIntrinsicModule(const Fortran::semantics::Symbol *procedure) {
    const Fortran::semantics::Scope *module = procedure ? &procedure->GetUltimate().owner() : nullptr;
    return module && module->IsModule() && module->parent().IsIntrinsicModules();
  }

  bool needsValues(const Fortran::evaluate::ProcedureRef &reference) const {
    using Fortran::evaluate::IntrinsicClass;
    const Fortran::evaluate::SpecificIntrinsic *intrinsic = reference.proc().GetSpecificIntrinsic();
    if (!intrinsic)
      return isOfIntrinsicModule(reference.proc().GetSymbol()) && reference.proc().IsElemental();
    // Flang takes LOC for a function of elements.
    bool isOfElements = context.intrinsics().GetIntrinsicClass(intrinsic->name) == IntrinsicClass::elementalFunction &&
                        intrinsic->name != "loc";
    return isOfElements || isArrayFunction(intrinsic->name) ||
           llvm::is_contained({"trim", "repeat", "transfer"}, intrinsic->name);
  }

  const Fortran::semantics::SemanticsContext &context;
  Condition fits;
  bool onlyElements;
};

} // namespace cufort::frontend
