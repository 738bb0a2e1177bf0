#include "frontend/Diagnostics/MessageTexts.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace cufort::frontend;

namespace {

constexpr llvm::StringLiteral moduleFailures[] = {"Cannot parse module file for module '",
                                                  "Cannot read module file for module '",
                                                  "Cannot use module file for module '"};

/// Modules that programs for NVIDIA's compiler use and that cufort does not have (docs/limitations.md), and what links
/// the library of each.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> missingModules[] = {
    {"cublas", "-cudalib=cublas"},         {"cublas_v2", "-cudalib=cublas"},  {"cublaslt", "-cudalib=cublaslt"},
    {"cublasxt", "-cudalib=cublas"},       {"cudafft", "-cudalib=cufft"},     {"cufft", "-cudalib=cufft"},
    {"cufftxt", "-cudalib=cufft"},         {"curand", "-cudalib=curand"},     {"cusolverdn", "-cudalib=cusolver"},
    {"cusolvermp", "-cudalib=cusolvermp"}, {"cusparse", "-cudalib=cusparse"}, {"cutensor", "-cudalib=cutensor"},
    {"cutensor_v2", "-cudalib=cutensor"},  {"nccl", "-cudalib=nccl"},         {"nvml", "-lnvidia-ml"},
    {"nvshmem", "-cudalib=nvshmem"},       {"nvtx", "-cudalib=nvtx"}};

/// `text` is "Cannot … module file for module 'NAME': REASON".
std::string moduleFailure(llvm::StringRef text) {
  auto [name, reason] = text.split('\'').second.split('\'');
  for (auto [module, option] : missingModules)
    if (name == module)
      return "cufort has no module '" + name.str() +
             "' yet; declare the functions that you call in interfaces with BIND(C), and link with " + option.str();
  if (reason.contains("was not found"))
    return "no module '" + name.str() + "': there is no file '" + name.str() +
           ".mod' here or in the folders of -I; compile the source of the module first";
  if (reason.contains("is not the right module file"))
    return "this module was compiled with another version of module '" + name.str() + "'; compile its source again";
  if (text.starts_with(moduleFailures[0]) || reason.contains("File has invalid checksum"))
    return "the module file of '" + name.str() +
           "' was not written by cufort, or is damaged; compile the source of the module with cufort";
  return text.str();
}

constexpr llvm::StringLiteral predefinedVariables[] = {"threadidx", "blockidx", "blockdim", "griddim"};

/// True if `text` says that Flang does not know the variable that it names, one that device code has.
bool isPredefinedInHostCode(llvm::StringRef text) {
  if (text.consume_front("No explicit type declared for '"))
    return llvm::is_contained(predefinedVariables, text.split('\'').first);
  text.consume_front("'");
  auto [name, rest] = text.split('\'');
  return llvm::is_contained(predefinedVariables, name) && rest.contains("it is implicitly typed");
}

/// Text for a submatrix that module wmma does not have, or a source that does not use wmma; empty if `text` is not
/// about one. The macros of cuf_macros.CUF paste the names of the types.
std::string unknownSubmatrix(llvm::StringRef text) {
  if (!text.consume_front("Derived type '") || !text.consume_back("' not found"))
    return "";
  if (text.starts_with("submatrix"))
    return "there is no type '" + text.str() +
           "' here: WMMASubMatrix needs 'use wmma', and the extents 16, 16, 16 or 32, 8, 16 or 8, 32, 16 for real(2), "
           "or 8, 8, 4 for real(8)";
  if (text.starts_with("cuf_wmma"))
    return "WMMASubMatrix needs WMMAMatrixA or WMMAMatrixB with WMMAColMajor or WMMARowMajor, or WMMAMatrixC with "
           "WMMAKind2, WMMAKind4 or WMMAKind8";
  return "";
}

/// What to do about `text`, if it names a type that module cutensorex gives to what its functions have computed; else
/// an empty string.
std::string computedValues(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("cutensorex_(array|vector|values)([123]?)_([ir])([48])").match(text, &parts))
    return "";
  if (!text.starts_with("No intrinsic or user-defined ASSIGNMENT(=) matches rank "))
    return "what a function of module cutensorex makes of device arrays stands alone on the right side of an "
           "assignment to a device array; assign it first";
  return "this function makes an array of rank " + (parts[2].empty() ? "1" : parts[2].str()) + " and type " +
         (parts[3] == "i" ? "INTEGER(" : "REAL(") + parts[4].str() + "): assign it to a device array of these";
}

