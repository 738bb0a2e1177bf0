#include "frontend/Checks/CallErrors.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isOfCudafor, cufort::frontend::isOfDeviceLibrary;
using cufort::frontend::TreeVisitor;
using llvm::StringRef;

//===-- Calls in the source ---------------------------------------------------------------------------------------===//

namespace {

/// A call of a routine of module cudafor, of a device procedure in host code, a launch, or a CALL of a function.
struct FoundCall {
  parser::ProvenanceRange source;
  const parser::Call *call;
  const parser::CallStmt *statement; ///< null for a function
};

/// Finds launches, and calls of the routines of cudafor and of the modules for the device.
struct CallFinder : TreeVisitor {
  explicit CallFinder(const semantics::SemanticsContext &context, const parser::AllCookedSources &sources)
      : context(context), sources(sources) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &) {
    ++kernels;
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) { --kernels; }

  void Post(const parser::FunctionReference &reference) {
    if (calleeOf(reference.v) || isDeviceProcedureInHostCode(reference.v))
      add(reference.source, reference.v, nullptr);
  }
  void Post(const parser::CallStmt &statement) {
    if (statement.chevrons || calleeOf(statement.call) || functionOf(statement.call) ||
        isDeviceProcedureInHostCode(statement.call))
      add(statement.source, statement.call, &statement);
  }

  static const parser::Name *nameOf(const parser::Call &call) {
    return std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
  }

  /// The name of the device procedure that is called, or null.
  static const parser::Name *deviceProcedureOf(const parser::Call &call) {
    const parser::Name *name = nameOf(call);
    const auto *procedure =
        name && name->symbol ? name->symbol->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
    return procedure && procedure->cudaSubprogramAttrs() == common::CUDASubprogramAttrs::Device ? name : nullptr;
  }

  /// The name of the routine of such a module that is called, or null.
  static const parser::Name *calleeOf(const parser::Call &call) {
    const parser::Name *name = nameOf(call);
    return name && name->symbol && (isOfCudafor(*name->symbol) || isOfDeviceLibrary(*name->symbol)) ? name : nullptr;
  }

  /// The name of a function, or of functions with one generic name, that is called; or null.
  static const parser::Name *functionOf(const parser::Call &call) {
    const parser::Name *name = nameOf(call);
    const semantics::Symbol *symbol = name && name->symbol ? &name->symbol->GetUltimate() : nullptr;
    const auto *generic = symbol ? symbol->detailsIf<semantics::GenericDetails>() : nullptr;
    if (!generic)
      return symbol && symbol->has<semantics::SubprogramDetails>() && semantics::IsFunction(*symbol) ? name : nullptr;
    bool isOfFunctions = !generic->specificProcs().empty() &&
                         llvm::all_of(generic->specificProcs(), [](const semantics::Symbol &specific) {
                           return semantics::IsFunction(specific.GetUltimate());
                         });
    return isOfFunctions ? name : nullptr;
  }

  std::vector<FoundCall> found;

private:
  void add(parser::CharBlock source, const parser::Call &call, const parser::CallStmt *statement) {
    if (auto range = sources.GetProvenanceRange(source))
      found.push_back({*range, &call, statement});
  }

  bool isDeviceProcedureInHostCode(const parser::Call &call) const {
    const parser::Name *name = kernels ? nullptr : deviceProcedureOf(call);
    return name && !semantics::FindCUDADeviceContext(&context.FindScope(name->source));
  }

  const semantics::SemanticsContext &context;
  const parser::AllCookedSources &sources;
  int kernels = 0; ///< CUF kernels around the place
};

/// The innermost of `calls` in which `place` lies, or null.
const FoundCall *callAround(llvm::ArrayRef<FoundCall> calls, parser::ProvenanceRange place) {
  const FoundCall *innermost = nullptr;
  for (const FoundCall &call : calls)
    if (call.source.Contains(place) && (!innermost || call.source.size() < innermost->source.size()))
      innermost = &call;
  return innermost;
}

const semantics::SomeExpr *valueOf(const parser::Expr &expr) {
  return expr.typedExpr && expr.typedExpr->v ? &*expr.typedExpr->v : nullptr;
}

std::string typeOf(const semantics::SomeExpr &expr) {
  auto type = expr.GetType();
  return type ? type->AsFortran() : "something without a type";
}

} // namespace

