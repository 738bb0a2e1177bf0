// Flang's parser and semantics take these directives, and its lowering ends the compiler at them.

#include "frontend/Parse/OpenMPDirectives.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// What a part of a block is, if it is a construct of OpenMP; else null.
parser::OpenMPConstruct *openMPConstruct(parser::ExecutionPartConstruct &part) {
  auto *executable = std::get_if<parser::ExecutableConstruct>(&part.u);
  auto *construct = executable ? std::get_if<common::Indirection<parser::OpenMPConstruct>>(&executable->u) : nullptr;
  return construct ? &construct->value() : nullptr;
}

class AdviceDropper : public TreeVisitor {
public:
  explicit AdviceDropper(parser::Messages &messages) : messages(messages) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::Block &block) {
    for (auto part = block.begin(); part != block.end();) {
      parser::OpenMPConstruct *construct = openMPConstruct(*part);
      parser::Block *inside = construct ? blockOfAdvice(*construct) : nullptr;
      if (inside) {
        block.splice(part, *inside);
        part = block.erase(part);
      } else {
        ++part;
      }
    }
  }

  void Post(parser::SpecificationPart &part) {
    std::get<std::list<parser::OpenMPDeclarativeConstruct>>(part.t).remove_if(
        [&](const parser::OpenMPDeclarativeConstruct &construct) { return isAdvice(construct); });
    std::get<std::list<parser::DeclarationConstruct>>(part.t).remove_if(
        [&](const parser::DeclarationConstruct &declaration) {
          const auto *specification = std::get_if<parser::SpecificationConstruct>(&declaration.u);
          const auto *construct =
              specification ? std::get_if<common::Indirection<parser::OpenMPDeclarativeConstruct>>(&specification->u)
                            : nullptr;
          return construct && isAdvice(construct->value());
        });
  }

  void Post(const parser::OmpMetadirectiveDirective &directive) {
    messages.Say(
        directive.v.DirName().source,
        "The directive METADIRECTIVE of OpenMP is not possible: write the directive that it chooses"_err_en_US);
  }
  void Post(const parser::OmpErrorDirective &directive) {
    messages.Say(directive.v.DirName().source,
                 "The directive ERROR of OpenMP is not possible: write ERROR STOP or PRINT"_err_en_US);
  }
  void Post(const parser::OmpDeclareVariantDirective &directive) {
    messages.Say(directive.v.DirName().source,
                 "The directive DECLARE VARIANT of OpenMP is not possible: call the variant by its name"_err_en_US);
  }
  void Post(parser::OmpBeginDirective &directive) { dropAllocate(directive); }
  void Post(parser::OmpBeginLoopDirective &directive) { dropAllocate(directive); }
  void Post(parser::OmpBeginSectionsDirective &directive) { dropAllocate(directive); }
  bool Pre(const parser::OmpClause &clause) {
    clausePlace = clause.source;
    return true;
  }
  void Post(const parser::OmpReductionModifier &modifier) {
    if (modifier.v == parser::OmpReductionModifier::Value::Inscan)
      messages.Say(
          clausePlace,
          "The modifier INSCAN of REDUCTION, for the directive SCAN of OpenMP, is not possible: write this loop without OpenMP"_err_en_US);
  }

private:
  /// The clause ALLOCATE says where the copies of private variables lie.
  void dropAllocate(parser::OmpDirectiveSpecification &directive) {
    auto &clauses = std::get<std::optional<parser::OmpClauseList>>(directive.t);
    if (!clauses || directive.DirId() == llvm::omp::Directive::OMPD_allocators)
      return;
    clauses->v.remove_if([this](const parser::OmpClause &clause) {
      bool isAllocate = std::holds_alternative<parser::OmpClause::Allocate>(clause.u);
      if (isAllocate)
        messages.Say(clause.source, "The clause ALLOCATE of OpenMP has no effect"_warn_en_US);
      return isAllocate;
    });
  }

  /// What UNROLL, ASSUME, DISPATCH and NOTHING stand around, or null if `construct` is something else.
  parser::Block *blockOfAdvice(parser::OpenMPConstruct &construct) {
    if (auto *loop = std::get_if<parser::OpenMPLoopConstruct>(&construct.u))
      if (loop->BeginDir().DirId() == llvm::omp::Directive::OMPD_unroll)
        return &warn(loop->BeginDir(), "UNROLL", std::get<parser::Block>(loop->t));
    if (auto *assume = std::get_if<parser::OpenMPAssumeConstruct>(&construct.u))
      return &warn(assume->BeginDir(), "ASSUME", std::get<parser::Block>(assume->t));
    if (auto *dispatch = std::get_if<parser::OpenMPDispatchConstruct>(&construct.u))
      return &warn(dispatch->BeginDir(), "DISPATCH", std::get<parser::Block>(dispatch->t));
    if (const auto *utility = std::get_if<parser::OpenMPUtilityConstruct>(&construct.u))
      return std::holds_alternative<parser::OmpNothingDirective>(utility->u) ? &nothing : nullptr;
    return nullptr;
  }

  bool isAdvice(const parser::OpenMPDeclarativeConstruct &construct) {
    if (const auto *simd = std::get_if<parser::OpenMPDeclareSimdConstruct>(&construct.u))
      return warn(simd->v, "DECLARE SIMD", true);
    if (const auto *assumes = std::get_if<parser::OpenMPDeclarativeAssumes>(&construct.u))
      return warn(assumes->v, "ASSUMES", true);
    const auto *utility = std::get_if<parser::OpenMPUtilityConstruct>(&construct.u);
    return utility && std::holds_alternative<parser::OmpNothingDirective>(utility->u);
  }

  /// Says that `directive` has no effect, and returns `result`.
  template <typename Result>
  Result &&warn(const parser::OmpDirectiveSpecification &directive, const char *name, Result &&result) {
    messages.Say(directive.DirName().source, "The directive %s of OpenMP has no effect"_warn_en_US, name);
    return std::forward<Result>(result);
  }

  parser::Messages &messages;
  parser::Block nothing;         ///< in it
  parser::CharBlock clausePlace; ///< of the clause that is being visited
};

} // namespace

void cufort::frontend::dropOpenMPAdvice(parser::Program &program, parser::Messages &messages) {
  AdviceDropper dropper(messages);
  parser::Walk(program, dropper);
}