/// Messages that say what is not possible, but not what is.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> replacedTexts[] = {
    {"Kernel launch parameters in chevrons may not be used unless calling a kernel subroutine",
     "only kernels, which have ATTRIBUTES(GLOBAL), are called with <<<...>>>, and no kernel of this name is known "
     "here"},
    {"device data not allowed in I/O statements",
     "host code cannot print or read device data; copy it to a host variable, and use that"},
    {"More than one reference to a CUDA object on the right hand side of the assignment",
     "host code can calculate with one device array at a time; assign the result to a device array, or copy the "
     "others to the host first"},
    // Kernels that are PURE have become ordinary ones with a warning.
    {"A kernel subprogram may not be RECURSIVE, PURE, or ELEMENTAL",
     "A kernel subprogram may not be RECURSIVE or ELEMENTAL"}};

/// `text` is "Actual argument NAME associated with host intrinsic NAME is on the device".
std::string intrinsicOfDeviceData(llvm::StringRef text) {
  auto [argument, rest] = text.split(" associated with host intrinsic ");
  llvm::StringRef intrinsic = rest.split(' ').first;
  if (intrinsic == "move_alloc")
    return "move_alloc moves memory of the device ('" + argument.rsplit(' ').second.str() +
           "') to device variables only: give both arguments the same attribute, or assign one to the other";
  bool isOfModule = intrinsic == "pack" || intrinsic == "unpack" || intrinsic == "random_number";
  std::string instead = isArrayFunction(intrinsic) ? "assign the result to a device array"
                        : isOfModule               ? "use that of module cutensorex, or a kernel"
                                                   : "use a kernel";
  return "host code cannot apply '" + intrinsic.str() + "' to device data ('" + argument.rsplit(' ').second.str() +
         "'); " + instead + ", or copy the data to the host first";
}

llvm::StringRef textAt(const MessagePlace &place) {
  return llvm::StringRef(place.line).substr(place.column, place.length).trim();
}

/// True for what is certainly no variable or part of one, but has a value that the host computes.
bool isCalculation(llvm::StringRef expression) {
  std::string function = expression.take_until([](char c) { return c == '('; }).rtrim().lower();
  if (expression.ends_with(")") && (isReduction(function) || isArrayFunction(function)))
    return true;
  int depth = 0;
  return llvm::any_of(expression,
                      [&](char c) {
                        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                        return depth == 0 && llvm::StringRef("+-*/").contains(c);
                      }) ||
         expression.starts_with("(");
}

/// Text for host data as the argument `expression` of a procedure that takes device data; empty if `text` is not about
/// one.
std::string hostArgument(llvm::StringRef text, llvm::StringRef expression) {
  if (!text.consume_front("dummy argument '") ||
      !text.consume_back("=' has ATTRIBUTES(DEVICE) but its associated actual argument has no CUDA data attribute"))
    return "";
  std::string advice = isCalculation(expression)
                           ? "the host computes this expression: assign it to a device array and pass that"
                           : "it needs the device or managed attribute, or a scalar dummy argument VALUE";
  return "the dummy argument '" + text.str() + "' is device data, and this argument is in the memory of the host; " +
         advice;
}

/// Text for an argument of a procedure that takes shared or constant data and gets neither; empty if `text` is not
/// about one. In device code Flang says ATTRIBUTES(DEVICE) of data that has no attribute, too.
std::string otherDeviceArgument(llvm::StringRef text) {
  if (!text.consume_front("dummy argument '") ||
      !text.consume_back(" but its associated actual argument has ATTRIBUTES(DEVICE)"))
    return "";
  auto [dummy, attribute] = text.split("=' has ATTRIBUTES(");
  bool isShared = attribute == "SHARED)";
  if (!isShared && attribute != "CONSTANT)")
    return "";
  return "the dummy argument '" + dummy.str() + "' takes " + (isShared ? "shared" : "constant") +
         " data only, which this argument is not: " +
         (isShared ? "pass a shared variable, or leave the attribute of the dummy argument out"
                   : "give the dummy argument the attribute of what is passed");
}