//===-- How routines are called -----------------------------------------------------------------------------------===//

namespace {

/// `routine`, or of a generic one the specific procedure with the most arguments; null if there is none.
const semantics::Symbol *fullestProcedure(const semantics::Symbol &routine) {
  const semantics::Symbol *fullest = nullptr;
  size_t most = 0;
  auto consider = [&](const semantics::Symbol &candidate) {
    const auto *procedure = candidate.detailsIf<semantics::SubprogramDetails>();
    if (procedure && (!fullest || procedure->dummyArgs().size() > most)) {
      fullest = &candidate;
      most = procedure->dummyArgs().size();
    }
  };
  const semantics::Symbol &ultimate = routine.GetUltimate();
  consider(ultimate);
  if (const auto *generic = ultimate.detailsIf<semantics::GenericDetails>())
    for (const semantics::Symbol &specific : generic->specificProcs())
      consider(specific.GetUltimate());
  return fullest;
}

/// The name as the user spells it.
std::string spellingOf(const parser::Name &name, const parser::AllCookedSources &sources) {
  auto range = sources.GetProvenanceRange(name.source);
  const char *text = range ? sources.allSources().GetSource(*range) : nullptr;
  return text ? std::string(text, range->size()) : name.ToString();
}

/// Like "cudaMemcpy(dst, src, count [, kdir])".
std::string usageOf(StringRef routine, const semantics::SubprogramDetails &procedure) {
  std::string arguments;
  for (const semantics::Symbol *dummy : procedure.dummyArgs()) {
    bool isOptional = dummy->attrs().test(semantics::Attr::OPTIONAL);
    std::string separated = (arguments.empty() ? "" : ", ") + dummy->name().ToString();
    arguments += isOptional ? (arguments.empty() ? "[" : " [") + separated + "]" : separated;
  }
  return routine.str() + "(" + arguments + ")";
}

using Procedures = std::vector<const semantics::SubprogramDetails *>;

/// The specific procedures of `routine`.
Procedures proceduresOf(const semantics::Symbol &routine) {
  Procedures procedures;
  if (const auto *generic = routine.GetUltimate().detailsIf<semantics::GenericDetails>())
    for (const semantics::Symbol &specific : generic->specificProcs())
      if (const auto *procedure = specific.GetUltimate().detailsIf<semantics::SubprogramDetails>())
        procedures.push_back(procedure);
  return procedures;
}

/// True if `other` can be called in all the ways in which `procedure` can, and in more.
bool takesMore(const semantics::SubprogramDetails &other, const semantics::SubprogramDetails &procedure) {
  auto has = [](const semantics::SubprogramDetails &all, const semantics::Symbol *dummy) {
    return llvm::any_of(all.dummyArgs(), [&](auto *each) { return each->name() == dummy->name(); });
  };
  return other.dummyArgs().size() > procedure.dummyArgs().size() &&
         llvm::all_of(procedure.dummyArgs(), [&](auto *dummy) { return has(other, dummy); }) &&
         llvm::all_of(other.dummyArgs(), [&](auto *dummy) {
           return dummy->attrs().test(semantics::Attr::OPTIONAL) || has(procedure, dummy);
         });
}

/// The ways in which a routine can be called whose specific procedures have different dummy arguments.
std::vector<std::string> usagesOf(StringRef routine, const Procedures &procedures) {
  std::vector<std::string> usages;
  for (const semantics::SubprogramDetails *procedure : procedures) {
    std::string usage = usageOf(routine, *procedure);
    if (!llvm::is_contained(usages, usage) &&
        llvm::none_of(procedures, [&](auto *other) { return takesMore(*other, *procedure); }))
      usages.push_back(usage);
  }
  return usages;
}

/// True for what Flang says about arguments.
bool isAboutArguments(StringRef text) {
  constexpr StringRef starts[] = {"Actual argument ", "Dummy argument '", "No specific ", "Too many actual arguments "};
  return llvm::any_of(starts, [&](StringRef start) { return text.starts_with(start); });
}

} // namespace

//===-- Which argument is wrong -----------------------------------------------------------------------------------===//

