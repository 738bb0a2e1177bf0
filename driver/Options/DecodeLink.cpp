// The link line: what keeps its order (inputs, -L, -l, -Wl) and what does not.
#include "driver/Options/Errors.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

/// Returns how the C compiler, which links, wants to be given `argument`.
std::vector<std::string> linkerSpelling(const Arg *argument) {
  std::string value = argument->getNumValues() ? argument->getValue() : "";
  switch (argument->getOption().getID()) {
  case OPT_L:
    return {"-L" + value};
  case OPT_l:
    return {"-l" + value};
  case OPT_Wl_COMMA:
    return {"-Wl," + value};
  case OPT_Xlinker:
    return {"-Xlinker", value};
  case OPT_z:
    return {"-Wl,-z," + value};
  case OPT_u:
    return {"-Wl,-u," + value};
  case OPT_T:
    return {"-Wl,-T," + value};
  case OPT_e:
    return {"-Wl,-e," + value};
  case OPT_Bstatic:
    return {"-Wl,-Bstatic"};
  case OPT_Bdynamic:
    return {"-Wl,-Bdynamic"};
  case OPT_Bsymbolic:
    return {"-Wl,-Bsymbolic"};
  default: // -rdynamic, -nostartfiles: the C compiler knows them by the same name
    return {argument->getSpelling().str()};
  }
}

void collectLinkItems(const InputArgList &arguments, Invocation &invocation) {
  size_t input = 0;
  for (const Arg *argument : arguments) {
    if (argument->getOption().matches(OPT_INPUT)) {
      // decodeInputs() may have left an argument out.
      if (input < invocation.inputs.size() && invocation.inputs[input].path == argument->getValue())
        invocation.linkItems.push_back({input++, ""});
    } else if (argument->getOption().hasFlag(ToLinker)) {
      for (std::string &text : linkerSpelling(argument))
        invocation.linkItems.push_back({std::nullopt, std::move(text)});
    }
  }
}

llvm::Error decodeCudaRuntime(const InputArgList &arguments, LinkSettings &link) {
  static const llvm::StringRef known[] = {"static", "shared", "none"};
  llvm::StringRef value = arguments.getLastArgValue(OPT_cudart_EQ, "static");
  const llvm::StringRef *found = llvm::find(known, value);
  if (found == std::end(known))
    return unknownValue("-cudart=", value, known);
  link.cudaRuntime = static_cast<CudaRuntime>(found - known);
  return llvm::Error::success();
}

llvm::Error checkKind(const LinkSettings &link) {
  if (link.shared && link.relocatable)
    return usageError("'-shared' and '-r' exclude each other");
  if (link.shared && link.pie.value_or(false))
    return usageError("'-shared' and '-pie' exclude each other");
  return llvm::Error::success();
}

} // namespace

llvm::Error cufort::driver::decodeLink(const InputArgList &arguments, Invocation &invocation) {
  LinkSettings &link = invocation.link;
  link.shared = arguments.hasArg(OPT_shared);
  link.fullyStatic = arguments.hasArg(OPT_static);
  link.relocatable = arguments.hasArg(OPT_r);
  link.strip = arguments.hasArg(OPT_s);
  if (const Arg *last = arguments.getLastArg(OPT_pie, OPT_no_pie))
    link.pie = last->getOption().matches(OPT_pie);
  link.noDefaultLibs = arguments.hasArg(OPT_nostdlib);
  link.cxxLibs = arguments.hasArg(OPT_cxxlibs);
  link.scalapack = arguments.hasArg(OPT_Mscalapack);
  link.linker = arguments.getLastArgValue(OPT_fuse_ld_EQ).str();
  link.soname = arguments.getLastArgValue(OPT_soname).str();
  link.searchPrefixes = arguments.getAllArgValues(OPT_B);
  link.rpaths = arguments.getAllArgValues(OPT_rpath);
  for (const Arg *argument : arguments.filtered(OPT_cudalib_EQ))
    for (llvm::StringRef name : splitList(argument->getValue()))
      link.cudaLibraries.push_back(name.str());
  for (const Arg *argument : arguments.filtered(OPT_Wa_COMMA))
    invocation.assembler.options.push_back("-Wa," + std::string(argument->getValue()));
  for (const std::string &option : arguments.getAllArgValues(OPT_Xassembler)) {
    invocation.assembler.options.push_back("-Xassembler");
    invocation.assembler.options.push_back(option);
  }
  link.mpi = arguments.hasArg(OPT_Mmpi_EQ);
  if (llvm::Error error = decodeCudaRuntime(arguments, link))
    return error;
  collectLinkItems(arguments, invocation);
  return checkKind(link);
}
