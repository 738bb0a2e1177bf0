#include "frontend/Checks/FalseErrorRules.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/KernelLoopBranches.h"
#include "frontend/Checks/StatementVisitor.h"
#include "mlir-dialects/Cufx/IR/RuntimeRoutines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace cufort::frontend;
using llvm::StringRef;

//===-- What stands in the source --------------------------------------------------------------------------------===//

namespace {

/// Finds the statements that Flang's list of what device code may hold lacks although they are ordinary Fortran.
struct OrdinaryStatementFinder : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::WhereStmt &) { return note(); }
  bool Pre(const parser::ForallStmt &) { return note(); }
  bool Pre(const parser::ComputedGotoStmt &) { return note(); }
  bool Pre(const parser::ArithmeticIfStmt &) { return note(); }
  bool Pre(const parser::WhereConstructStmt &) { return note(); }
  bool Pre(const parser::ForallConstructStmt &) { return note(); }
  bool Pre(const parser::AssociateStmt &) { return note(); }
  bool Pre(const parser::SelectTypeStmt &) { return note(); }
  bool Pre(const parser::SelectRankStmt &) { return note(); }

  bool note() {
    found.push_back(source);
    return true;
  }

  std::vector<parser::CharBlock> found;
};

/// True for a variable of a device procedure, and for a dummy argument of one that no host code calls.
bool isOfThread(const semantics::Symbol &symbol) {
  const semantics::Scope *procedure = semantics::FindCUDADeviceContext(&symbol.owner());
  if (!procedure || !semantics::IsDummy(symbol))
    return procedure != nullptr;
  const auto *details = procedure->symbol() ? procedure->symbol()->detailsIf<semantics::SubprogramDetails>() : nullptr;
  return details && details->cudaSubprogramAttrs() == common::CUDASubprogramAttrs::Device;
}

/// Visits statements, and knows of each whether a CUF kernel has it.
struct KernelLoopVisitor : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &kernel) {
    directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t).source.begin();
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) { directive = nullptr; }

  /// True if the kernel that is being visited declares `symbol`. What stands around it is before the directive.
  bool isOfKernel(const semantics::Symbol &symbol) const { return directive && symbol.name().begin() > directive; }

  const char *directive = nullptr; ///< of the CUF kernel that is being visited
};

/// Finds the statements that name components of variables of a thread, or variables of a BLOCK in a CUF kernel.
struct ThreadDataFinder : KernelLoopVisitor {
  using KernelLoopVisitor::Post;
  using KernelLoopVisitor::Pre;

  void Post(const parser::Name &name) {
    if (isOfBlock(name))
      found.emplace_back(source, name.source.ToString());
  }
  void Post(const parser::StructureComponent &component) {
    const parser::Name &variable = parser::GetFirstName(component);
    if (isOfBlock(variable) || (variable.symbol && isOfThread(variable.symbol->GetUltimate())))
      found.emplace_back(source, component.component.source.ToString());
  }

  /// True for a variable of a BLOCK in the kernel.
  bool isOfBlock(const parser::Name &name) const {
    return name.symbol && name.symbol->owner().kind() == semantics::Scope::Kind::BlockConstruct &&
           isOfKernel(*name.symbol);
  }

  std::vector<std::pair<parser::CharBlock, std::string>> found;
};

/// Collects the names of the procedures that are called for a value.
struct CalleeCollector : evaluate::AnyTraverse<CalleeCollector> {
  using Base = evaluate::AnyTraverse<CalleeCollector>;
  using Base::operator();
  CalleeCollector() : Base(*this) {}

  bool operator()(const evaluate::ProcedureDesignator &procedure) const {
    names.insert(procedure.GetName());
    return Base::operator()(procedure);
  }

  mutable std::set<std::string> names;
};

/// Finds the statements of CUF kernels with names of an ASSOCIATE around the kernel, and the functions that it has
/// called for these. Calls in the statement itself are others.
struct FormerCallFinder : KernelLoopVisitor {
  using KernelLoopVisitor::Post;
  using KernelLoopVisitor::Pre;

