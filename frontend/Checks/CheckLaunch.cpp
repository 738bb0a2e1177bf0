// Execution configuration of kernels and CUF kernels (CUDA Fortran guide 2.9, 2.11): what is wrong whatever the device.

#include "flang/Evaluate/fold.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/DeviceLimits.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute;
using cufort::frontend::TreeVisitor;
using Fortran::common::CUDADataAttr;

namespace {

constexpr intmax_t maxBlockDepth = 64;
constexpr intmax_t maxGridHeight = 65535;
/// Of any device so far; most have less.
constexpr intmax_t maxSharedBytes = 227 * 1024;

/// The extents x, y and z of a grid or a block; none where the source has no constant.
using Extents = std::array<std::optional<intmax_t>, 3>;

std::optional<intmax_t> toInteger(const semantics::SomeExpr &expr) {
  auto value = evaluate::ToInt64(expr);
  return value ? std::make_optional(static_cast<intmax_t>(*value)) : std::nullopt;
}

/// `components` are those of a dim3.
template <typename Components>
Extents extentsOfComponents(const Components &components) {
  Extents extents;
  for (const auto &[component, value] : components) {
    size_t index = component->name().ToString()[0] - 'x';
    if (index < extents.size())
      extents[index] = toInteger(value.value());
  }
  return extents;
}

class LaunchChecker : public TreeVisitor {
public:
  explicit LaunchChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::CallStmt &call) {
    if (call.chevrons)
      checkChevrons(call);
    return true;
  }

  bool Pre(const parser::CUFKernelDoConstruct::Directive &directive) {
    const auto &launch = std::get<std::optional<parser::CUFKernelDoConstruct::LaunchConfiguration>>(directive.t);
    const auto &depth = std::get<0>(directive.t);
    if (launch) {
      auto loops = depth ? fold(depth->thing.thing.thing.value()) : std::nullopt;
      checkList(std::get<0>(launch->t), depth ? loops : 1, "grid", directive.source);
      checkList(std::get<1>(launch->t), depth ? loops : 1, "block", directive.source);
      checkBlockList(std::get<1>(launch->t), directive.source);
      if (const auto &stream = std::get<2>(launch->t))
        checkStream(stream->thing.thing.value());
    }
    return true;
  }

private:
  std::optional<intmax_t> fold(const parser::Expr &expr) {
    const semantics::SomeExpr *typed = semantics::GetExpr(context, expr);
    return typed ? toInteger(evaluate::Fold(context.foldingContext(), semantics::SomeExpr{*typed})) : std::nullopt;
  }

  /// An integer is an extent in x.
  Extents extentsOf(const parser::Expr &expr) {
    const semantics::SomeExpr *typed = semantics::GetExpr(context, expr);
    if (!typed)
      return {};
    semantics::SomeExpr folded = evaluate::Fold(context.foldingContext(), semantics::SomeExpr{*typed});
    if (auto value = toInteger(folded))
      return {*value, 1, 1};
    if (const auto *constant = evaluate::UnwrapConstantValue<evaluate::SomeDerived>(folded))
      if (auto scalar = constant->GetScalarValue())
        return extentsOfComponents(*scalar);
    if (const auto *constructor = evaluate::UnwrapExpr<evaluate::StructureConstructor>(folded))
      return extentsOfComponents(*constructor);
    return {};
  }

  /// Flang looks at the interface only.
  void checkKernel(const parser::CallStmt &call, const semantics::Symbol &procedure) {
    const semantics::Symbol &symbol = procedure.GetUltimate();
    bool isPointer = semantics::IsPointer(symbol);
    if (!isPointer && !semantics::IsDummy(symbol))
      return;
    const auto &designator = std::get<parser::ProcedureDesignator>(call.call.t);
    const auto *name = std::get_if<parser::Name>(&designator.u);
    context.Say(
        name ? name->source : call.source,
        "A kernel is called by its name, and '%s' is a %s: choose between kernels with IF or SELECT CASE"_err_en_US,
        symbol.name(), isPointer ? "procedure pointer" : "dummy procedure");
  }