/// True for what Flang says of an array that has brackets behind its name.
bool isAboutBrackets(llvm::StringRef text, const MessagePlace &place) {
  if (text == "Subscripts must appear in a coindexed reference when its base is an array")
    return true;
  llvm::StringRef behind = llvm::StringRef(place.line).substr(place.column + place.length).ltrim();
  return text.starts_with("Whole assumed-size array '") && behind.starts_with("[");
}

/// The number of the item at `place` in the chevrons of a launch, from 0; empty if it stands elsewhere in its line.
std::optional<unsigned> itemOfLaunch(const MessagePlace &place) {
  llvm::StringRef before = llvm::StringRef(place.line).take_front(place.column);
  size_t open = before.rfind("<<<");
  if (open == llvm::StringRef::npos || before.drop_front(open).contains(">>>"))
    return std::nullopt;
  int depth = 0;
  unsigned commas = 0;
  for (char c : before.drop_front(open)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    commas += c == ',' && depth == 0;
  }
  return depth == 0 ? std::make_optional(commas) : std::nullopt;
}

/// True if `place` is the fourth item in chevrons, or that with the keyword STREAM.
bool isStreamOfLaunch(const MessagePlace &place) {
  auto item = itemOfLaunch(place);
  llvm::StringRef keyword = llvm::StringRef(place.line).take_front(place.column).rtrim();
  return item && (*item == 3 || (keyword.consume_back("=") && keyword.rtrim().ends_with_insensitive("stream")));
}

constexpr llvm::StringLiteral characterAsBits = "passing Hollerith or character literal as if it were BOZ";
constexpr llvm::StringLiteral notCallable = "' may not be called in device code";
constexpr llvm::StringLiteral notPresent = "' cannot be present in device context";

/// Flang calls the procedures that a module has from others "module$name", or "module$module$name".
llvm::StringRef withoutModule(llvm::StringRef name) { return name.substr(name.rfind('$') + 1); }

/// True if `name` has the letters of `part`, in their order.
bool hasLettersOf(llvm::StringRef name, llvm::StringRef part) {
  for (char letter : part) {
    size_t at = name.find(letter);
    if (at == llvm::StringRef::npos)
      return false;
    name = name.drop_front(at + 1);
  }
  return true;
}

/// `name` may not be called at `place`, in device code.
std::string notCallableText(llvm::StringRef name, const MessagePlace &place) {
  llvm::StringRef next = llvm::StringRef(place.line).drop_front(place.column + place.length).ltrim();
  if (next.starts_with("=>"))
    return "the procedure pointer '" + name.str() +
           "' cannot be associated in device code: its interface is that of a procedure of the host; give the "
           "interface the device attribute";
  if (next.starts_with("<<<"))
    return "device code cannot launch kernels; launch '" + name.str() +
           "' from host code, or make a device procedure of it and call that";
  name = withoutModule(name);
  std::string routine = name.starts_with("cuda") ? name.str() : cufort::frontend::genericRoutine(name, textAt(place));
  if (!routine.empty())
    return "'" + routine + notCallable.str() +
           "; the CUDA runtime belongs to host code: call it there, before or after the kernel";
  return "'" + name.str() + notCallable.str() + ": it is a procedure of the host; give it the device attribute";
}

/// The statement at `place` may not stand in device code.
std::string statementOfHost(const MessagePlace &place) {
  std::string statement = textAt(place).upper();
  llvm::StringRef words = llvm::StringRef(statement).take_while([](char c) { return llvm::isAlpha(c) || c == ' '; });
  if (words.starts_with("RETURN"))
    return "an alternate return is not possible in device code";
  if (words.empty())
    return "CUF kernels stand in host code; device code cannot launch kernels";
  // GOTO to a label, and to one of several by number, may.
  if (words.starts_with("GOTO") || words.starts_with("GO "))
    return "an assigned GOTO is not possible in device code: use SELECT CASE, or a computed GOTO";
  bool isOfTwoWords = llvm::is_contained({"SELECT", "SYNC"}, words.split(' ').first);
  std::string name = isOfTwoWords ? words.rtrim().str() : words.split(' ').first.str();
  return name + " is not possible in device code";
}

/// True if `place` is in a declaration of shared variables.
bool isSharedDeclaration(const MessagePlace &place) {
  llvm::StringRef attributes = llvm::StringRef(place.line).take_front(place.line.find("::"));
  return attributes.size() < place.line.size() && attributes.split(',').second.contains_insensitive("shared");
}

