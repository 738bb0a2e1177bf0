#include "frontend/Checks/LaunchAttributes.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;
using namespace Fortran::parser::literals;
using cufort::frontend::LaunchAttributes;

namespace {

using Operands = std::list<parser::ScalarIntConstantExpr>;
using LaunchBounds = parser::PrefixSpec::Launch_Bounds;
using ClusterDims = parser::PrefixSpec::Cluster_Dims;

/// One prefix of one procedure.
struct Prefix {
  const parser::Name *procedure;
  bool isClusterDims;
  Operands operands;
};

parser::CharBlock sourceOf(const parser::ScalarIntConstantExpr &operand) {
  return operand.thing.thing.thing.value().source;
}

class PrefixTaker : public TreeVisitor {
public:
  explicit PrefixTaker(std::vector<Prefix> &taken) : taken(taken) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::SubroutineStmt &statement) { take(statement); }
  void Post(parser::FunctionStmt &statement) { take(statement); }

private:
  template <typename Statement>
  void take(Statement &statement) {
    const auto &name = std::get<parser::Name>(statement.t);
    auto &prefixes = std::get<std::list<parser::PrefixSpec>>(statement.t);
    for (auto prefix = prefixes.begin(); prefix != prefixes.end();) {
      auto *bounds = std::get_if<LaunchBounds>(&prefix->u);
      auto *dims = std::get_if<ClusterDims>(&prefix->u);
      if (bounds || dims) {
        taken.push_back({&name, dims != nullptr, std::move(bounds ? bounds->v : dims->v)});
        prefix = prefixes.erase(prefix);
      } else {
        ++prefix;
      }
    }
  }

  std::vector<Prefix> &taken;
};

/// Resolves the names in an operand as the procedure's scope knows them.
struct NameResolver : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::Name &name) {
    if (!componentsOf)
      name.symbol = scope.FindSymbol(name.source);
    else if (const semantics::DeclTypeSpec *type = componentsOf->GetType())
      if (const semantics::DerivedTypeSpec *derived = type->AsDerived())
        name.symbol = derived->scope() ? derived->scope()->FindComponent(name.source) : nullptr;
    if (!name.symbol)
      unknown = &name;
  }

  /// A component is known in the type of what it is selected from.
  bool Pre(parser::StructureComponent &selection) {
    parser::Walk(selection.base, *this);
    if (unknown)
      return false;
    NameResolver components{{}, scope, &parser::GetLastName(selection.base).symbol->GetUltimate()};
    parser::Walk(selection.component, components);
    unknown = components.unknown;
    return false;
  }

  semantics::Scope &scope;
  const semantics::Symbol *componentsOf = nullptr; ///< what the name is selected from; null: the name stands alone
  const parser::Name *unknown = nullptr;
};

class PrefixGiver {
public:
  explicit PrefixGiver(semantics::SemanticsContext &context) : context(context) {}

