// The loops of CUF kernels (CUDA Fortran guide 2.11.2).

#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/MappedLoops.h"
#include "frontend/Checks/StatementVisitor.h"
#include "frontend/Checks/ValueFinder.h"
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor, cufort::frontend::ValueFinder;

namespace {

using Bounds = parser::LoopControl::Bounds;

/// The bounds of `loop`, or null if it is no counted loop.
const Bounds *boundsOf(const parser::DoConstruct &loop) {
  const auto &control = loop.GetLoopControl();
  return control ? std::get_if<Bounds>(&control->u) : nullptr;
}

/// The loop that is all that `loop` consists of, or null.
const parser::DoConstruct *innerLoop(const parser::DoConstruct &loop) {
  const auto &body = std::get<parser::Block>(loop.t);
  return body.empty() ? nullptr : parser::Unwrap<parser::DoConstruct>(body.front());
}

/// Finds an array that threads of a CUF kernel would read in the memory of the host, where they cannot reach it.
struct HostArrayFinder : evaluate::AnyTraverse<HostArrayFinder, const semantics::Symbol *> {
  using Result = const semantics::Symbol *;
  using Base = evaluate::AnyTraverse<HostArrayFinder, Result>;
  using Base::operator();
  /// Which arrays count: all, those with a name of ASSOCIATE or the like, or these and what has been allocated.
  enum class Which { All, Associated, Dynamic };
  HostArrayFinder(const common::LanguageFeatureControl &features, parser::CharBlock directive, Which which = Which::All)
      : Base(*this), features(features), directive(directive), which(which) {}

  Result operator()(const semantics::Symbol &symbol) const {
    const semantics::Symbol &variable = variableOf(symbol);
    bool isAssociated = symbol.GetUltimate().has<semantics::AssocEntityDetails>();
    bool isDynamic = isAssociated || semantics::IsAllocatableOrPointer(variable);
    if ((which == Which::Associated && !isAssociated) || (which == Which::Dynamic && !isDynamic))
      return nullptr;
    const auto *object = variable.detailsIf<semantics::ObjectEntityDetails>();
    bool isOfHost = object && object->IsArray() && !variable.attrs().test(semantics::Attr::PARAMETER) &&
                    !variable.owner().IsDerivedType() && !cufort::frontend::isOfDevice(variable);
    return isOfHost && !isOfThread(variable) && !isReached(variable) ? &variable : nullptr;
  }
  Result operator()(const evaluate::DescriptorInquiry &) const { return nullptr; }
  Result operator()(const evaluate::TypeParamInquiry &) const { return nullptr; }

private:
  /// The variable that `symbol` is, or is a name of, or of a section of.
  static const semantics::Symbol &variableOf(const semantics::Symbol &symbol) {
    const semantics::Symbol &variable = semantics::ResolveAssociations(symbol);
    const auto *name = variable.detailsIf<semantics::AssocEntityDetails>();
    auto reference = name && name->expr() ? evaluate::ExtractDataRef(*name->expr()) : std::nullopt;
    evaluate::SymbolVector path = reference ? evaluate::GetSymbolVector(*reference) : evaluate::SymbolVector();
    return path.size() == 1 ? variableOf(path.front()) : variable;
  }

  /// True for a variable of a BLOCK in the kernel.
  bool isOfThread(const semantics::Symbol &variable) const {
    return variable.owner().kind() == semantics::Scope::Kind::BlockConstruct &&
           variable.name().begin() > directive.begin();
  }

  /// True if -gpu=mem: lets the device reach it.
  bool isReached(const semantics::Symbol &variable) const {
    return features.IsEnabled(common::LanguageFeature::CudaUnified) ||
           (features.IsEnabled(common::LanguageFeature::CudaManaged) && semantics::IsAllocatableOrPointer(variable));
  }

  const common::LanguageFeatureControl &features;
  parser::CharBlock directive;
  Which which;
};

class KernelLoopChecker : public StatementVisitor {
public:
  explicit KernelLoopChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &kernel) {
    const auto &[written, loop] = kernel.t;
    if (loop)
      checkBounds(*loop, cufort::frontend::countMappedLoops(context, written));
    for (const parser::CUFReduction &reduction : std::get<std::list<parser::CUFReduction>>(written.t))
      checkReduction(reduction);
    ++kernels;
    directive = written.source;
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) { --kernels; }