/// The branch at `place` may not stand in a CUF kernel.
std::string branchOutOfIteration(const MessagePlace &place) {
  std::string statement = textAt(place).upper();
  llvm::StringRef word = llvm::StringRef(statement).take_while(llvm::isAlpha);
  std::string name = word == "GO" ? "GOTO" : word.str();
  return name + " would leave an iteration of this CUF kernel: each one has a thread of its own, and they run in any "
                "order";
}

/// Text for a directive of CUF kernels that wants `count` loops and does not have them.
std::string loopsOfDirective(llvm::StringRef count) {
  if (count == "1")
    return "this directive must be followed by a loop DO VARIABLE = first, last [, step]";
  return "this directive must be followed by " + count.str() +
         " loops DO VARIABLE = first, last [, step], each one the whole body of that around it, with bounds that "
         "do not change";
}

/// True if `text` says that a logical value cannot be assigned to a real or complex variable.
bool isLogicalToNumber(llvm::StringRef text) {
  auto [variable, value] = text.split(" and ");
  return text.starts_with("No intrinsic or user-defined ASSIGNMENT(=) matches ") &&
         (variable.contains(" REAL(") || variable.contains(" COMPLEX(")) && value.contains("LOGICAL(");
}

/// What to do about an error, where `text` only says what is wrong.
llvm::StringRef adviceFor(llvm::StringRef text, const MessagePlace &place) {
  if (text.ends_with(" and must be called with kernel launch parameters in chevrons"))
    return ": host code writes CALL NAME<<<grid, block>>>(arguments), and device code cannot launch kernels";
  if (text.starts_with("Must be a scalar value, but is a rank-") && itemOfLaunch(place).value_or(2) < 2)
    return "; the grid and the block of a launch are integers, or of TYPE(dim3): dim3(x, y, z)";
  if (text.starts_with("dummy argument '") &&
      text.ends_with("has no CUDA data attribute but its associated actual argument has ATTRIBUTES(DEVICE)"))
    return "; copy it to a host variable first, or give the dummy argument the device attribute";
  if (text.starts_with("dummy argument '") &&
      text.ends_with("has no CUDA data attribute but its associated actual argument has ATTRIBUTES(CONSTANT)"))
    return "; copy it to a host variable first, or give the dummy argument the constant attribute";
  if (text.starts_with("dummy argument '") &&
      text.contains("' has ATTRIBUTES(CONSTANT) but its associated actual argument has "))
    return "; it takes constant data only: give the dummy argument the attribute of what is passed";
  if (text.starts_with("Object '") && text.ends_with("' with ATTRIBUTES(PINNED) should also be allocatable"))
    return "; otherwise the attribute has no effect";
  if (isSharedDeclaration(place) && text.starts_with("Invalid specification expression: reference to local entity"))
    return "; the extents of shared arrays are constants, arguments with VALUE, or (*) with the bytes in the launch";
  if (isSharedDeclaration(place) && text.ends_with("without ALLOCATABLE or POINTER attribute must have explicit shape"))
    return "; write (*) and give the bytes in the launch";
  if (isLogicalToNumber(text))
    return "; other compilers make 1 or -1 of .TRUE.: write merge(1, 0, condition)";
  if (text.ends_with(notPresent))
    return "; copy it to a device array, or give it the device, managed or constant attribute";
  if (!text.starts_with("Derived type '") && (text.contains("__builtin_dim3") || text.contains("__BUILTIN_DIM3")))
    return "; dim3 has the components x, y and z: write %x for the first";
  return "";
}

std::string replaceAll(std::string text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

/// The generic name of the procedure that `text` begins with, of which Flang knows one for each kind: name_l4.
std::string withoutKinds(llvm::StringRef text) {
  llvm::StringRef name = text.split('\'').first;
  llvm::StringRef kinds = name.rsplit('_').second;
  bool isKind = kinds.size() == 2 && llvm::isDigit(kinds[1]);
  return (isKind ? name.drop_back(kinds.size() + 1) : name).str();
}

/// Flang calls what a module has from another module `module$other$name`.
std::string withoutModules(std::string text) {
  for (size_t dollar; (dollar = text.find('$')) != std::string::npos;) {
    size_t quote = text.rfind('\'', dollar);
    if (quote == std::string::npos)
      break;
    text.erase(quote + 1, dollar - quote);
  }
  return text;
}

/// Device procedures of our modules have labels made of a prefix, the name, and for some the type of the arguments.
std::string withoutLabels(std::string text) {
  const std::string prefix = "'__cufx_";
  for (size_t at; (at = text.find(prefix)) != std::string::npos;) {
    llvm::StringRef label = llvm::StringRef(text).substr(at + prefix.size()).split('\'').first;
    size_t length = prefix.size() - 1 + label.size();
    text.replace(at + 1, length, withoutKinds(label));
  }
  return text;
}

constexpr llvm::StringLiteral ofHostAround =
    "' is a host-associated allocatable and is not definable in a device subprogram";

/// Text for the declaration of a predefined variable in device code; empty if `text` is not about one.
std::string predefinedDeclaredAgain(llvm::StringRef text) {
  if (!text.ends_with("' is use-associated from module '__cuda_builtins' and cannot be re-declared"))
    return "";
  return "'" + text.split('\'').second.split('\'').first.str() +
         "' is predefined in device code and cannot be declared there: give the variable another name";
}

} // namespace

