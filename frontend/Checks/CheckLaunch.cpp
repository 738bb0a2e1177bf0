// Execution configuration of kernel launches (CUDA Fortran guide 2.9): what is wrong whatever the device.

#include "frontend/Checks/CudaChecks.h"
#include "flang/Evaluate/fold.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;
using namespace Fortran::parser::literals;

namespace {

constexpr int64_t maxThreadsPerBlock = 1024;

class LaunchChecker {
public:
  explicit LaunchChecker(semantics::SemanticsContext &context) : context(context) {}

  template <typename T>
  bool Pre(const T &) {
    return true;
  }
  template <typename T>
  void Post(const T &) {}

  bool Pre(const parser::CallStmt &call) {
    if (call.chevrons)
      checkBlock(*call.chevrons, call.source);
    return true;
  }

private:
  /// Threads of the block when every extent is constant.
  std::optional<int64_t> constantThreads(const semantics::SomeExpr &expr) {
    if (auto value = evaluate::ToInt64(expr))
      return value;
    const auto *constructor = evaluate::UnwrapExpr<evaluate::StructureConstructor>(expr);
    if (!constructor)
      return std::nullopt;
    int64_t threads = 1;
    for (const auto &[component, value] : *constructor) {
      auto extent = evaluate::ToInt64(value.value());
      if (!extent)
        return std::nullopt;
      threads *= *extent;
    }
    return threads;
  }

  void checkBlock(const parser::CallStmt::Chevrons &chevrons, parser::CharBlock source) {
    const auto &block = std::get<1>(chevrons.t);
    const semantics::SomeExpr *expr = semantics::GetExpr(context, block);
    if (!expr)
      return;
    auto threads = constantThreads(evaluate::Fold(context.foldingContext(), semantics::SomeExpr{*expr}));
    if (!threads)
      return;
    if (*threads > maxThreadsPerBlock)
      context.Say(source, "A block of %jd threads is more than any device can run: at most %jd"_err_en_US,
                  static_cast<intmax_t>(*threads), static_cast<intmax_t>(maxThreadsPerBlock));
    else if (*threads < 1)
      context.Say(source, "A block must have at least one thread, not %jd"_err_en_US,
                  static_cast<intmax_t>(*threads));
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkCuda(semantics::SemanticsContext &context, const parser::Program &program) {
  LaunchChecker checker{context};
  parser::Walk(program, checker);
}
