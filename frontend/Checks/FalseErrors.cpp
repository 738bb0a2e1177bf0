// The linker puts `anyFatalError` below in the place of Flang's Messages::AnyFatalError (--wrap, see CMakeLists.txt
// and docs/design/0007-errors-of-flang-that-do-not-count.md), which every part of Flang's semantics asks whether it
// may go on.

#include "frontend/Checks/FalseErrors.h"
#include "frontend/Checks/FalseErrorRules.h"
#include "flang/Parser/message.h"
#include "flang/Semantics/semantics.h"
#include <cassert>

using namespace Fortran;
using cufort::frontend::FalseErrorRules;
using cufort::frontend::FalseErrors;

static thread_local FalseErrorRules *current = nullptr;

FalseErrors::FalseErrors(semantics::SemanticsContext &context, const parser::Program &program)
    : context(context), rules(std::make_unique<FalseErrorRules>(context, program)) {
  assert(!current && "two sources are analysed at a time in one thread");
  current = rules.get();
}

FalseErrors::~FalseErrors() { current = nullptr; }

void FalseErrors::remove() {
  auto &messages = context.messages().messages();
  messages.remove_if([this](const parser::Message &message) { return rules->isFalse(message); });
  for (parser::Message &message : messages)
    if (message.IsFatal() && FalseErrorRules::isTolerable(message))
      message.set_severity(parser::Severity::Warning);
}

/// Flang's own function.
bool flangAnyFatalError(const parser::Messages *messages, bool warningsAreErrors) asm(
    "__real__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");

/// What Flang calls in its place.
bool anyFatalError(const parser::Messages *messages, bool warningsAreErrors) asm(
    "__wrap__ZNK7Fortran6parser8Messages13AnyFatalErrorEb");

bool anyFatalError(const parser::Messages *messages, bool warningsAreErrors) {
  if (!flangAnyFatalError(messages, warningsAreErrors))
    return false;
  if (!current)
    return true;
  for (const parser::Message &message : const_cast<parser::Messages *>(messages)->messages())
    if ((warningsAreErrors || message.IsFatal()) && !current->isFalse(message) && !FalseErrorRules::isTolerable(message))
      return true;
  return false;
}