std::string cufort::frontend::genericRoutine(llvm::StringRef name, llvm::StringRef text) {
  name = withoutModule(name);
  std::string written = text.lower(), found;
  auto isInName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  llvm::StringRef rest = written;
  while (!(rest = rest.drop_until(isInName)).empty()) {
    llvm::StringRef word = rest.take_while(isInName), routine = word;
    rest = rest.drop_front(word.size());
    if (!routine.consume_front("cuda"))
      continue;
    (void)(routine.consume_front("func") || routine.consume_front("for"));
    if (word.size() > found.size() && hasLettersOf(name, routine))
      found = word.str();
  }
  return found;
}

bool cufort::frontend::isConsequence(llvm::StringRef text) {
  // An expression with an error in it has another shape.
  return (text.starts_with("Dimension ") && text.contains(" of left-hand side has extent ")) ||
         text.starts_with("No intrinsic or user-defined ASSIGNMENT(=) matches ");
}

bool cufort::frontend::isUnknownType(llvm::StringRef text) {
  return text.starts_with("Derived type '") && text.ends_with("' not found");
}

bool cufort::frontend::isUndeclared(llvm::StringRef text) {
  return text.starts_with("No explicit type declared for '");
}

bool cufort::frontend::isLikelyMistake(llvm::StringRef text) { return text == characterAsBits; }

bool cufort::frontend::isAboutOneArgument(llvm::StringRef text) {
  return text.ends_with("with CUDA data attributes should be passed via an explicit interface");
}

bool cufort::frontend::isAboutWholeCall(llvm::StringRef text) { return text.starts_with("usage: "); }

bool cufort::frontend::isModuleFailure(llvm::StringRef text) {
  return llvm::any_of(moduleFailures, [&](llvm::StringRef start) { return text.starts_with(start); });
}

bool cufort::frontend::isSuperseded(llvm::StringRef text) {
  // Directives of OpenMP that have newer names are in every program, and stay.
  return text == "I/O statement might not be supported on device" ||
         (text.starts_with("OpenMP directive ") && text.contains(" has been deprecated")) ||
         (text.starts_with("Pointer '") && text.ends_with("' may not be associated in a device subprogram"));
}

