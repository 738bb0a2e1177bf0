// Which of Flang's errors are false, and when.
#pragma once

#include "flang/Parser/message.h"
#include <functional>
#include <optional>
#include <set>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class Scope;
class SemanticsContext;
class Symbol;
} // namespace Fortran::semantics

namespace cufort::frontend {

/// Judges messages by their text, and by what stands at their place in the source. What the rules need to know of the
/// program is collected when a message first asks for it: at that time the parse tree has its final form, and the
/// names in it are resolved.
class FalseErrorRules {
public:
  FalseErrorRules(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program)
      : context(context), program(program) {}

  bool isFalse(const Fortran::parser::Message &message);
  /// True for errors in programs that other compilers accept, and that do what their authors mean: they become
  /// warnings.
  static bool isTolerable(const Fortran::parser::Message &message);

private:
  struct Rule;

  /// Where a piece of source begins, counted over all sources of the compilation.
  using Place = size_t;
  using Places = std::set<Place>;

  /// Statements, and names in them.
  using NamesInStatements = std::vector<std::pair<Fortran::parser::CharBlock, std::string>>;

  static bool isDataOfThread(FalseErrorRules &self, const Fortran::parser::Message &message);
  static bool isComponentOnDevice(FalseErrorRules &self, const Fortran::parser::Message &message);
  static bool isCalledBefore(FalseErrorRules &self, const Fortran::parser::Message &message);
  static bool isPointerOfThread(FalseErrorRules &self, const Fortran::parser::Message &message);
  /// True if `message` stands where a kernel calculates for the host, or in a scope that uses module cutensorex.
  bool isInDeviceCalculation(const Fortran::parser::Message &message) const;
  std::optional<Place> placeOf(Fortran::parser::CharBlock source) const;
  /// True if the first name in quotes in `message` is among the names of the statement in which it stands.
  bool isAbout(const Fortran::parser::Message &message, const NamesInStatements &names) const;
  bool isAtOneOf(const Fortran::parser::Message &message, const Places &places) const;
  /// True if `message` stands at the declaration of a symbol with a property.
  bool names(const Fortran::parser::Message &message, bool (*hasProperty)(const Fortran::semantics::Symbol &)) const;
  /// True if the first name in quotes in `message` is that of a symbol with a property.
  bool quotes(const Fortran::parser::Message &message, bool (*hasProperty)(const Fortran::semantics::Symbol &)) const;
  const Places &remember(std::optional<Places> &memory,
                         const std::function<std::vector<Fortran::parser::CharBlock>()> &find) const;

  Fortran::semantics::SemanticsContext &context;
  const Fortran::parser::Program &program;
  std::optional<Places> branches;               ///< in CUF kernels, allowed ones
  std::optional<Places> ordinaryStatements;     ///< WHERE, FORALL, ASSOCIATE, computed GOTO and arithmetic IF
  std::optional<Places> assignmentsWithOneCopy; ///< to host data
  /// Statements that name variables of a thread or components of such, and the names of these.
  std::optional<NamesInStatements> threadData;
  std::optional<NamesInStatements> deviceComponents; ///< of what kernels get from the host, and of device data
  std::optional<NamesInStatements> formerCalls;      ///< of functions, before the CUF kernel of the statement
  std::optional<Places> sharedArguments;             ///< that begin with the name of a shared variable
  std::optional<Places> constantArguments;           ///< that begin with the name of a constant variable
  std::optional<Places> usedCommonVariables;         ///< declarations of variables in COMMON that are used
  std::optional<Places> deviceScalars;               ///< that are arguments of functions or parts of expressions
  mutable std::optional<std::vector<Fortran::parser::CharBlock>> deviceCalculations;
};

} // namespace cufort::frontend