  bool Pre(const parser::ReturnStmt &) {
    if (kernels)
      context.Say(source, "RETURN is not possible in a CUF kernel"_err_en_US);
    return true;
  }

  void Post(const parser::AssignmentStmt &statement) {
    if (!kernels)
      return;
    const auto &variable = std::get<parser::Variable>(statement.t);
    const auto &value = std::get<parser::Expr>(statement.t);
    checkChanged(variable);
    checkArrays(variable, variable.GetSource(), HostArrayFinder::Which::Associated);
    checkArrays(value, value.source, HostArrayFinder::Which::Associated);
  }
  void Post(const parser::PointerAssignmentStmt &statement) {
    const auto &target = std::get<parser::Expr>(statement.t);
    if (kernels)
      checkArrays(target, target.source, HostArrayFinder::Which::All);
  }
  void Post(const parser::ActualArgSpec &argument) {
    const auto *value = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
    if (kernels && callStatement && value)
      checkArrays(value->value(), value->value().source, HostArrayFinder::Which::Dynamic);
  }
  void Post(const parser::OutputItem &item) {
    if (const auto *value = std::get_if<parser::Expr>(&item.u); kernels && value)
      checkArrays(*value, value->source, HostArrayFinder::Which::Dynamic);
  }
  bool Pre(const parser::CallStmt &) { return callStatement = true; }
  void Post(const parser::CallStmt &) { callStatement = false; }
  void Post(const parser::IfStmt &statement) { checkControl(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::IfThenStmt &statement) { checkControl(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::ElseIfStmt &statement) { checkControl(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::SelectCaseStmt &statement) {
    checkControl(std::get<parser::Scalar<parser::Expr>>(statement.t));
  }
  void Post(const parser::LoopControl &control) {
    if (const auto *condition = std::get_if<parser::ScalarLogicalExpr>(&control.u))
      return checkControl(*condition);
    const auto *bounds = std::get_if<Bounds>(&control.u);
    if (!bounds || mapped.count(bounds))
      return;
    checkControl(bounds->lower.thing);
    checkControl(bounds->upper.thing);
    if (bounds->step)
      checkControl(bounds->step->thing);
  }

private:
  /// Flang looks for assignments to constant data in device procedures only.
  void checkChanged(const parser::Variable &written) {
    const semantics::SomeExpr *variable = semantics::GetExpr(context, written);
    if (!variable || cufort::frontend::dataAttribute(*variable) != common::CUDADataAttr::Constant)
      return;
    context.Say(written.GetSource(), "Left-hand side of assignment is not definable"_err_en_US)
        .Attach(written.GetSource(), "'%s' has ATTRIBUTES(CONSTANT) and is not definable in a CUF kernel"_because_en_US,
                evaluate::GetFirstSymbol(*variable)->name());
  }

  template <typename Written>
  void checkArrays(const Written &written, parser::CharBlock place, HostArrayFinder::Which which) {
    const semantics::SomeExpr *expr = semantics::GetExpr(context, written);
    const semantics::Symbol *array =
        expr ? HostArrayFinder(context.languageFeatures(), directive, which)(*expr) : nullptr;
    if (array)
      context.Say(place, "Host array '%s' cannot be present in device context"_err_en_US, array->name());
  }

  /// Flang looks for arrays of the host in assignments and arguments only. `control` says what a thread does next.
  template <typename Control>
  void checkControl(const Control &control) {
    const parser::Expr &written = *parser::Unwrap<parser::Expr>(control);
    if (kernels)
      checkArrays(written, written.source, HostArrayFinder::Which::All);
  }

  /// The bounds of a mapped loop are calculated before the kernel starts.
  void checkBounds(const parser::DoConstruct &outermost, intmax_t depth) {
    std::vector<const semantics::Symbol *> variables;
    const parser::DoConstruct *loop = &outermost;
    for (intmax_t i = 0; loop && i < depth; ++i, loop = innerLoop(*loop)) {
      const Bounds *bounds = boundsOf(*loop);
      if (!bounds)
        return;
      mapped.insert(bounds);
      const parser::Name &name = bounds->name.thing;
      checkCounter(name);
      checkBound(bounds->lower.thing, name, variables);
      checkBound(bounds->upper.thing, name, variables);
      if (bounds->step)
        checkBound(bounds->step->thing, name, variables);
      variables.push_back(name.symbol);
    }
  }

  /// Flang lets host loops count by reals, and cannot lower others here.
  void checkCounter(const parser::Name &name) {
    const semantics::DeclTypeSpec *type = name.symbol ? name.symbol->GetType() : nullptr;
    if (type && !type->IsNumeric(common::TypeCategory::Integer))
      context.Say(name.source, "The loop variable '%s' of a CUF kernel must be an integer"_err_en_US, name.source);
    else if (type && semantics::IsAllocatableOrPointer(*name.symbol))
      context.Say(name.source, "The loop variable '%s' of a CUF kernel cannot be a pointer or allocatable"_err_en_US,
                  name.source);
  }

  template <typename Bound>
  void checkBound(const Bound &bound, const parser::Name &loop,
                  const std::vector<const semantics::Symbol *> &variables) {
    const parser::Expr &source = bound.value();
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    if (!expr)
      return;
    checkInvariant(source, *expr, loop, variables);
    if (const semantics::Symbol *array =
            ValueFinder(context, cufort::frontend::isHiddenFromHost, /*onlyElements=*/true)(*expr))
      context.Say(
          source.source,
          "The host calculates the bounds of loop '%s' and cannot read '%s', which is device data: assign them to host variables first, or give it the managed attribute"_err_en_US,
          loop.source, array->name());
  }

  void checkInvariant(const parser::Expr &source, const semantics::SomeExpr &expr, const parser::Name &loop,
                      const std::vector<const semantics::Symbol *> &variables) {
    for (const semantics::Symbol &used : evaluate::CollectSymbols(expr))
      for (const semantics::Symbol *variable : variables)
        if (variable && &used.GetUltimate() == &variable->GetUltimate()) {
          context.Say(
              source.source,
              "The bounds of loop '%s' depend on '%s', another loop of this kernel: use fewer loops in do(n)"_err_en_US,
              loop.source, variable->name());
          return;
        }
  }

  void checkReduction(const parser::CUFReduction &reduction) {
    for (const auto &variable : std::get<std::list<parser::Scalar<parser::Variable>>>(reduction.t))
      if (!parser::Unwrap<parser::Name>(variable))
        context.Say(variable.thing.GetSource(),
                    "REDUCE takes names of scalar variables; a component or element needs no clause, if every "
                    "iteration combines it"_err_en_US);
    checkOrder(reduction);
  }

  /// Complex numbers have no order.
  void checkOrder(const parser::CUFReduction &reduction) {
    auto operation = std::get<parser::CUFReduction::Operator>(reduction.t).v;
    if (operation != parser::ReductionOperator::Operator::Max && operation != parser::ReductionOperator::Operator::Min)
      return;
    for (const auto &variable : std::get<std::list<parser::Scalar<parser::Variable>>>(reduction.t)) {
      const semantics::SomeExpr *expr = semantics::GetExpr(context, variable);
      auto type = expr ? expr->GetType() : std::nullopt;
      if (type && type->category() == common::TypeCategory::Complex)
        context.Say(variable.thing.GetSource(),
                    "!$CUF KERNEL DO REDUCE operation is not acceptable for a variable with type %s"_err_en_US,
                    type->AsFortran());
    }
  }

  semantics::SemanticsContext &context;
  int kernels = 0;                 ///< around the place that is visited
  parser::CharBlock directive;     ///< of the innermost of them
  bool callStatement = false;      ///< is being visited
  std::set<const Bounds *> mapped; ///< bounds that the host calculates
};

} // namespace

void cufort::frontend::checkKernelLoops(semantics::SemanticsContext &context, const parser::Program &program) {
  KernelLoopChecker checker{context};
  parser::Walk(program, checker);
}