  void checkChevrons(const parser::CallStmt &call) {
    const auto &[grid, block, bytes, stream] = call.chevrons->t;
    Extents gridExtents;
    if (grid.v)
      gridExtents = checkGrid(grid.v->thing.value());
    auto threads = checkBlock(extentsOf(block.thing.value()), block.thing.value().source);
    if (bytes)
      checkBytes(bytes->thing.value());
    if (stream)
      checkStream(stream->thing.thing.value());
    const auto *procedure = call.typedCall ? call.typedCall->proc().GetSymbol() : nullptr;
    if (procedure)
      checkKernel(call, *procedure);
    if (const auto *details =
            procedure ? procedure->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr) {
      checkBounds(*procedure, details->cudaLaunchBounds(), threads, block.thing.value().source);
      checkManagedDummies(*details, call.typedCall->arguments());
      if (grid.v)
        checkCluster(*procedure, details->cudaClusterDims(), gridExtents, grid.v->thing.value().source);
    }
  }

  /// Flang takes managed dummy arguments of kernels for device data, whose distance to a device argument is 0.
  void checkManagedDummies(const semantics::SubprogramDetails &kernel, const evaluate::ActualArguments &arguments) {
    for (auto [dummy, argument] : llvm::zip(kernel.dummyArgs(), arguments)) {
      auto expected = dummy ? dataAttribute(*dummy) : std::nullopt;
      if ((expected != CUDADataAttr::Managed && expected != CUDADataAttr::Unified) || !argument)
        continue;
      const semantics::SomeExpr *expr = argument->UnwrapExpr();
      auto attribute = expr ? attributeOf(*expr) : std::nullopt;
      if (attribute == CUDADataAttr::Device)
        context.Say(
            argument->sourceLocation().value_or(dummy->name()),
            "The argument '%s' of this kernel is managed, and device data cannot be: give the dummy argument the device attribute, which takes both"_err_en_US,
            dummy->name());
    }
  }

  /// A component without an attribute has that of its variable.
  static std::optional<CUDADataAttr> attributeOf(const semantics::SomeExpr &expr) {
    for (const semantics::Symbol *symbol : {evaluate::GetLastSymbol(expr), evaluate::GetFirstSymbol(expr)})
      if (auto attribute = symbol ? dataAttribute(symbol->GetUltimate()) : std::nullopt)
        return attribute;
    return std::nullopt;
  }

  Extents checkGrid(const parser::Expr &grid) {
    Extents extents = extentsOf(grid);
    for (size_t i = 0; i < extents.size(); ++i) {
      // -1 is the number of blocks that the device can run at once (guide 3.5).
      if (!extents[i] || *extents[i] == -1)
        continue;
      if (*extents[i] < 1)
        context.Say(grid.source, "A grid must have at least one block, not %jd: the launch will fail"_warn_en_US,
                    *extents[i]);
      else if (i > 0 && *extents[i] > maxGridHeight)
        context.Say(
            grid.source,
            "A grid of %jd blocks in %s is more than any device can run, at most %jd: the launch will fail"_warn_en_US,
            *extents[i], i == 1 ? "y" : "z", maxGridHeight);
      else
        continue;
      return {};
    }
    return extents;
  }

  /// Returns the number of threads if it is constant and right.
  std::optional<intmax_t> checkBlock(const Extents &extents, parser::CharBlock source) {
    intmax_t threads = 1;
    bool known = true;
    for (const auto &extent : extents) {
      if (extent && *extent < 1) {
        context.Say(source, "A block must have at least one thread, not %jd: the launch will fail"_warn_en_US, *extent);
        return std::nullopt;
      }
      known &= extent.has_value();
      threads *= std::min(extent.value_or(1), cufort::frontend::maxThreadsPerBlock + 1);
    }
    if (extents[2] && *extents[2] > maxBlockDepth)
      context.Say(
          source,
          "A block of %jd threads in z is more than any device can run, at most %jd: the launch will fail"_warn_en_US,
          *extents[2], maxBlockDepth);
    else if (threads > cufort::frontend::maxThreadsPerBlock)
      sayTooManyThreads(extents, source);
    else if (known)
      return threads;
    return std::nullopt;
  }

  void sayTooManyThreads(const Extents &extents, parser::CharBlock source) {
    intmax_t threads = extents[0].value_or(1) * extents[1].value_or(1) * extents[2].value_or(1);
    context.Say(source,
                "A block of %jd threads is more than any device can run, at most %jd: the launch will fail"_warn_en_US,
                threads, cufort::frontend::maxThreadsPerBlock);
  }

