#include "frontend/Checks/DeviceCalculations.h"
#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace cufort::frontend;
using llvm::StringRef;

bool cufort::frontend::isReduction(StringRef intrinsic) {
  return llvm::is_contained({"sum",          "product",   "maxval",  "minval",        "maxloc",  "minloc",
                             "count",        "any",       "all",     "dot_product",   "matmul",  "transpose",
                             "findloc",      "norm2",     "iall",    "iany",          "iparity", "parity",
                             "storage_size", "len",       "rank",    "is_contiguous", "cshift",  "eoshift",
                             "bit_size",     "digits",    "epsilon", "huge",          "kind",    "maxexponent",
                             "minexponent",  "precision", "radix",   "range",         "tiny"},
                            intrinsic);
}

bool cufort::frontend::isArrayFunction(StringRef intrinsic) {
  return llvm::is_contained(
      {"merge",     "reshape",      "spread",    "abs",        "sqrt",      "exp",      "log",      "log10",
       "sin",       "cos",          "tan",       "asin",       "acos",      "atan",     "atan2",    "sinh",
       "cosh",      "tanh",         "asinh",     "acosh",      "atanh",     "erf",      "erfc",     "gamma",
       "log_gamma", "hypot",        "conjg",     "aimag",      "real",      "dble",     "cmplx",    "int",
       "nint",      "aint",         "anint",     "floor",      "ceiling",   "max",      "min",      "mod",
       "modulo",    "sign",         "dim",       "logical",    "iand",      "ior",      "ieor",     "not",
       "ishft",     "ibset",        "ibclr",     "btest",      "popcnt",    "leadz",    "shiftl",   "shiftr",
       "shifta",    "ibits",        "ishftc",    "merge_bits", "poppar",    "trailz",   "dprod",    "bessel_j0",
       "bessel_j1", "bessel_jn",    "bessel_y0", "bessel_y1",  "bessel_yn", "exponent", "fraction", "rrspacing",
       "scale",     "set_exponent", "spacing",   "dshiftl",    "dshiftr"},
      intrinsic);
}

namespace {

/// True for what a scope has from module cutensorex, directly or through other modules.
bool isOfArrayFunctions(const semantics::Symbol &symbol) {
  if (!symbol.has<semantics::UseDetails>())
    return false;
  const semantics::Symbol *module = symbol.GetUltimate().owner().symbol();
  return module && (module->name().ToString() == "cutensorex" || module->name().ToString() == "curandex");
}

} // namespace

bool cufort::frontend::hasArrayFunctionsIn(const semantics::Scope &scope) {
  if (scope.IsGlobal())
    return false;
  return llvm::any_of(scope, [](const auto &entry) { return isOfArrayFunctions(*entry.second); }) ||
         hasArrayFunctionsIn(scope.parent());
}

namespace {

/// Finds names of device data. Asks the names, since expressions may not have been analysed yet.
struct DeviceNameFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Name &name) {
    isDevice |= name.symbol && isHiddenFromHost(*name.symbol);
    isManaged |= name.symbol && evaluate::IsCUDAManagedOrUnifiedSymbol(*name.symbol);
  }
  bool isDevice = false;
  bool isManaged = false;
};

template <typename Node>
DeviceNameFinder namesIn(const Node &node) {
  DeviceNameFinder names;
  parser::Walk(node, names);
  return names;
}

/// A kernel calculates if the result is on the device, or if it is managed and operands are on the device.
bool isByKernel(const parser::AssignmentStmt &statement) {
  DeviceNameFinder result = namesIn(std::get<parser::Variable>(statement.t));
  return result.isDevice || (result.isManaged && namesIn(std::get<parser::Expr>(statement.t)).isDevice);
}

bool isScalar(const parser::Name &name) { return name.symbol && name.symbol->Rank() == 0; }

struct ArrayNameFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  bool Pre(const parser::SubscriptTriplet &) { return hasArray = true; }
  void Post(const parser::Name &name) { hasArray |= !isScalar(name); }
  bool hasArray = false;
};

/// A scalar, or an element of an array. The parser takes substrings of scalars for sections until the expression is
/// analysed.
bool isScalar(const parser::DataRef &data) {
  if (const auto *name = std::get_if<parser::Name>(&data.u))
    return isScalar(*name);
  if (const auto *component = std::get_if<common::Indirection<parser::StructureComponent>>(&data.u))
    return isScalar(component->value().base) && isScalar(component->value().component);
  const auto *element = std::get_if<common::Indirection<parser::ArrayElement>>(&data.u);
  if (!element || isScalar(element->value().base))
    return element != nullptr;
  ArrayNameFinder subscripts;
  parser::Walk(element->value().subscripts, subscripts);
  return !subscripts.hasArray;
}

/// FROM and TO of move_alloc.
bool isMoved(const parser::ActualArgSpec &argument) {
  const auto &keyword = std::get<std::optional<parser::Keyword>>(argument.t);
  return !keyword || keyword->v.ToString() == "from" || keyword->v.ToString() == "to";
}

/// An element, which the parser takes for a function reference until the expression is analysed.
bool isElement(const parser::FunctionReference &reference) {
  const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u);
  if (!name || !name->symbol || !isHiddenFromHost(*name->symbol))
    return false;
  ArrayNameFinder subscripts;
  parser::Walk(std::get<std::list<parser::ActualArgSpec>>(reference.v.t), subscripts);
  return !subscripts.hasArray;
}