namespace {

/// A better message, and its place.
struct Explanation {
  parser::CharBlock source;
  std::string text;
};

/// What is wrong with `actual` as memory that `routine` allocates; empty if nothing is, or if Flang says it.
std::string wrongAllocatable(StringRef routine, const semantics::Symbol &dummy, const semantics::SomeExpr &actual) {
  auto type = actual.GetType();
  if (!evaluate::IsVariable(actual) || !type)
    return "'" + routine.str() + "' wants an allocatable array here, not " + typeOf(actual);
  int wanted = dummy.Rank(), rank = actual.Rank();
  bool isAddress = type->category() == common::TypeCategory::Derived && type->AsFortran() == "TYPE(c_devptr)";
  if (type->category() == common::TypeCategory::Derived)
    return isAddress ? "" : "'" + routine.str() + "' allocates arrays of intrinsic types only; use ALLOCATE";
  if (rank == wanted)
    return "";
  std::string text = "'" + routine.str() + "' takes allocatable arrays of rank " + std::to_string(wanted) +
                     ", not of rank " + std::to_string(rank) + "; use ALLOCATE";
  return routine.equals_insensitive("cudaMalloc") && rank == 2 ? text + ", or cudaMallocPitch" : text;
}

/// What to do about the integer `actual`, which has another kind than `dummy`; empty if that is not known.
std::string adviceAboutKind(const semantics::Symbol &dummy, const semantics::SomeExpr &actual,
                            const semantics::SubprogramDetails &procedure) {
  constexpr int streamKind = 8;
  auto type = actual.GetType();
  if (!type || type->category() != common::TypeCategory::Integer)
    return "";
  if (dummy.name() == "stream")
    return "; declare it with integer(kind=cuda_stream_kind)";
  if (dummy.name() != "kdir" || type->kind() != streamKind)
    return "";
  bool takesStream = llvm::any_of(procedure.dummyArgs(), [](auto *other) { return other->name() == "stream"; });
  return takesStream ? "; a stream stands behind the direction, or has the keyword stream="
                     : "; only asynchronous copies take a stream";
}

/// What is wrong with `actual` as a number; empty if nothing is.
std::string wrongNumber(const semantics::Symbol &dummy, const semantics::SomeExpr &actual,
                        const semantics::SubprogramDetails &procedure) {
  auto wanted = evaluate::DynamicType::From(dummy), type = actual.GetType();
  if (!wanted || !type || wanted->IsAssumedType() || wanted->category() != common::TypeCategory::Integer)
    return "";
  std::string text = "'" + dummy.name().ToString() + "' must be ";
  if (type->category() != common::TypeCategory::Integer)
    return text + "an integer, not " + typeOf(actual);
  const auto *object = dummy.detailsIf<semantics::ObjectEntityDetails>();
  bool anyKind = object && object->ignoreTKR().test(common::IgnoreTKR::Kind);
  return anyKind || type->kind() == wanted->kind()
             ? ""
             : text + wanted->AsFortran() + ", not " + typeOf(actual) + adviceAboutKind(dummy, actual, procedure);
}

/// An argument of a call by its position, and the dummy argument that it is for.
struct Argument {
  const semantics::Symbol &dummy;
  parser::CharBlock source;
  const semantics::SomeExpr &value;
};

/// The arguments of `call` up to the first one that has a keyword or no value.
std::vector<Argument> argumentsOf(const parser::Call &call, const semantics::SubprogramDetails &procedure) {
  std::vector<Argument> found;
  for (const parser::ActualArgSpec &argument : std::get<std::list<parser::ActualArgSpec>>(call.t)) {
    const auto &actual = std::get<parser::ActualArg>(argument.t);
    const auto *expr = std::get_if<common::Indirection<parser::Expr>>(&actual.u);
    const semantics::SomeExpr *value = expr ? valueOf(expr->value()) : nullptr;
    if (std::get<std::optional<parser::Keyword>>(argument.t) || !value || found.size() == procedure.dummyArgs().size())
      break;
    found.push_back({*procedure.dummyArgs()[found.size()], expr->value().source, *value});
  }
  return found;
}

/// The first argument of a call that no specific procedure of `routine` takes, as far as it is known.
std::optional<Explanation> findWrongArgument(const parser::Call &call, StringRef routine,
                                             const semantics::SubprogramDetails &procedure) {
  for (const Argument &argument : argumentsOf(call, procedure)) {
    std::string text = semantics::IsAllocatable(argument.dummy)
                           ? wrongAllocatable(routine, argument.dummy, argument.value)
                           : wrongNumber(argument.dummy, argument.value, procedure);
    if (!text.empty())
      return Explanation{argument.source, text};
  }
  return std::nullopt;
}

/// The first argument that is wrong for the one of `procedures` with the most arguments that takes the first argument.
std::optional<Explanation> findWrongNumber(const parser::Call &call, const Procedures &procedures) {
  const semantics::SubprogramDetails *closest = nullptr;
  for (const semantics::SubprogramDetails *procedure : procedures) {
    std::vector<Argument> arguments = argumentsOf(call, *procedure);
    if (arguments.size() < 2)
      continue;
    auto wanted = evaluate::DynamicType::From(arguments[0].dummy), type = arguments[0].value.GetType();
    bool fits = wanted && type && *wanted == *type;
    if (fits && (!closest || procedure->dummyArgs().size() > closest->dummyArgs().size()))
      closest = procedure;
  }
  if (closest)
    for (const Argument &argument : argumentsOf(call, *closest))
      if (std::string text = wrongNumber(argument.dummy, argument.value, *closest); !text.empty())
        return Explanation{argument.source, text};
  return std::nullopt;
}

/// The dummy argument of rank 1 that `procedures` have at `index`, if none of them takes another rank but a scalar;
/// else null.
const semantics::Symbol *vectorAt(const Procedures &procedures, size_t index) {
  const semantics::Symbol *vector = nullptr;
  for (const semantics::SubprogramDetails *procedure : procedures) {
    const semantics::Symbol *dummy = index < procedure->dummyArgs().size() ? procedure->dummyArgs()[index] : nullptr;
    if (dummy && (dummy->Rank() > 1 || semantics::IsAssumedRank(*dummy)))
      return nullptr;
    if (dummy && dummy->Rank() == 1)
      vector = dummy;
  }
  return vector;
}

/// The first argument whose rank none of `procedures` takes.
std::optional<Explanation> findWrongRank(const parser::Call &call, const Procedures &procedures) {
  if (procedures.empty())
    return std::nullopt;
  std::vector<Argument> arguments = argumentsOf(call, *procedures.front());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const semantics::Symbol *vector = vectorAt(procedures, i);
    int rank = arguments[i].value.Rank();
    bool takesScalar = llvm::any_of(procedures, [&](const semantics::SubprogramDetails *procedure) {
      return i < procedure->dummyArgs().size() && procedure->dummyArgs()[i]->Rank() == 0;
    });
    if (!vector || rank == 1 || (rank == 0 && takesScalar))
      continue;
    return Explanation{arguments[i].source, "'" + vector->name().ToString() + "' must be an array of rank 1, not " +
                                                (rank == 0 ? "a scalar" : "of rank " + std::to_string(rank)) +
                                                ": pass a section of one dimension"};
  }
  return std::nullopt;
}

