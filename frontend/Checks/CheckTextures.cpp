// Textures are pointers to real or integer data, which device code reads and does not change (CUDA Fortran
// guide 3.2.7). Flang does not know which pointers are textures (Parse/Textures.h).

#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor;

namespace {

class TextureChecker : public StatementVisitor {
public:
  TextureChecker(semantics::SemanticsContext &context, const std::vector<std::string> &textures)
      : context(context), textures(textures) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  /// Checks the declarations in `scope` and in those in it.
  void checkDeclarations(const semantics::Scope &scope) {
    for (const auto &[name, symbol] : scope)
      if (isTexture(*symbol))
        checkDeclaration(*symbol);
    for (const semantics::Scope &child : scope.children())
      if (!child.IsModuleFile())
        checkDeclarations(child);
  }

  bool Pre(const parser::CUFKernelDoConstruct &) {
    ++kernels;
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) { --kernels; }

  void Post(const parser::AssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    const semantics::Symbol *texture = assignment ? textureOf(assignment->lhs) : nullptr;
    if (texture && isOnDevice())
      context.Say(std::get<parser::Variable>(statement.t).GetSource(),
                  "'%s' is a texture, which device code cannot change; assign to its target"_err_en_US,
                  texture->name());
  }
  void Post(const parser::PointerAssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    if (const semantics::Symbol *texture = assignment ? textureOf(assignment->lhs) : nullptr; texture && isOnDevice())
      context.Say(source, "The texture '%s' cannot be associated in device code"_err_en_US, texture->name());
  }
  void Post(const parser::CallStmt &call) {
    if (call.typedCall)
      checkArguments(*call.typedCall, call.source);
  }
  void Post(const parser::Expr &expression) {
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(expression.u))
      return;
    const semantics::SomeExpr *function = semantics::GetExpr(context, expression);
    if (const evaluate::ProcedureRef *call = function ? evaluate::UnwrapProcedureRef(*function) : nullptr)
      checkArguments(*call, expression.source);
  }

private:
  void checkDeclaration(const semantics::Symbol &texture) {
    const semantics::DeclTypeSpec *type = texture.GetType();
    if (!semantics::IsPointer(texture))
      context.Say(texture.name(), "The texture '%s' must have the POINTER attribute"_err_en_US, texture.name());
    else if (type && !type->IsNumeric(common::TypeCategory::Integer) && !type->IsNumeric(common::TypeCategory::Real))
      context.Say(texture.name(), "The texture '%s' must be of type real or integer"_err_en_US, texture.name());
  }

  void checkArguments(const evaluate::ProcedureRef &call, parser::CharBlock place) {
    const semantics::Symbol *callee = call.proc().GetSymbol();
    const auto *procedure = callee ? callee->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
    if (!procedure || !isOnDevice())
      return;
    for (auto [actual, dummy] : llvm::zip(call.arguments(), procedure->dummyArgs())) {
      const semantics::SomeExpr *value = actual ? actual->UnwrapExpr() : nullptr;
      if (!value || !dummy || !(semantics::IsIntentInOut(*dummy) || semantics::IsIntentOut(*dummy)))
        continue;
      if (const semantics::Symbol *texture = textureOf(*value))
        context.Say(place,
                    "'%s' is a texture, which device code cannot change: '%s' changes its argument '%s'"_err_en_US,
                    texture->name(), callee->name(), dummy->name());
    }
  }

  /// The texture that `variable` is, or is a part of; else null.
  const semantics::Symbol *textureOf(const semantics::SomeExpr &variable) const {
    if (!evaluate::IsVariable(variable))
      return nullptr;
    const semantics::Symbol *symbol = evaluate::GetFirstSymbol(variable);
    if (!symbol)
      return nullptr;
    return isTexture(symbol->GetUltimate()) ? symbol : nullptr;
  }

  bool isTexture(const semantics::Symbol &variable) const {
    if (variable.owner().kind() != semantics::Scope::Kind::Module || !variable.has<semantics::ObjectEntityDetails>())
      return false;
    std::string name =
        fir::NameUniquer::doVariable({variable.owner().GetName()->ToString()}, {}, 0, variable.name().ToString());
    return llvm::is_contained(textures, name);
  }

  bool isOnDevice() const { return kernels || semantics::FindCUDADeviceContext(&context.FindScope(source)); }

  semantics::SemanticsContext &context;
  const std::vector<std::string> &textures;
  int kernels = 0; ///< CUF kernels around the place that is visited
};

} // namespace

void cufort::frontend::checkTextures(semantics::SemanticsContext &context, const parser::Program &program,
                                     const std::vector<std::string> &textures) {
  TextureChecker checker{context, textures};
  if (textures.empty())
    return;
  checker.checkDeclarations(context.globalScope());
  parser::Walk(program, checker);
}
