#include "driver/Options/Help.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "llvm/ADT/SmallSet.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

constexpr unsigned helpColumn = 30, lastColumn = 110;

constexpr OptionID groupOrder[] = {OPT_OverallGroup,  OPT_PreprocessGroup, OPT_LanguageGroup, OPT_CudaGroup,
                                   OPT_ParallelGroup, OPT_OptimiseGroup,   OPT_DebugGroup,    OPT_LinkGroup};

/// Prints `name` and, from helpColumn on, `text` broken into lines.
void printEntry(llvm::raw_ostream &os, llvm::StringRef name, llvm::StringRef text) {
  os << "  " << name;
  unsigned column = name.size() + 2;
  if (column + 1 > helpColumn) {
    os << '\n';
    column = 0;
  }
  os.indent(helpColumn - column);
  column = helpColumn;
  llvm::StringRef word;
  for (std::tie(word, text) = text.split(' '); !word.empty(); std::tie(word, text) = text.split(' ')) {
    if (column > helpColumn && column + 1 + word.size() > lastColumn) {
      os << '\n';
      os.indent(helpColumn);
      column = helpColumn;
    }
    os << (column > helpColumn ? " " : "") << word;
    column += word.size() + 1;
  }
  os << '\n';
}

std::string optionUsage(OptSpecifier id) {
  const OptTable &table = optionTable();
  std::string usage = table.getOptionPrefixedName(id).str();
  const char *value = table.getOptionMetaVar(id);
  if (!value)
    return usage;
  unsigned kind = table.getOptionKind(id);
  return usage + (kind == Option::JoinedClass ? "" : " ") + value;
}

bool isShown(OptSpecifier id) {
  return optionTable().getOptionHelpText(id) && !optionTable().getOption(id).hasFlag(HelpHidden);
}

void printGroup(llvm::raw_ostream &os, OptionID group) {
  const OptTable &table = optionTable();
  os << '\n' << table.getOptionHelpText(group) << ":\n";
  for (unsigned id = 1; id <= table.getNumOptions(); ++id)
    if (table.getOptionKind(id) != Option::GroupClass && table.getOptionGroupID(id) == group && isShown(id))
      printEntry(os, optionUsage(id), table.getOptionHelpText(id));
}

void printGpuValues(llvm::raw_ostream &os) {
  os << "\nVALUES OF -gpu= (comma list; repeated options add up; -cuda=, -Mcuda= and -ta= take them too):\n";
  forEachGpuValue([&](llvm::StringRef value, llvm::StringRef help) { printEntry(os, value, help); });
  printEntry(os, "",
             "Without an architecture, the program has PTX for cc80 and machine code for the GPUs in this "
             "machine.");
}

void printStages(llvm::raw_ostream &os) {
  os << "\nSTAGES (-emit=<stage>, printed on standard output or written to the file of -o):\n";
  forEachStage([&](llvm::StringRef name, llvm::StringRef help) { printEntry(os, name, help); });
}

void printAll(llvm::raw_ostream &os, llvm::StringRef program) {
  os << "Usage: " << program << " [options] <files>\n\n"
     << "Compiles and links CUDA Fortran. Fortran: .cuf .f90 .f95 .f03 .f08 (free form), .f .for (fixed form);\n"
     << "with capitals (.CUF .F90 .F ...) they are preprocessed. Also: .c .cpp .cu .s .S .o .a .so\n";
  for (OptionID group : groupOrder)
    printGroup(os, group);
  printGpuValues(os);
  printStages(os);
  os << "\nOptions of nvfortran that are not listed are accepted where they mean something to cufort.\n";
}

} // namespace

void cufort::driver::printHelp(llvm::raw_ostream &os, llvm::StringRef program, const InputArgList &arguments) {
  llvm::SmallSet<unsigned, 8> printed;
  for (const Arg *argument : arguments) {
    Option option = argument->getOption();
    if (option.matches(OPT_help) || option.matches(OPT_INPUT) || !printed.insert(option.getID()).second)
      continue;
    const char *text = optionTable().getOptionHelpText(option.getID());
    printEntry(os, optionUsage(option.getID()),
               text                       ? text
               : option.hasFlag(NoEffect) ? "Accepted, without effect"
                                          : "The opposite");
    if (option.matches(OPT_gpu_EQ) || option.matches(OPT_cuda) || option.matches(OPT_Mcuda) ||
        option.matches(OPT_Mcuda_EQ) || option.matches(OPT_cuda_EQ))
      printGpuValues(os);
  }
  if (printed.empty())
    printAll(os, program);
}