/// The error `text` about the type of the argument at `place`, with what to do.
std::optional<Explanation> explainType(StringRef text, parser::ProvenanceRange place, const parser::Call &call,
                                       const semantics::SubprogramDetails &procedure,
                                       const parser::AllCookedSources &sources) {
  if (!text.starts_with("Actual argument type "))
    return std::nullopt;
  for (const Argument &argument : argumentsOf(call, procedure))
    if (sources.GetProvenanceRange(argument.source) == place)
      if (std::string advice = adviceAboutKind(argument.dummy, argument.value, procedure); !advice.empty())
        return Explanation{argument.source, text.str() + advice};
  return std::nullopt;
}

/// True for `dim3(x, y, z)` where module cudafor is not used and the name has an implicit type.
bool isUndeclaredDim3(const parser::Expr &expr) {
  const auto *reference = std::get_if<common::Indirection<parser::FunctionReference>>(&expr.u);
  const parser::Name *name = reference ? CallFinder::nameOf(reference->value().v) : nullptr;
  return name && name->ToString() == "dim3";
}

/// Flang has the whole statement for the place of an error in chevrons.
std::optional<Explanation> explainChevrons(StringRef text, const parser::CallStmt::Chevrons &chevrons) {
  if (!text.consume_front("Kernel launch ") || !text.contains(" parameter must be "))
    return std::nullopt;
  const auto &[grid, block, bytes, stream] = chevrons.t;
  bool isGrid = text.starts_with("grid");
  if (isGrid && !grid.v)
    return std::nullopt;
  const parser::Expr &item = isGrid ? grid.v->thing.value() : block.thing.value();
  const semantics::SomeExpr *value = valueOf(item);
  if (!value)
    return std::nullopt;
  auto type = value->GetType();
  std::string what = value->Rank() > 0 ? "an array" : typeOf(*value);
  std::string advice =
      type && type->category() == common::TypeCategory::Complex ? "; write dim3(x, y, z) for several extents" : "";
  if (isUndeclaredDim3(item))
    advice = "; is 'use cudafor' missing?";
  return Explanation{item.source, std::string("The ") + (isGrid ? "grid" : "block") +
                                      " of a launch must be an integer or of TYPE(dim3), not " + what + advice};
}

} // namespace