/// A scalar, an element, or a substring of one.
bool isScalar(const parser::Designator &designator) {
  if (const auto *substring = std::get_if<parser::Substring>(&designator.u))
    return isScalar(std::get<parser::DataRef>(substring->t));
  const auto *data = std::get_if<parser::DataRef>(&designator.u);
  return data && isScalar(*data);
}

struct ScalarFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::Designator &designator) {
    if (isScalar(designator) && namesIn(designator).isDevice)
      found.push_back(designator.source);
  }
  void Post(const parser::FunctionReference &reference) {
    if (isElement(reference))
      found.push_back(reference.source);
  }

  /// Subroutines may change their arguments.
  void Post(const parser::CallStmt &statement) {
    for (const parser::ActualArgSpec &argument : std::get<1>(statement.call.t))
      if (const auto *value =
              std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u))
        llvm::erase_if(found, [&](parser::CharBlock each) { return each.begin() == value->value().source.begin(); });
  }

  std::vector<parser::CharBlock> found;
};

struct CalculationFinder : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::AssignmentStmt &statement) {
    if (isByKernel(statement))
      found.push_back(source);
  }
  void Post(const parser::WhereConstructStmt &statement) { noteMask(statement); }
  void Post(const parser::MaskedElsewhereStmt &statement) { noteMask(statement); }

  template <typename Statement>
  void noteMask(const Statement &statement) {
    if (namesIn(statement).isDevice)
      found.push_back(source);
  }

  /// move_alloc from one device array to another.
  void Post(const parser::CallStmt &statement) {
    const auto &callee = std::get<parser::ProcedureDesignator>(statement.call.t);
    const auto *name = std::get_if<parser::Name>(&callee.u);
    if (name && name->ToString() == "move_alloc" &&
        llvm::all_of(std::get<1>(statement.call.t),
                     [](const auto &argument) { return !isMoved(argument) || namesIn(argument).isDevice; }))
      found.push_back(source);
  }
  void Post(const parser::FunctionReference &reference) {
    const auto &callee = std::get<parser::ProcedureDesignator>(reference.v.t);
    const auto *name = std::get_if<parser::Name>(&callee.u);
    if (name && name->symbol && name->symbol->attrs().test(semantics::Attr::INTRINSIC) &&
        isReduction(name->source.ToString()))
      found.push_back(reference.source);
  }

  std::vector<parser::CharBlock> found;
};

/// Collects the device arrays of which an expression needs copies.
struct ArrayCollector : evaluate::SetTraverse<ArrayCollector, semantics::UnorderedSymbolSet> {
  using Result = semantics::UnorderedSymbolSet;
  using Base = evaluate::SetTraverse<ArrayCollector, Result>;
  using Base::operator();
  ArrayCollector() : Base(*this) {}

  Result operator()(const semantics::Symbol &symbol) const {
    return symbol.Rank() > 0 && isHiddenFromHost(symbol) ? Result{symbol} : Result{};
  }
  /// A target is not read.
  Result operator()(const evaluate::StructureConstructorValues::value_type &component) const {
    return semantics::IsPointer(*component.first) ? Result{} : Base::operator()(component);
  }
  Result operator()(const evaluate::ArrayRef &reference) const {
    return reference.Rank() > 0 ? Base::operator()(reference) : Result{};
  }
  Result operator()(const evaluate::ProcedureRef &reference) const {
    const evaluate::SpecificIntrinsic *intrinsic = reference.proc().GetSpecificIntrinsic();
    return intrinsic && isReduction(intrinsic->name) ? Result{} : Base::operator()(reference);
  }
};

/// The most device arrays of which one expression in `rhs` needs copies: each value of an array constructor is one.
struct CopyCounter {
  template <typename T>
  size_t operator()(const T &expr) const {
    return ArrayCollector()(expr).size();
  }
  template <common::TypeCategory Category>
  size_t operator()(const evaluate::Expr<evaluate::SomeKind<Category>> &expr) const {
    return common::visit(*this, expr.u);
  }
  template <common::TypeCategory Category, int kind>
  size_t operator()(const evaluate::Expr<evaluate::Type<Category, kind>> &expr) const {
    return common::visit(*this, expr.u);
  }
  template <typename To, common::TypeCategory From>
  size_t operator()(const evaluate::Convert<To, From> &conversion) const {
    return (*this)(conversion.left());
  }
  template <typename T>
  size_t operator()(const evaluate::ArrayConstructor<T> &constructor) const {
    size_t most = 0;
    for (const auto &value : constructor)
      most = std::max(most, ArrayCollector()(value).size());
    return most;
  }
};

struct OneCopyFinder : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::AssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    if (assignment && common::visit(CopyCounter(), assignment->rhs.u) <= 1)
      found.push_back(source);
  }

  std::vector<parser::CharBlock> found;
};

} // namespace

std::vector<parser::CharBlock> cufort::frontend::findDeviceCalculations(const parser::Program &program) {
  return findIn<CalculationFinder>(program);
}

std::vector<parser::CharBlock> cufort::frontend::findDeviceScalars(const parser::Program &program) {
  return findIn<ScalarFinder>(program);
}

std::vector<parser::CharBlock> cufort::frontend::findAssignmentsWithOneCopy(const parser::Program &program) {
  return findIn<OneCopyFinder>(program);
}
