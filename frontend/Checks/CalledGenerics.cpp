// Flang asks for the interface of each specific procedure before it asks whether the arguments match, and only there is
// it known which procedure that is. The linker puts a function below in the place of Flang's (--wrap, see
// CMakeLists.txt).

#include "frontend/Checks/CalledGenerics.h"
#include "flang/Evaluate/call.h"
#include "flang/Evaluate/characteristics.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/SpecificProcedures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <unordered_map>

using namespace Fortran;
using common::CUDADataAttr;
using semantics::GenericDetails, semantics::Symbol;

static thread_local const Symbol *tried = nullptr;
/// The generics that have each specific procedure. Empty if there is none whose procedures may be near to arguments in
/// more than one way, and as long as not all names of the program are known.
static thread_local std::unordered_map<const Symbol *, std::vector<const Symbol *>> genericsOf;

//===-- Which procedure is tried ----------------------------------------------------------------------------------===//

using evaluate::characteristics::Procedure;

#define CHARACTERIZE                                                                                                   \
  "_ZN7Fortran8evaluate15characteristics9Procedure12CharacterizeERKNS0_19ProcedureDesignatorERNS0_14FoldingContextEb"

std::optional<Procedure> flangCharacterize(const evaluate::ProcedureDesignator &designator,
                                           evaluate::FoldingContext &context,
                                           bool emitError) asm("__real_" CHARACTERIZE);
std::optional<Procedure> characterize(const evaluate::ProcedureDesignator &designator,
                                      evaluate::FoldingContext &context, bool emitError) asm("__wrap_" CHARACTERIZE);

std::optional<Procedure> characterize(const evaluate::ProcedureDesignator &designator,
                                      evaluate::FoldingContext &context, bool emitError) {
  tried = designator.GetSymbol();
  return flangCharacterize(designator, context, emitError);
}

const Symbol *cufort::frontend::triedProcedure() { return tried; }

//===-- Generics --------------------------------------------------------------------------------------------------===//

namespace {

bool takesManaged(const semantics::SubprogramDetails &procedure) {
  return llvm::any_of(procedure.dummyArgs(), [](const Symbol *dummy) {
    auto attribute = dummy ? cufort::frontend::dataAttribute(*dummy) : std::nullopt;
    return attribute == CUDADataAttr::Managed || attribute == CUDADataAttr::Unified;
  });
}

/// True for a generic of which two procedures may be equally near to arguments, and a third one nearer.
bool hasManyDistances(const GenericDetails &generic) {
  return generic.specificProcs().size() > 2 && llvm::any_of(generic.specificProcs(), [](const Symbol &specific) {
           const auto *procedure = cufort::frontend::procedureOf(specific);
           return procedure && takesManaged(*procedure);
         });
}

/// The procedure that Flang tries for an item of a generic's list.
const Symbol &procedureIn(const Symbol &specific) { return semantics::BypassGeneric(specific).GetUltimate(); }

/// Calls `visit` for each generic in `scope` and the scopes in it.
void forEachGeneric(semantics::Scope &scope, llvm::function_ref<void(const Symbol &, const GenericDetails &)> visit) {
  for (const auto &[name, symbol] : scope)
    if (const auto *generic = symbol->detailsIf<GenericDetails>())
      visit(*symbol, *generic);
  for (semantics::Scope &child : scope.children())
    forEachGeneric(child, visit);
}

/// The name with which the call begins that is being analysed: an alias of USE is not known by the name of the generic.
parser::CharBlock nameOfCall(parser::CharBlock call) {
  llvm::StringRef text(call.begin(), call.size());
  if (text.consume_front("call"))
    text = text.ltrim(' ');
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  bool isCall = !name.empty() && text.drop_front(name.size()).ltrim(' ').starts_with("(");
  return isCall ? parser::CharBlock(name.data(), name.size()) : parser::CharBlock();
}

/// The generic with whose name the call begins that is being analysed, if `procedure` is one of its procedures, or
/// null.
const Symbol *namedGeneric(const Symbol &procedure, semantics::SemanticsContext &context) {
  parser::CharBlock call = context.foldingContext().messages().at();
  parser::CharBlock name = nameOfCall(call);
  const Symbol *found = name.empty() ? nullptr : context.FindScope(call).FindSymbol(name);
  const auto *generic = found ? found->GetUltimate().detailsIf<GenericDetails>() : nullptr;
  bool hasProcedure = generic && llvm::any_of(generic->specificProcs(), [&](const Symbol &specific) {
                        return &procedureIn(specific) == &procedure;
                      });
  return hasProcedure ? &found->GetUltimate() : nullptr;
}

/// True for a generic that a call need not begin with the name of: an operator, an assignment, or one of a type.
bool isCalledOtherwise(const Symbol &generic, parser::CharBlock call) {
  if (!generic.get<GenericDetails>().kind().IsName())
    return true;
  std::string text = call.ToString();
  llvm::erase(text, ' ');
  return generic.owner().IsDerivedType() && llvm::StringRef(text).contains("%" + generic.name().ToString() + "(");
}

} // namespace

llvm::SmallVector<const GenericDetails *> cufort::frontend::genericsOfCall(const Symbol &tried,
                                                                           semantics::SemanticsContext &context) {
  llvm::SmallVector<const GenericDetails *> generics;
  const Symbol &procedure = tried.GetUltimate();
  if (const Symbol *named = namedGeneric(procedure, context)) {
    generics.push_back(&named->get<GenericDetails>());
  } else if (auto known = genericsOf.find(&procedure); known != genericsOf.end()) {
    for (const Symbol *generic : known->second)
      if (isCalledOtherwise(*generic, context.foldingContext().messages().at()))
        generics.push_back(&generic->get<GenericDetails>());
  }
  bool areOrdered = llvm::none_of(generics, [](const auto *generic) { return hasManyDistances(*generic); });
  return areOrdered ? llvm::SmallVector<const GenericDetails *>() : generics;
}

void cufort::frontend::rememberGenerics(semantics::SemanticsContext &context) {
  bool areNeeded = false;
  forEachGeneric(context.globalScope(),
                 [&](const Symbol &, const GenericDetails &generic) { areNeeded |= hasManyDistances(generic); });
  if (!areNeeded)
    return;
  forEachGeneric(context.globalScope(), [&](const Symbol &symbol, const GenericDetails &generic) {
    for (const Symbol &specific : generic.specificProcs())
      genericsOf[&procedureIn(specific)].push_back(&symbol);
  });
}

void cufort::frontend::forgetGenerics() {
  genericsOf.clear();
  tried = nullptr;
}