//===-- Messages --------------------------------------------------------------------------------------------------===//

namespace {

void explainCall(parser::Message &message, const FoundCall &found, const parser::AllCookedSources &sources) {
  std::string text = message.ToString();
  auto replaceBy = [&](const Explanation &better) {
    if (auto range = sources.GetProvenanceRange(better.source))
      message = parser::Message(*range, "%s"_err_en_US, better.text);
  };
  const parser::Name *callee = CallFinder::calleeOf(*found.call);
  if (const parser::Name *procedure = CallFinder::deviceProcedureOf(*found.call)) {
    if (StringRef(text).contains("' has ATTRIBUTES(DEVICE) but its associated actual argument has no CUDA"))
      return replaceBy({procedure->source,
                        "'" + spellingOf(*procedure, sources) + "' is a device procedure; host code cannot call it"});
    if (!found.statement)
      return;
  }
  if (!callee) {
    const parser::Name *function = found.statement->chevrons ? nullptr : CallFinder::functionOf(*found.call);
    if (function && (StringRef(text).starts_with("No specific subroutine ") ||
                     StringRef(text).starts_with("Cannot call function '")))
      replaceBy({function->source, "'" + spellingOf(*function, sources) +
                                       "' is a function: assign the result, as in 'result = " +
                                       spellingOf(*function, sources) + "(...)'"});
    else if (auto better = function ? std::nullopt : explainChevrons(text, *found.statement->chevrons))
      replaceBy(*better);
    return;
  }
  std::string routine = spellingOf(*callee, sources);
  if (isOfDeviceLibrary(*callee->symbol)) {
    Procedures procedures = isAboutArguments(text) ? proceduresOf(*callee->symbol) : Procedures();
    if (auto better = findWrongRank(*found.call, procedures))
      replaceBy(*better);
    else if (auto better = findWrongNumber(*found.call, procedures))
      replaceBy(*better);
    for (const std::string &usage : usagesOf(routine, procedures))
      message.Attach(callee->source, "usage: %s"_en_US, usage);
    return;
  }
  if (StringRef(text).starts_with("Cannot call function '"))
    return replaceBy(
        {callee->source,
         "the routines of module cudafor are functions: assign the result, as in 'istat = " + routine + "(...)'"});
  const semantics::Symbol *procedure = isAboutArguments(text) ? fullestProcedure(*callee->symbol) : nullptr;
  if (!procedure)
    return;
  const auto &details = procedure->get<semantics::SubprogramDetails>();
  if (StringRef(text).starts_with("No specific "))
    if (auto better = findWrongArgument(*found.call, routine, details))
      replaceBy(*better);
  if (auto place = message.GetProvenanceRange(sources))
    if (auto better = explainType(text, *place, *found.call, details, sources))
      replaceBy(*better);
  message.Attach(callee->source, "usage: %s"_en_US, usageOf(routine, details));
}

} // namespace

void cufort::frontend::explainCallErrors(semantics::SemanticsContext &context, const parser::Program &program) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  CallFinder finder(context, sources);
  parser::Walk(program, finder);
  for (parser::Message &message : context.messages().messages()) {
    auto range = message.IsFatal() ? message.GetProvenanceRange(sources) : std::nullopt;
    if (const FoundCall *call = range ? callAround(finder.found, *range) : nullptr)
      explainCall(message, *call, sources);
  }
}
