#include "frontend/Parse/ManagedRecords.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;

static void releaseIn(semantics::Scope &scope) {
  for (auto &[name, symbol] : scope) {
    auto *object = symbol->detailsIf<semantics::ObjectEntityDetails>();
    if (object && !object->isDummy() && object->cudaDataAttr() == common::CUDADataAttr::Managed &&
        semantics::HasCUDAComponent(*symbol))
      object->set_cudaDataAttr(std::nullopt);
  }
  for (semantics::Scope &child : scope.children())
    releaseIn(child);
}

void cufort::frontend::releaseManagedRecords(semantics::SemanticsContext &context) { releaseIn(context.globalScope()); }