  void give(Prefix &prefix) {
    semantics::Symbol *procedure = prefix.procedure->symbol;
    auto *details = procedure ? procedure->detailsIf<semantics::SubprogramDetails>() : nullptr;
    if (!details || !procedure->scope())
      return;
    auto attributes = details->cudaSubprogramAttrs();
    if (attributes != common::CUDASubprogramAttrs::Global && attributes != common::CUDASubprogramAttrs::Grid_Global) {
      context.Say(prefix.procedure->source,
                  "A subroutine may not have LAUNCH_BOUNDS() or CLUSTER_DIMS() unless it has ATTRIBUTES(GLOBAL) or "
                  "ATTRIBUTES(GRID_GLOBAL)"_err_en_US);
      return;
    }
    std::vector<int64_t> values;
    for (parser::ScalarIntConstantExpr &operand : prefix.operands)
      if (auto value = evaluate(operand, *procedure->scope()))
        values.push_back(*value);
    if (values.size() != prefix.operands.size())
      return;
    parser::CharBlock source = sourceOf(prefix.operands.front());
    if (prefix.isClusterDims)
      setClusterDims(*details, std::move(values), source);
    else
      setLaunchBounds(*details, std::move(values), source);
  }

private:
  /// The value of an operand; reports what keeps it from having a positive one.
  std::optional<int64_t> evaluate(parser::ScalarIntConstantExpr &operand, semantics::Scope &scope) {
    NameResolver resolver{{}, scope, nullptr};
    parser::Walk(operand, resolver);
    if (resolver.unknown) {
      context.Say(resolver.unknown->source, "No constant '%s' is known here"_err_en_US, resolver.unknown->source);
      return std::nullopt;
    }
    auto expr = evaluate::ExpressionAnalyzer{context}.Analyze(operand);
    auto value = expr ? evaluate::ToInt64(*expr) : std::nullopt;
    if (value && *value < 1) {
      context.Say(sourceOf(operand), "Launch bounds and cluster dimensions must be positive, not %jd"_err_en_US,
                  static_cast<intmax_t>(*value));
      return std::nullopt;
    }
    return value;
  }

  void setLaunchBounds(semantics::SubprogramDetails &details, std::vector<int64_t> values, parser::CharBlock source) {
    if (!details.cudaLaunchBounds().empty())
      context.Say(source, "LAUNCH_BOUNDS() may appear only once"_err_en_US);
    else if (values.size() > 3)
      context.Say(source, "LAUNCH_BOUNDS() has at most 3 operands: threads per block, blocks per multiprocessor, "
                          "blocks per cluster"_err_en_US);
    else {
      // Lowering wants the second; one block per multiprocessor is no demand.
      if (values.size() == 1)
        values.push_back(1);
      details.set_cudaLaunchBounds(std::move(values));
    }
  }

  void setClusterDims(semantics::SubprogramDetails &details, std::vector<int64_t> values, parser::CharBlock source) {
    if (!details.cudaClusterDims().empty())
      context.Say(source, "CLUSTER_DIMS() may appear only once"_err_en_US);
    else if (values.size() != 3)
      context.Say(source, "CLUSTER_DIMS() has 3 operands: the blocks of a cluster along x, y and z"_err_en_US);
    else
      details.set_cudaClusterDims(std::move(values));
  }

  semantics::SemanticsContext &context;
};

/// Gives the kernels in `scope` that are MODULE PROCEDUREs of a submodule what their interfaces have got.
void inherit(semantics::Scope &scope) {
  for (auto &[name, symbol] : scope) {
    auto *kernel = symbol->detailsIf<semantics::SubprogramDetails>();
    const semantics::Symbol *interface = kernel ? kernel->moduleInterface() : nullptr;
    const auto *details = interface ? interface->detailsIf<semantics::SubprogramDetails>() : nullptr;
    if (details && kernel->cudaLaunchBounds().empty())
      kernel->set_cudaLaunchBounds(std::vector<int64_t>(details->cudaLaunchBounds()));
    if (details && kernel->cudaClusterDims().empty())
      kernel->set_cudaClusterDims(std::vector<int64_t>(details->cudaClusterDims()));
  }
  for (semantics::Scope &child : scope.children())
    inherit(child);
}

} // namespace

struct LaunchAttributes::Taken {
  std::vector<Prefix> prefixes;
};

LaunchAttributes::LaunchAttributes() : taken(std::make_unique<Taken>()) {}
LaunchAttributes::~LaunchAttributes() = default;

void LaunchAttributes::takeFrom(parser::Program &program) {
  PrefixTaker taker(taken->prefixes);
  parser::Walk(program, taker);
}

void LaunchAttributes::giveTo(semantics::SemanticsContext &context) {
  PrefixGiver giver(context);
  for (Prefix &prefix : taken->prefixes)
    giver.give(prefix);
  inherit(context.globalScope());
}
