// Coarrays and images: neither the code generators nor the run-time library know more than one image. Lowering would
// stop at the first statement with an image, and take a coarray for an ordinary variable.

#include "flang/Semantics/semantics.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isIntrinsic, cufort::frontend::StatementVisitor;

namespace {

/// Intrinsic procedures that have to do with images.
constexpr llvm::StringLiteral imageProcedures[] = {
    "atomic_add",      "atomic_and",       "atomic_cas",  "atomic_define", "atomic_fetch_add", "atomic_fetch_and",
    "atomic_fetch_or", "atomic_fetch_xor", "atomic_or",   "atomic_ref",    "atomic_xor",       "co_broadcast",
    "co_max",          "co_min",           "co_reduce",   "co_sum",        "coshape",          "event_query",
    "failed_images",   "get_team",         "image_index", "image_status",  "lcobound",         "num_images",
    "stopped_images",  "team_number",      "this_image",  "ucobound"};

class CoarrayChecker : public StatementVisitor {
public:
  explicit CoarrayChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::CoarraySpec &) { refuse(); }
  void Post(const parser::ImageSelector &) { refuse(); }
  void Post(const parser::ChangeTeamStmt &) { refuse(); }
  void Post(const parser::CriticalStmt &) { refuse(); }
  void Post(const parser::EventPostStmt &) { refuse(); }
  void Post(const parser::EventWaitStmt &) { refuse(); }
  void Post(const parser::FailImageStmt &) { refuse(); }
  void Post(const parser::FormTeamStmt &) { refuse(); }
  void Post(const parser::LockStmt &) { refuse(); }
  void Post(const parser::NotifyWaitStmt &) { refuse(); }
  void Post(const parser::SyncAllStmt &) { refuse(); }
  void Post(const parser::SyncImagesStmt &) { refuse(); }
  void Post(const parser::SyncMemoryStmt &) { refuse(); }
  void Post(const parser::SyncTeamStmt &) { refuse(); }
  void Post(const parser::UnlockStmt &) { refuse(); }
  void Post(const parser::ProcedureDesignator &procedure) {
    const auto *name = std::get_if<parser::Name>(&procedure.u);
    if (name && llvm::any_of(imageProcedures, [&](llvm::StringRef image) { return isIntrinsic(*name, image); }))
      refuse();
  }

private:
  /// Once for a statement, whatever it has of them.
  void refuse() {
    if (source.begin() != refused)
      context.Say(source, "Coarrays, and statements and functions of images, are not supported"_err_en_US);
    refused = source.begin();
  }

  semantics::SemanticsContext &context;
  const char *refused = nullptr; ///< the beginning of the statement of the last message
};

} // namespace

void cufort::frontend::checkCoarrays(semantics::SemanticsContext &context, const parser::Program &program) {
  CoarrayChecker checker{context};
  parser::Walk(program, checker);
}
