#include "frontend/Checks/StorageSizes.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// Finds the first `numeric_storage_size`.
struct StorageSizeFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Name &name) {
    if (!found && name.source == "numeric_storage_size")
      found = &name;
  }
  const parser::Name *found = nullptr;
};

bool isAboutStorageSize(const parser::Message &message) {
  return llvm::StringRef(message.ToString()).starts_with("NUMERIC_STORAGE_SIZE from ISO_FORTRAN_ENV");
}

} // namespace

void cufort::frontend::placeStorageSizeWarning(semantics::SemanticsContext &context, const parser::Program &program) {
  auto &messages = context.messages().messages();
  auto warning = llvm::find_if(messages, isAboutStorageSize);
  if (warning == messages.end())
    return;
  StorageSizeFinder name;
  parser::Walk(program, name);
  if (name.found)
    context.Say(name.found->source, "%s"_warn_en_US, warning->ToString());
  messages.erase(warning);
}