  void Post(const parser::Name &name) {
    const auto *associated = name.symbol ? name.symbol->detailsIf<semantics::AssocEntityDetails>() : nullptr;
    if (!directive || !associated || !associated->expr() || isOfKernel(*name.symbol))
      return;
    CalleeCollector callees;
    callees(*associated->expr());
    for (const std::string &callee : callees.names)
      found.emplace_back(source, callee);
  }
  void Post(const parser::FunctionReference &reference) {
    if (const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u))
      if (name->symbol)
        calls.emplace_back(source, name->symbol->GetUltimate().name().ToString());
  }
  void Post(const parser::Program &) {
    llvm::erase_if(found, [&](const auto &former) { return llvm::is_contained(calls, former); });
  }

  std::vector<std::pair<parser::CharBlock, std::string>> found, calls;
};

/// Finds the statements that name components with descriptors of what kernels get from the host, or of device data of
/// modules. In CUF kernels the error is right.
struct DeviceComponentFinder : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }
  void Post(const parser::StructureComponent &component) {
    const parser::Name &variable = parser::GetFirstName(component), &name = component.component;
    if (variable.symbol && isOfDevice(*variable.symbol) && name.symbol &&
        semantics::IsAllocatableOrPointer(*name.symbol))
      found.emplace_back(source, name.ToString());
  }

  std::vector<std::pair<parser::CharBlock, std::string>> found;
};

/// The variable that a message says device code cannot change, since it belongs to the host; empty if none.
std::string hostVariable(const parser::Message &message) {
  for (auto reason = message.attachment(); reason; reason = reason->attachment()) {
    std::string text = reason->ToString();
    if (StringRef(text).ends_with("is a host variable and is not definable in a device subprogram"))
      return StringRef(text).split('\'').second.split('\'').first.str();
  }
  return "";
}

/// The pointer, or what it is a component of, that a message says device code may not associate; empty if none.
std::string unassociablePointer(const parser::Message &message) {
  for (auto reason = message.attachment(); reason; reason = reason->attachment()) {
    std::string text = reason->ToString();
    if (StringRef(text).ends_with("is a pointer and may not be associated in a device subprogram"))
      return StringRef(text).split('\'').second.split('\'').first.str();
  }
  return "";
}

/// Finds the actual arguments that begin with the name of something wanted.
struct LeadingNameFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  virtual bool isWanted(const semantics::Symbol &symbol) const = 0;

  bool Pre(const parser::ActualArg &) {
    isFirst = true;
    return true;
  }
  void Post(const parser::Name &name) {
    if (isFirst && name.symbol && isWanted(*name.symbol))
      found.push_back(name.source);
    isFirst = false;
  }

  bool isFirst = false;
  std::vector<parser::CharBlock> found;

protected:
  ~LeadingNameFinder() = default;
};

/// A variable with the attribute `attribute`.
template <common::CUDADataAttr attribute>
struct ArgumentFinder final : LeadingNameFinder {
  bool isWanted(const semantics::Symbol &symbol) const override {
    return dataAttribute(symbol.GetUltimate()) == attribute;
  }
};

/// Finds all statements.
struct StatementFinder : StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  template <typename Statement>
  bool Pre(const parser::Statement<Statement> &statement) {
    found.push_back(statement.source);
    return false;
  }

  std::vector<parser::CharBlock> found;
};

/// Finds the declarations of variables in COMMON that statements, or expressions in declarations, name.
struct UsedCommonFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::ExecutionPart &) { return enter(); }
  void Post(const parser::ExecutionPart &) { --depth; }
  bool Pre(const parser::Expr &) { return enter(); }
  void Post(const parser::Expr &) { --depth; }
  bool Pre(const parser::EquivalenceStmt &) { return enter(); }
  void Post(const parser::EquivalenceStmt &) { --depth; }
  void Post(const parser::Name &name) {
    if (depth > 0 && name.symbol && name.symbol->test(semantics::Symbol::Flag::InCommonBlock))
      found.push_back(name.symbol->name());
  }

  bool enter() {
    ++depth;
    return true;
  }

  int depth = 0; ///< of what has been entered
  std::vector<parser::CharBlock> found;
};

bool isSharedOfAssumedSize(const semantics::Symbol &symbol) {
  const auto *object = symbol.detailsIf<semantics::ObjectEntityDetails>();
  return object && object->cudaDataAttr() == common::CUDADataAttr::Shared && object->shape().CanBeAssumedSize();
}

bool isManagedPointer(const semantics::Symbol &symbol) {
  const auto *object = symbol.detailsIf<semantics::ObjectEntityDetails>();
  return object && object->cudaDataAttr() == common::CUDADataAttr::Managed && semantics::IsPointer(symbol);
}