std::string cufort::frontend::userText(llvm::StringRef text, const MessagePlace &place) {
  if (isModuleFailure(text))
    return moduleFailure(text);
  if (isPredefinedInHostCode(text))
    return "threadidx, blockidx, blockdim and griddim are known in device procedures only";
  if (text.ends_with("is a host variable and is not definable in a device subprogram") &&
      llvm::is_contained(predefinedVariables, text.split('\'').second.split('\'').first))
    return "the predefined variables of device code cannot be changed";
  if (std::string declaration = predefinedDeclaredAgain(text); !declaration.empty())
    return declaration;
  if (llvm::StringRef name = text; name.consume_front("'") && name.consume_back(ofHostAround))
    return "'" + name.str() + "' belongs to the host: allocate and deallocate it there, or use a local variable";
  if (std::string submatrix = unknownSubmatrix(text); !submatrix.empty())
    return submatrix;
  if (text.starts_with("'ieee_") && text.ends_with(notCallable))
    return withoutModules("'" + withoutKinds(text.split('\'').second)) +
           "' is not available in device code: GPUs have no exceptions of floating-point arithmetic";
  if (text == "Statement may not appear in cuf kernel code" && !textAt(place).empty())
    return branchOutOfIteration(place);
  if (text.starts_with("!$CUF KERNEL DO (") && text.contains(" must be followed by a DO construct with tightly nested"))
    return loopsOfDirective(text.split('(').second.split(')').first);
  if (llvm::StringRef name = text; name.consume_front("'") && name.consume_back("' is not a callable procedure"))
    return "'" + name.str() + "' is neither an array nor a procedure: nothing in parentheses can follow it";
  if (text.ends_with(notCallable))
    return withoutModules(notCallableText(text.split('\'').second.split('\'').first, place));
  if (llvm::StringRef type = text; type.consume_front("Must have INTEGER type, but is ") && isStreamOfLaunch(place))
    return "the stream of a launch must be an integer of kind cuda_stream_kind, not " + type.str();
  if (text == "Statement may not appear in device code")
    return statementOfHost(place);
  if (text.consume_back(
          ", perhaps due to use of NULL() without MOLD= or an actual procedure with an implicit interface"))
    return text.str() + " equally well, perhaps because managed data fits host and device arguments, or because of "
                        "NULL() without MOLD= or an actual procedure with an implicit interface";
  if (std::string advice = computedValues(text); !advice.empty())
    return advice;
  if (text == characterAsBits)
    return "the bits of these characters are passed as a number";
  if (std::string argument = otherDeviceArgument(text); !argument.empty())
    return argument;
  if (std::string argument = hostArgument(text, textAt(place)); !argument.empty())
    return argument;
  // ALIGN= has become MOLD=+ (Parse/AlignSpecifiers.h).
  if (text.starts_with("Operand of unary + must be numeric") && textAt(place).starts_with("="))
    return "the value of ALIGN= must be a scalar integer";
  // A 0 is added to what has to be an integer (Parse/CallStatements.h).
  if (llvm::StringRef type = text; type.consume_front("Operands of + must be numeric; have ") &&
                                   type.consume_back(" and INTEGER(8)") && !textAt(place).contains('+'))
    return "this must be a scalar integer, not " + type.str();
  if (isAboutBrackets(text, place))
    return "subscripts stand in parentheses: brackets select an image of a coarray";
  if (text.contains(" associated with host intrinsic "))
    return intrinsicOfDeviceData(text);
  for (const auto &[from, to] : replacedTexts)
    if (text == from)
      return to.str();
  std::string plain = replaceAll(replaceAll(text.str(), "__builtin_", ""), "__BUILTIN_", "");
  return withoutLabels(withoutModules(plain)) + adviceFor(text, place).str();
}

llvm::StringRef cufort::frontend::nameInStatement(llvm::StringRef text) {
  bool isAboutName = text.ends_with(notCallable) || text.ends_with(notPresent) ||
                     text.starts_with("There is no device procedure '") || text.starts_with("host data '") ||
                     text.starts_with("the type that '") ||
                     text.starts_with("the components of the shared variable '") ||
                     text.contains("' is a device procedure; host code cannot call it");
  return isAboutName ? text.split('\'').second.split('\'').first : "";
}

std::optional<size_t> cufort::frontend::findName(llvm::StringRef statement, llvm::StringRef name) {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  char quote = 0, before = 0; // an open string; what stands before the name, apart from blanks
  std::optional<size_t> component;
  for (size_t at = 0; at < statement.size();) {
    char c = statement[at];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '!') {
      at = std::min(statement.find('\n', at), statement.size());
      continue;
    } else if (isOfName(c)) {
      size_t length = statement.drop_front(at).take_while(isOfName).size();
      if (statement.substr(at, length).equals_insensitive(name)) {
        if (before != '%')
          return at;
        component = component ? component : at;
      }
      at += length;
      before = c;
      continue;
    }
    if (c != ' ')
      before = c;
    ++at;
  }
  return component;
}

bool cufort::frontend::isInternal(llvm::StringRef text) {
  if (text.starts_with("failed to legalize ") || text.contains("unrealized_conversion_cast") ||
      text.contains("LLVM Translation failed") || text.contains("Dialect `"))
    return true;
  // 'dialect.operation' op …
  if (!text.consume_front("'"))
    return false;
  auto [operation, rest] = text.split('\'');
  return operation.contains('.') && rest.starts_with(" op ");
}

llvm::StringRef cufort::frontend::userPath(llvm::StringRef path) {
  while (path.consume_front("./"))
    path = path.ltrim('/');
  return path;
}
