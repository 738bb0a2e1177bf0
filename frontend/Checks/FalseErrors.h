// Errors that Flang reports for programs that CUDA Fortran allows.
#pragma once

#include <memory>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

class FalseErrorRules;

/// While an object of this class exists, Flang's question whether there is a fatal error leaves out the errors that
/// are known to be false and are so for the construct at hand; so analysis goes on to the end, module files included.
/// One object at a time in a thread. `context` and `program` must live longer.
class FalseErrors {
public:
  FalseErrors(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
  ~FalseErrors();
  FalseErrors(const FalseErrors &) = delete;
  FalseErrors &operator=(const FalseErrors &) = delete;

  /// Takes the false errors out of the messages of the context, and makes warnings of the tolerable ones. Call it when
  /// the analysis has ended.
  void remove();

private:
  Fortran::semantics::SemanticsContext &context;
  std::unique_ptr<FalseErrorRules> rules;
};

} // namespace cufort::frontend