/// True for functions that give arguments to the operating system, or change them.
bool isServiceFunction(StringRef intrinsic) {
  return llvm::is_contained({"chdir", "dtime", "etime", "fseek", "ftell", "getcwd", "hostnm", "irand", "isatty",
                             "putenv", "rand", "rename", "secnds", "system", "unlink"},
                            intrinsic);
}

/// The intrinsic that a message says host code calls.
StringRef hostIntrinsic(StringRef text) { return text.split(" host intrinsic ").second.split(' ').first; }

/// True if a symbol of `scope`, or of a scope in it, is what `isMeant` says.
template <typename Predicate>
bool anySymbol(const semantics::Scope &scope, Predicate isMeant) {
  for (const auto &[name, symbol] : scope)
    if (isMeant(*symbol))
      return true;
  return llvm::any_of(scope.children(), [&](const auto &child) { return anySymbol(child, isMeant); });
}

bool isPinned(const semantics::Symbol &symbol) {
  const auto *object = symbol.GetUltimate().detailsIf<semantics::ObjectEntityDetails>();
  return object && object->cudaDataAttr() == common::CUDADataAttr::Pinned;
}

/// True for what -gpu=mem:managed may have put into managed memory: dummies get it from their callers.
bool mayBeAllocated(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  return ultimate.has<semantics::ObjectEntityDetails>() &&
         (semantics::IsAllocatableOrPointer(ultimate) || semantics::IsDummy(ultimate));
}

bool isStatementFunction(const semantics::Symbol &symbol) {
  const auto *subprogram = symbol.detailsIf<semantics::SubprogramDetails>();
  return subprogram && subprogram->stmtFunction();
}

/// True for what another scope has and this one names, at the place of the declaration.
bool isOfOtherScope(const semantics::Symbol &symbol) {
  return symbol.has<semantics::UseDetails>() || symbol.has<semantics::HostAssocDetails>();
}

bool isLocalOfDeviceProcedure(const semantics::Symbol &symbol) {
  return semantics::FindCUDADeviceContext(&symbol.owner()) && !semantics::IsDummy(symbol) && !isOfOtherScope(symbol);
}

bool isInBlockOfMainProgram(const semantics::Symbol &symbol) {
  if (isOfOtherScope(symbol))
    return false;
  const semantics::Scope *scope = &symbol.owner();
  while (scope->kind() == semantics::Scope::Kind::BlockConstruct)
    scope = &scope->parent();
  return scope->kind() == semantics::Scope::Kind::MainProgram;
}

bool isArrayByValue(const semantics::Symbol &symbol) {
  return semantics::FindCUDADeviceContext(&symbol.owner()) && symbol.attrs().test(semantics::Attr::VALUE) &&
         symbol.Rank() > 0;
}

/// True for a kernel, and for a routine of module cudafor.
bool isKernelOrWait(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  const auto *subprogram = ultimate.detailsIf<semantics::SubprogramDetails>();
  auto attributes = subprogram ? subprogram->cudaSubprogramAttrs() : std::nullopt;
  if (attributes == common::CUDASubprogramAttrs::Global || attributes == common::CUDASubprogramAttrs::Grid_Global)
    return true;
  auto module = ultimate.owner().GetName();
  return subprogram && module && (*module == "cudafor" || module->ToString().find("cufort_cudafor") == 0);
}

bool isRoutineOfBothSides(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  const std::string *label = isOfCudafor(ultimate) ? ultimate.GetBindName() : nullptr;
  return label && cufort::cufx::isRuntimeRoutineOfDevice(*label);
}

bool isForDeviceCode(const semantics::Symbol &symbol) {
  return isStatementFunction(symbol) || isRoutineOfBothSides(symbol);
}

/// True if `message` says that something must not be defined because the procedure is PURE.
bool definesInPure(const parser::Message &message) {
  for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment())
    if (attachment->ToString().find("' may not be defined in pure subprogram '") != std::string::npos)
      return true;
  return false;
}

bool isInterfaceBody(const semantics::Symbol &symbol) {
  const auto *subprogram = symbol.detailsIf<semantics::SubprogramDetails>();
  return subprogram && subprogram->isInterface();
}

} // namespace

std::optional<FalseErrorRules::Place> FalseErrorRules::placeOf(parser::CharBlock source) const {
  auto range = context.allCookedSources().GetProvenanceRange(source);
  return range ? std::make_optional(range->start().offset()) : std::nullopt;
}

