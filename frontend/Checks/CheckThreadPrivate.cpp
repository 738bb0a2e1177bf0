// Device data in the directive THREADPRIVATE of OpenMP: of a variable that is not allocated while the program runs, a
// device has one.

#include "frontend/Checks/CheckThreadPrivate.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isOfDevice, cufort::frontend::TreeVisitor;

namespace {

class ThreadPrivateChecker : public TreeVisitor {
public:
  explicit ThreadPrivateChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::OpenMPThreadprivate &) { return isInside = true; }
  void Post(const parser::OpenMPThreadprivate &) { isInside = false; }

  void Post(const parser::Name &name) {
    if (isInside && name.symbol && isOfDevice(*name.symbol) && !semantics::IsAllocatableOrPointer(*name.symbol))
      context.Say(
          name.source,
          "'%s' cannot be in THREADPRIVATE: threads of the host cannot have copies of device data; make it allocatable"_err_en_US,
          name.source);
  }

private:
  semantics::SemanticsContext &context;
  bool isInside = false;
};

} // namespace

void cufort::frontend::checkThreadPrivate(semantics::SemanticsContext &context, const parser::Program &program) {
  ThreadPrivateChecker checker{context};
  parser::Walk(program, checker);
}