  void checkBytes(const parser::Expr &bytes) {
    const semantics::SomeExpr *typed = semantics::GetExpr(context, bytes);
    auto type = typed ? typed->GetType() : std::nullopt;
    // As in `0.9 * bytes`, which programs have.
    if (type && type->category() == common::TypeCategory::Real)
      context.Say(bytes.source,
                  "The size of dynamic shared memory is an integer: this %s loses its fraction"_warn_en_US,
                  type->AsFortran());
    else if (type && type->category() != common::TypeCategory::Integer)
      context.Say(bytes.source, "The size of dynamic shared memory must be an integer, not %s"_err_en_US,
                  type->AsFortran());
    auto value = fold(bytes);
    if (value && *value < 0)
      context.Say(bytes.source,
                  "The size of dynamic shared memory cannot be negative, as %jd is: the launch will fail"_warn_en_US,
                  *value);
    else if (value && *value > maxSharedBytes)
      context.Say(
          bytes.source,
          "%jd bytes of dynamic shared memory are more than any device has, at most %jd: the launch will fail"_warn_en_US,
          *value, maxSharedBytes);
  }

  /// A stream is an address; 0, and what is calculated from constants, has any kind.
  void checkStream(const parser::Expr &stream) {
    constexpr int streamKind = 8;
    const semantics::SomeExpr *typed = semantics::GetExpr(context, stream);
    auto type = typed ? typed->GetType() : std::nullopt;
    if (type && type->category() == common::TypeCategory::Integer && type->kind() < streamKind && !fold(stream))
      context.Say(
          stream.source,
          "An integer of kind %d cannot hold a stream: declare it with integer(kind=cuda_stream_kind)"_warn_en_US,
          type->kind());
  }

  void checkBounds(const semantics::Symbol &kernel, const std::vector<int64_t> &bounds, std::optional<intmax_t> threads,
                   parser::CharBlock source) {
    if (threads && !bounds.empty() && *threads > bounds[0])
      context.Say(source, "A block of %jd threads is more than launch_bounds of '%s' allows: %jd"_err_en_US, *threads,
                  kernel.name(), static_cast<intmax_t>(bounds[0]));
  }

  void checkCluster(const semantics::Symbol &kernel, const std::vector<int64_t> &dims, const Extents &grid,
                    parser::CharBlock source) {
    for (size_t i = 0; i < std::min(dims.size(), grid.size()); ++i)
      if (grid[i] && *grid[i] > 0 && dims[i] > 0 && *grid[i] % dims[i]) {
        context.Say(source, "A grid of %jd blocks is not a multiple of the cluster of '%s', which has %jd"_err_en_US,
                    *grid[i], kernel.name(), static_cast<intmax_t>(dims[i]));
        return;
      }
  }

  using StarOrExpr = parser::CUFKernelDoConstruct::StarOrExpr;

  void checkList(const std::list<StarOrExpr> &items, std::optional<intmax_t> loops, const char *what,
                 parser::CharBlock directive) {
    for (const StarOrExpr &item : items)
      if (auto value = extentOf(item); value && *value < 1) {
        context.Say(item.v->thing.thing.value().source, "A %s cannot have an extent of %jd"_err_en_US, what, *value);
        return;
      }
    if (!loops || static_cast<intmax_t>(items.size()) <= *loops)
      return;
    auto surplus = std::next(items.begin(), *loops);
    // That of an extent of 1, or one that is chosen here, changes nothing.
    auto counting = std::find_if(surplus, items.end(),
                                 [&](const StarOrExpr &item) { return item.v && extentOf(item).value_or(2) > 1; });
    if (counting != items.end())
      context.Say(counting->v->thing.thing.value().source,
                  "The %s has more dimensions than this kernel has loops (%jd): they count for its "
                  "outermost loop"_warn_en_US,
                  what, *loops);
    else
      context.Say(surplus->v ? surplus->v->thing.thing.value().source : directive,
                  "The %s has more dimensions than this kernel has loops (%jd): they have no effect"_warn_en_US, what,
                  *loops);
  }

  /// The extent in a list of a CUF kernel, if it is a constant.
  std::optional<intmax_t> extentOf(const StarOrExpr &item) {
    return item.v ? fold(item.v->thing.thing.value()) : std::nullopt;
  }

  void checkBlockList(const std::list<StarOrExpr> &items, parser::CharBlock source) {
    Extents extents{1, 1, 1};
    size_t index = 0;
    for (const StarOrExpr &item : items) {
      if (index == extents.size())
        break;
      extents[index] = extentOf(item);
      // Reported as an item.
      if (extents[index] && *extents[index] < 1)
        return;
      ++index;
    }
    checkBlock(extents, source);
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkLaunches(semantics::SemanticsContext &context, const parser::Program &program) {
  LaunchChecker checker{context};
  parser::Walk(program, checker);
}