bool FalseErrorRules::isAtOneOf(const parser::Message &message, const Places &places) const {
  auto range = message.GetProvenanceRange(context.allCookedSources());
  return range && places.count(range->start().offset());
}

bool FalseErrorRules::names(const parser::Message &message, bool (*hasProperty)(const semantics::Symbol &)) const {
  return anySymbol(context.globalScope(), [&](const semantics::Symbol &symbol) {
    if (!hasProperty(symbol))
      return false;
    auto place = placeOf(symbol.name());
    return place && isAtOneOf(message, {*place});
  });
}

bool FalseErrorRules::quotes(const parser::Message &message, bool (*hasProperty)(const semantics::Symbol &)) const {
  std::string text = message.ToString();
  StringRef name = StringRef(text).split('\'').second.split('\'').first;
  return anySymbol(context.globalScope(), [&](const semantics::Symbol &symbol) {
    return symbol.name().ToString() == name && hasProperty(symbol);
  });
}

const FalseErrorRules::Places &
FalseErrorRules::remember(std::optional<Places> &memory,
                          const std::function<std::vector<parser::CharBlock>()> &find) const {
  if (!memory) {
    memory.emplace();
    for (parser::CharBlock source : find())
      if (auto place = placeOf(source))
        memory->insert(*place);
  }
  return *memory;
}

//===-- Rules ----------------------------------------------------------------------------------------------------===//

/// A message is false if its text has these parts, and if the condition holds.
struct FalseErrorRules::Rule {
  StringRef begin;
  StringRef middle;
  StringRef end;
  bool (*condition)(FalseErrorRules &, const parser::Message &);

  bool fits(StringRef text) const { return text.starts_with(begin) && text.contains(middle) && text.ends_with(end); }
};

/// True if `message` stands in `source`. What begins in a macro, and ends behind it, is one piece only of the source
/// that macros have been expanded in.
static bool standsIn(const parser::Message &message, parser::CharBlock source) {
  auto at = [](const char *place) { return parser::Message(parser::CharBlock(place, 1), parser::MessageFixedText()); };
  return !message.SortBefore(at(source.begin())) && message.SortBefore(at(source.end()));
}

bool FalseErrorRules::isInDeviceCalculation(const parser::Message &message) const {
  if (!deviceCalculations) {
    deviceCalculations = findDeviceCalculations(program);
    for (parser::CharBlock source : findIn<StatementFinder>(program))
      // What Flang makes of the end of a loop with a label is nowhere in the source.
      if (!source.empty() && hasArrayFunctionsIn(context.FindScope(source)))
        deviceCalculations->push_back(source);
  }
  return llvm::any_of(*deviceCalculations, [&](parser::CharBlock source) { return standsIn(message, source); });
}

bool FalseErrorRules::isAbout(const parser::Message &message, const NamesInStatements &names) const {
  std::string text = message.ToString();
  StringRef name = StringRef(text).split('\'').second.split('\'').first;
  auto place = message.GetProvenanceRange(context.allCookedSources());
  return place && llvm::any_of(names, [&](const auto &data) {
           auto statement = context.allCookedSources().GetProvenanceRange(data.first);
           return data.second == name && statement && statement->Contains(place->start());
         });
}

bool FalseErrorRules::isDataOfThread(FalseErrorRules &self, const parser::Message &message) {
  if (!self.threadData)
    self.threadData = findIn<ThreadDataFinder>(self.program);
  return self.isAbout(message, *self.threadData);
}

bool FalseErrorRules::isComponentOnDevice(FalseErrorRules &self, const parser::Message &message) {
  if (!self.deviceComponents)
    self.deviceComponents = findIn<DeviceComponentFinder>(self.program);
  return self.isAbout(message, *self.deviceComponents);
}

bool FalseErrorRules::isCalledBefore(FalseErrorRules &self, const parser::Message &message) {
  if (!self.formerCalls)
    self.formerCalls = findIn<FormerCallFinder>(self.program);
  return self.isAbout(message, *self.formerCalls);
}

bool FalseErrorRules::isPointerOfThread(FalseErrorRules &self, const parser::Message &message) {
  std::string name = unassociablePointer(message);
  return !name.empty() && anySymbol(self.context.globalScope(), [&](const semantics::Symbol &symbol) {
    return symbol.name().ToString() == name && isOfThread(symbol);
  });
}

