// ALLOCATE (CUDA Fortran guide 3.2.6, 3.3): what its options cannot have together.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

class AllocationChecker : public TreeVisitor {
public:
  explicit AllocationChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::AllocateStmt &statement) {
    const auto &options = std::get<std::list<parser::AllocOpt>>(statement.t);
    bool hasStream = llvm::any_of(options, [](const parser::AllocOpt &option) {
      return std::holds_alternative<parser::AllocOpt::Stream>(option.u);
    });
    for (const parser::AllocOpt &option : options)
      if (const auto *pinned = std::get_if<parser::AllocOpt::Pinned>(&option.u); pinned && hasStream)
        context.Say(
            parser::FindSourceLocation(*pinned),
            "An ALLOCATE with STREAM= cannot have PINNED=: device memory belongs to a stream, and page-locked memory to the host"_err_en_US);
  }

private:
  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkAllocations(semantics::SemanticsContext &context, const parser::Program &program) {
  AllocationChecker checker{context};
  parser::Walk(program, checker);
}