bool FalseErrorRules::isFalse(const parser::Message &message) {
  static const Rule rules[] = {
      // CYCLE, EXIT and GOTO are as good in the body of a CUF kernel as in other loops.
      {"Statement may not appear in cuf kernel code", "", "",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.isAtOneOf(message, self.remember(self.branches, [&] {
           return findBranchesWithinIterations(self.context, self.program);
         }));
       }},
      {"Statement may not appear in device code", "", "",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.isAtOneOf(message, self.remember(self.ordinaryStatements,
                                                      [&] { return findIn<OrdinaryStatementFinder>(self.program); }));
       }},
      // A section with gaps reaches a device dummy of assumed shape as its descriptor says.
      {"actual argument associated with assumed shape/rank device dummy argument ", "",
       "contiguous on its first dimension", [](FalseErrorRules &, const parser::Message &) { return true; }},
      // A component is where the whole variable is.
      {"dummy argument ", "", " has ATTRIBUTES(SHARED) but its associated actual argument has ATTRIBUTES(DEVICE)",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.isAtOneOf(message, self.remember(self.sharedArguments, [&] {
           return findIn<ArgumentFinder<common::CUDADataAttr::Shared>>(self.program);
         }));
       }},
      {"dummy argument ", "", " has ATTRIBUTES(CONSTANT) but its associated actual argument has ATTRIBUTES(DEVICE)",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.isAtOneOf(message, self.remember(self.constantArguments, [&] {
           return findIn<ArgumentFinder<common::CUDADataAttr::Constant>>(self.program);
         }));
       }},
      {"More than one reference to a CUDA object on the right hand side of the assignment", "", "",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.isAtOneOf(message, self.remember(self.assignmentsWithOneCopy,
                                                      [&] { return findAssignmentsWithOneCopy(self.program); }));
       }},
      // The address of a device component is taken on the host, before the kernel starts.
      {"Host array '", "", "' cannot be present in device context",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.quotes(message, semantics::HasCUDAComponent);
       }},
      // Its own variables a thread has, and what their components hold it has allocated or found on the device.
      {"Host array '", "", "' cannot be present in device context", isDataOfThread},
      // The descriptor is there; CheckHostComponents.cpp warns of the memory that it may lead to.
      {"Host array '", "", "' cannot be present in device context", isComponentOnDevice},
      // CheckDeclarations.cpp says what is wrong with it.
      {"Host array '", "", "' cannot be present in device context",
       [](FalseErrorRules &self, const parser::Message &message) { return self.quotes(message, isArrayByValue); }},
      {"The left-hand side of a pointer assignment is not definable", "", "", isPointerOfThread},
      {"'", "", "' may not appear in NULLIFY", isPointerOfThread},
      {"Actual argument associated with INTENT(", "", "' is not definable", isPointerOfThread},
      // The device reaches it, with -gpu=mem:.
      {"Host array '", "", "' cannot be present in device context",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.context.IsEnabled(common::LanguageFeature::CudaUnified) ||
                (self.context.IsEnabled(common::LanguageFeature::CudaManaged) && self.quotes(message, mayBeAllocated));
       }},
      {"", "", " is not definable",
       [](FalseErrorRules &self, const parser::Message &message) {
         std::string name = hostVariable(message);
         if (name.empty() || self.context.IsEnabled(common::LanguageFeature::CudaUnified))
           return !name.empty();
         return self.context.IsEnabled(common::LanguageFeature::CudaManaged) &&
                anySymbol(self.context.globalScope(), [&](const semantics::Symbol &symbol) {
                  return symbol.name().ToString() == name && mayBeAllocated(symbol);
                });
       }},
      // The compiler gives these intrinsics what they need of the device.
      {"Actual argument ", " associated with host intrinsic ", " is on the device",
       [](FalseErrorRules &self, const parser::Message &message) {
         std::string text = message.ToString();
         StringRef intrinsic = hostIntrinsic(text);
         bool dependsOnPlace = isArrayFunction(intrinsic) || intrinsic == "move_alloc";
         auto isScalar = [&] {
           auto find = [&] { return findDeviceScalars(self.program); };
           return !isServiceFunction(intrinsic) && self.isAtOneOf(message, self.remember(self.deviceScalars, find));
         };
         return isReduction(intrinsic) || (dependsOnPlace && self.isInDeviceCalculation(message)) || isScalar();
       }},
      // Other compilers take PURE host procedures that start kernels, whose own PURE has no effect, and wait for them.
      {"Procedure '", "' referenced in pure subprogram '", "' must be pure too",
       [](FalseErrorRules &self, const parser::Message &message) { return self.quotes(message, isKernelOrWait); }},
      // Threads have a stack.
      {"Device subprogram '", "", "' cannot call itself",
       [](FalseErrorRules &, const parser::Message &) { return true; }},
      // Dynamic shared memory may have any rank; only its last extent is open.
      {"Array '", "", "' without ALLOCATABLE or POINTER attribute must have explicit shape",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isSharedOfAssumedSize);
       }},
      {"Object '", "",
       "' with ATTRIBUTES(MANAGED) must also be allocatable, automatic, explicit shape, or a dummy argument",
       [](FalseErrorRules &self, const parser::Message &message) { return self.names(message, isManagedPointer); }},
      {"'", "", "' may not be called in device code",
       [](FalseErrorRules &self, const parser::Message &message) { return self.quotes(message, isForDeviceCode); }},
      // The host has called it when it came to the ASSOCIATE.
      {"'", "", "' may not be called in device code", isCalledBefore},
      // The interface of an external procedure is no internal procedure.
      {"'", "' may not be an internal procedure of CUDA device subprogram '", "'",
       [](FalseErrorRules &self, const parser::Message &message) { return self.names(message, isInterfaceBody); }},
      // Local variables of device code are not in device memory, whatever attribute they got.
      {"Object '", "", "' with ATTRIBUTES(DEVICE) may not be in an equivalence group",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isLocalOfDeviceProcedure);
       }},
      // Files that are included for their named constants may bring variables of the host.
      {"Object '", "", "' with ATTRIBUTES(DEVICE) may not be in COMMON",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isLocalOfDeviceProcedure) &&
                !self.isAtOneOf(message, self.remember(self.usedCommonVariables,
                                                       [&] { return findIn<UsedCommonFinder>(self.program); }));
       }},
      // A BLOCK construct of a kernel has shared variables, too.
      {"Object '", "", "' with ATTRIBUTES(SHARED) must be declared in a device subprogram",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isLocalOfDeviceProcedure);
       }},
      // A main program itself may have unified data.
      {"Object '", "", "' with ATTRIBUTES(UNIFIED) must be declared in a host subprogram",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isInBlockOfMainProgram);
       }},
      // An error, which CheckDeclarations.cpp reports; with -Msave it would be said of every variable.
      {"'", "", "' should not have the SAVE attribute or initialization in a device subprogram",
       [](FalseErrorRules &, const parser::Message &) { return true; }},
      // An error of device code, which CheckDeclarations.cpp reports.
      {"Saved object '", "", "' in host code may not have ATTRIBUTES(DEVICE) unless allocatable",
       [](FalseErrorRules &self, const parser::Message &message) {
         return self.names(message, isLocalOfDeviceProcedure);
       }},
      // Device procedures may have constant dummies, as they may have shared ones.
      {"Dummy argument '", "", "' may not have ATTRIBUTES(CONSTANT) in a device subprogram",
       [](FalseErrorRules &, const parser::Message &) { return true; }},
      // The constant data itself belongs to a module.
      {"Object '", "", "' with ATTRIBUTES(CONSTANT) may not be declared in a host subprogram",
       [](FalseErrorRules &self, const parser::Message &message) { return self.names(message, semantics::IsDummy); }},
      // The memory is that of the actual argument.
      {"Object '", "", "' with ATTRIBUTES(PINNED) should also be allocatable",
       [](FalseErrorRules &self, const parser::Message &message) { return self.names(message, semantics::IsDummy); }},
      // Pinned data is data of the host.
      {"Actual argument '", "", "' with CUDA data attributes should be passed via an explicit interface",
       [](FalseErrorRules &self, const parser::Message &message) { return self.quotes(message, isPinned); }},
  };
  std::string text = message.ToString();
  for (const Rule &rule : rules)
    if (rule.fits(text) && rule.condition(*this, message))
      return true;
  return false;
}

bool FalseErrorRules::isTolerable(const parser::Message &message) {
  std::string text = message.ToString();
  // It has an address all the same.
  if (text == "C_LOC() argument must be a data pointer or target")
    return true;
  // If the format is used, the runtime says so.
  if (text == "Unexpected '*' in format expression")
    return true;
  // Nothing is made of PURE that this would spoil.
  if (definesInPure(message))
    return true;
  // The array begins at the element, as long as the elements lie side by side.
  return StringRef(text).starts_with("Element of ") && StringRef(text).contains(" may not be associated with a ");
}
