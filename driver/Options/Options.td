// Every option that cufort accepts. Both generations of spelling are here: -cuda, -gpu=, -cudalib= and -Mcuda=, -ta=,
// -Mcudalib=. The value lists of -gpu= and its relatives are in GpuOptions.cpp, those of the others in Values.cpp.

include "llvm/Option/OptParser.td"

// Accepted and without effect: what it asks for is done anyway, or decided by the optimiser.
def NoEffect : OptionFlag;
// Accepted, and a warning says that cufort cannot do it yet.
def Later : OptionFlag;
// Goes to the linker, in the order of the command line among the input files.
def ToLinker : OptionFlag;

class InGroup<OptionGroup group, string help> {
  OptionGroup Group = group;
  string HelpText = help;
}

// The titles are what --help prints; the order is in Help.cpp.
def OverallGroup : OptionGroup<"overall">, HelpText<"What is made">;
def PreprocessGroup : OptionGroup<"preprocess">, HelpText<"Preprocessing and module files">;
def LanguageGroup : OptionGroup<"language">, HelpText<"Source form and language">;
def CudaGroup : OptionGroup<"cuda">, HelpText<"CUDA Fortran and GPUs">;
def ParallelGroup : OptionGroup<"parallel">, HelpText<"Directives and parallel loops">;
def OptimiseGroup : OptionGroup<"optimise">, HelpText<"Optimisation and floating point">;
def DebugGroup : OptionGroup<"debug">, HelpText<"Debugging, checks and messages">;
def LinkGroup : OptionGroup<"link">, HelpText<"Linking">;
def AcceptedGroup : OptionGroup<"accepted">, HelpText<"Accepted for compatibility, without effect">;

class Accepted { OptionGroup Group = AcceptedGroup; list<OptionFlag> Flags = [NoEffect, HelpHidden]; }
class NotYet<OptionGroup group, string help> { OptionGroup Group = group; string HelpText = help;
                                               list<OptionFlag> Flags = [Later]; }
class Hidden { list<OptionFlag> Flags = [HelpHidden]; }
class Link<string help> { OptionGroup Group = LinkGroup; string HelpText = help; list<OptionFlag> Flags = [ToLinker]; }

// -Mname and -Mnoname.
multiclass Switch<string name, OptionGroup group, string help> {
  def "" : Flag<["-"], "M" # name>, InGroup<group, help>;
  def _no : Flag<["-"], "Mno" # name>, Hidden;
}
multiclass NotYetSwitch<string name, string help> {
  def "" : Flag<["-"], "M" # name>, NotYet<LanguageGroup, help>;
  def _no : Flag<["-"], "Mno" # name>, Accepted;
}
multiclass AcceptedSwitch<string name> {
  def "" : Flag<["-"], "M" # name>, Accepted;
  def _EQ : Joined<["-"], "M" # name # "=">, Accepted;
  def _no : Flag<["-"], "Mno" # name>, Accepted;
}

//===----------------------------------------------------------------------===//
// What is made
//===----------------------------------------------------------------------===//

def c : Flag<["-"], "c">, InGroup<OverallGroup, "Compile to object files; do not link">;
def S : Flag<["-"], "S">, InGroup<OverallGroup, "Compile to host assembly">;
def E : Flag<["-"], "E">, InGroup<OverallGroup, "Preprocess only, to standard output or the file of -o">;
def F : Flag<["-"], "F">, InGroup<OverallGroup, "Preprocess only, to <source>.f">;
def P : Flag<["-"], "P">, InGroup<OverallGroup, "Preprocess only, to <source>.i">;
def fsyntax_only : Flag<["-"], "fsyntax-only">,
  InGroup<OverallGroup, "Check the sources; write module files and nothing else">;
def Msyntax_only : Flag<["-"], "Msyntax-only">, Alias<fsyntax_only>;
def emit_EQ : Joined<["-", "--"], "emit=">, MetaVarName<"<stage>">,
  InGroup<OverallGroup, "Stop after <stage> and print it (see STAGES below)">;
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">, InGroup<OverallGroup, "Write the output to <file>">;
def device_link : Flag<["--"], "device-link">,
  InGroup<OverallGroup, "Link only the device code of the inputs, to an image object for another linker">;
def help : Flag<["--", "-"], "help">,
  InGroup<OverallGroup, "Print this text, or with further options the help on those">;
def help_EQ : Joined<["-", "--"], "help=">, Alias<help>;
def h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--", "-"], "version">, InGroup<OverallGroup, "Print the version">;
def V : Joined<["-"], "V">, Hidden;
def dumpversion : Flag<["-", "--"], "dumpversion">, InGroup<OverallGroup, "Print the version number alone">;
def dumpmachine : Flag<["-"], "dumpmachine">, InGroup<OverallGroup, "Print the machine that code is made for">;
def print_toolchain : Flag<["--", "-"], "print-toolchain">,
  InGroup<OverallGroup, "Print the CUDA toolkit, the GPUs, the linker and the libraries that were found">;
def accel_info : Flag<["--"], "accel-info">, InGroup<OverallGroup, "Print the GPUs in this machine and their target">;
def v : Flag<["-"], "v">, InGroup<OverallGroup, "Print every command before it runs">;
def verbose : Flag<["--"], "verbose">, Alias<v>;
def HASH3 : Flag<["-"], "###">, InGroup<OverallGroup, "Print every command and run none">;
def HASH1 : Flag<["-"], "#">, Alias<v>;
def dryrun : Flag<["-", "--"], "dryrun">, Alias<HASH3>;
def show : Flag<["-"], "show">, Alias<HASH3>;
def jobs_EQ : Joined<["--"], "jobs=">, MetaVarName<"<n>">,
  InGroup<OverallGroup, "Compile at most <n> independent sources at a time (default: number of processors)">;
def time_limit_EQ : Joined<["--"], "time-limit=">, MetaVarName<"<s>">,
  InGroup<OverallGroup, "Give up on a source after <s> seconds of processor time (default 3600; 0: never)">;
def resource_dir_EQ : Joined<["--", "-"], "resource-dir=">, MetaVarName<"<dir>">,
  InGroup<OverallGroup, "Take the runtime libraries and modules from <dir> instead of ../lib/cufort">;
def pipe : Flag<["-"], "pipe">, Accepted;
def noswitcherror : Flag<["-"], "noswitcherror">,
  InGroup<OverallGroup, "Warn of unknown options, and go on without them">;
def switcherror : Flag<["-"], "switcherror">, Accepted;

//===----------------------------------------------------------------------===//
// Preprocessing and module files
//===----------------------------------------------------------------------===//

def D : JoinedOrSeparate<["-"], "D">, MetaVarName<"<macro>[=<value>]">,
  InGroup<PreprocessGroup, "Define a macro; without a value it is 1">;
def U : JoinedOrSeparate<["-"], "U">, MetaVarName<"<macro>">, InGroup<PreprocessGroup, "Undefine a macro">;
def I : JoinedOrSeparate<["-"], "I">, MetaVarName<"<dir>">,
  InGroup<PreprocessGroup, "Search <dir> for included files and modules">;
def isystem : JoinedOrSeparate<["-"], "isystem">, MetaVarName<"<dir>">, Alias<I>;
def Mpreprocess : Flag<["-"], "Mpreprocess">,
  InGroup<PreprocessGroup, "Preprocess whatever the suffix is (.CUF, .F90 ... always are)">;
def Mpreproc : Flag<["-"], "Mpreproc">, Alias<Mpreprocess>;
def cpp : Flag<["-"], "cpp">, Alias<Mpreprocess>;
def fpp : Flag<["-"], "fpp">, Alias<Mpreprocess>;
def Mnopreprocess : Flag<["-"], "Mnopreprocess">, InGroup<PreprocessGroup, "Do not preprocess">;
def nocpp : Flag<["-"], "nocpp">, Alias<Mnopreprocess>;
def module : Separate<["-"], "module">, MetaVarName<"<dir>">,
  InGroup<PreprocessGroup, "Write module files to <dir>, and search it">;
def module_EQ : Joined<["-"], "module=">, Alias<module>;
def module_dir : Separate<["-"], "module-dir">, Alias<module>;
def J : JoinedOrSeparate<["-"], "J">, MetaVarName<"<dir>">, InGroup<PreprocessGroup, "The same as -module">;
def M : Flag<["-"], "M">,
  InGroup<PreprocessGroup, "Print rules for make: what the sources include and which modules they use">;
def MM : Flag<["-"], "MM">, InGroup<PreprocessGroup, "The same as -M">;
def MD : Flag<["-"], "MD">, InGroup<PreprocessGroup, "Write such a rule to <source>.d besides compiling">;
def MMD : Flag<["-"], "MMD">, InGroup<PreprocessGroup, "The same as -MD">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"<file>">,
  InGroup<PreprocessGroup, "Write the rules to <file>">;
def MT : JoinedOrSeparate<["-"], "MT">, MetaVarName<"<target>">,
  InGroup<PreprocessGroup, "Name <target> in the rules instead of the object">;
def MQ : JoinedOrSeparate<["-"], "MQ">, MetaVarName<"<target>">, InGroup<PreprocessGroup, "The same as -MT">;
def MP : Flag<["-"], "MP">,
  InGroup<PreprocessGroup, "Add an empty rule for each included file, which may then be deleted">;
def Wp_COMMA : Joined<["-"], "Wp,">, Accepted;
def Mcpp_EQ : Joined<["-"], "Mcpp=">, Accepted;

//===----------------------------------------------------------------------===//
// Source form and language
//===----------------------------------------------------------------------===//

def Mfree : Flag<["-"], "Mfree">, InGroup<LanguageGroup, "Read free form whatever the suffix is">;
def Mfreeform : Flag<["-"], "Mfreeform">, Alias<Mfree>;
def ffree_form : Flag<["-"], "ffree-form">, Alias<Mfree>;
def Mnofixed : Flag<["-"], "Mnofixed">, Alias<Mfree>;
def Mfixed : Flag<["-"], "Mfixed">, InGroup<LanguageGroup, "Read fixed form whatever the suffix is">;
def Mnofree : Flag<["-"], "Mnofree">, Alias<Mfixed>;
def Mnofreeform : Flag<["-"], "Mnofreeform">, Alias<Mfixed>;
def ffixed_form : Flag<["-"], "ffixed-form">, Alias<Mfixed>;
def Mextend : Flag<["-"], "Mextend">, InGroup<LanguageGroup, "Fixed form has 132 columns instead of 72">;
def Mnoextend : Flag<["-"], "Mnoextend">, Hidden;
def ffixed_line_length_EQ : Joined<["-"], "ffixed-line-length=">, Hidden;
def ffixed_line_length_ : Joined<["-"], "ffixed-line-length-">, Alias<ffixed_line_length_EQ>;
def ffree_line_length_ : Joined<["-"], "ffree-line-length-">, Accepted;
def i8 : Flag<["-"], "i8">, InGroup<LanguageGroup, "Default INTEGER and LOGICAL have 8 bytes">;
def i4 : Flag<["-"], "i4">, InGroup<LanguageGroup, "Default INTEGER and LOGICAL have 4 bytes (the default)">;
def i2 : Flag<["-"], "i2">, InGroup<LanguageGroup, "Default INTEGER and LOGICAL have 2 bytes">;
def Mi4 : Flag<["-"], "Mi4">, Alias<i4>;
def Mnoi4 : Flag<["-"], "Mnoi4">, Alias<i2>;
def fdefault_integer_8 : Flag<["-"], "fdefault-integer-8">, Alias<i8>;
def r8 : Flag<["-"], "r8">, InGroup<LanguageGroup, "Default REAL has 8 bytes">;
def r4 : Flag<["-"], "r4">, InGroup<LanguageGroup, "Default REAL has 4 bytes (the default)">;
def Mr8 : Flag<["-"], "Mr8">, Alias<r8>;
def Mnor8 : Flag<["-"], "Mnor8">, Alias<r4>;
def fdefault_real_8 : Flag<["-"], "fdefault-real-8">, Alias<r8>;
defm Mr8intrinsics : AcceptedSwitch<"r8intrinsics">;
def fdefault_double_8 : Flag<["-"], "fdefault-double-8">, Accepted;
defm Mbackslash : Switch<"backslash", LanguageGroup,
                         "A backslash in a string is an ordinary character, not the start of an escape">;
def fbackslash : Flag<["-"], "fbackslash">, Alias<Mbackslash_no>;
def fno_backslash : Flag<["-"], "fno-backslash">, Alias<Mbackslash>;
def Mallocatable_EQ : Joined<["-"], "Mallocatable=">, MetaVarName<"95|03">,
  InGroup<LanguageGroup, "03 (default): assignment allocates its left side as Fortran 2003 says; 95: it does not">;
def frealloc_lhs : Flag<["-"], "frealloc-lhs">, Alias<Mallocatable_EQ>, AliasArgs<["03"]>;
def fno_realloc_lhs : Flag<["-"], "fno-realloc-lhs">, Alias<Mallocatable_EQ>, AliasArgs<["95"]>;
defm Mdclchk : Switch<"dclchk", LanguageGroup, "Every name must be declared, as with IMPLICIT NONE">;
def fimplicit_none : Flag<["-"], "fimplicit-none">, Alias<Mdclchk>;
defm Msave : Switch<"save", LanguageGroup, "Local variables keep their values, as with SAVE">;
def fno_automatic : Flag<["-"], "fno-automatic">, Alias<Msave>;
defm Munixlogical : Switch<"unixlogical", LanguageGroup, "Any non-zero LOGICAL is true">;
defm Mdlines : Switch<"dlines", LanguageGroup, "Lines with D in column 1 (fixed form) are statements">;
defm Monetrip : Switch<"onetrip", LanguageGroup, "Every DO loop runs at least once">;
defm Mstandard : Switch<"standard", LanguageGroup, "Warn of everything that is not standard Fortran">;
def pedantic : Flag<["-"], "pedantic">, Alias<Mstandard>;
def std_EQ : Joined<["-"], "std=">, Accepted;
def byteswapio : Flag<["-"], "byteswapio">,
  InGroup<LanguageGroup, "Unformatted files have the other byte order">;
def Mbyteswapio : Flag<["-"], "Mbyteswapio">, Alias<byteswapio>;
def fconvert_EQ : Joined<["-"], "fconvert=">, MetaVarName<"<order>">,
  InGroup<LanguageGroup, "Byte order of unformatted files: native, swap, big-endian, little-endian">;
defm Mstack_arrays : Switch<"stack_arrays", LanguageGroup, "Automatic arrays are on the stack">;
def fstack_arrays : Flag<["-"], "fstack-arrays">, Alias<Mstack_arrays>;
def fno_stack_arrays : Flag<["-"], "fno-stack-arrays">, Alias<Mstack_arrays_no>;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<language>">,
  InGroup<LanguageGroup, "Read the files that follow as cuda, f95, f95-cpp-input, f77 or none">;

//===----------------------------------------------------------------------===//
// CUDA Fortran and GPUs
//===----------------------------------------------------------------------===//

def cuda : Flag<["-"], "cuda">,
  InGroup<CudaGroup, "CUDA Fortran in sources of every suffix (.cuf and .CUF have it always)">;
def cuda_EQ : Joined<["-"], "cuda=">, MetaVarName<"<list>">, InGroup<CudaGroup, "-cuda and -gpu=<list> in one">;
def nocuda : Flag<["-"], "nocuda">, InGroup<CudaGroup, "No CUDA Fortran, not even in .cuf">;
def gpu_EQ : Joined<["-"], "gpu=">, MetaVarName<"<list>">,
  InGroup<CudaGroup, "GPU architectures and how device code is made (see VALUES OF -gpu= below)">;
def Mcuda : Flag<["-"], "Mcuda">, InGroup<CudaGroup, "Older spelling of -cuda">;
def Mcuda_EQ : Joined<["-"], "Mcuda=">, MetaVarName<"<list>">, InGroup<CudaGroup, "Older spelling of -cuda=<list>">;
def Mnocuda : Flag<["-"], "Mnocuda">, Alias<nocuda>;
def cudalib : Flag<["-"], "cudalib">, Hidden;
def cudalib_EQ : Joined<["-"], "cudalib=">, MetaVarName<"<list>">,
  InGroup<CudaGroup, "Link CUDA libraries: cublas, cufft, curand, cusolver, cusparse, cutensor, nccl, nvtx ...">;
def Mcudalib : Flag<["-"], "Mcudalib">, Alias<cudalib>;
def Mcudalib_EQ : Joined<["-"], "Mcudalib=">, MetaVarName<"<list>">, Alias<cudalib_EQ>;
def defaultlib_COLON : Joined<["-"], "defaultlib:">, Alias<cudalib_EQ>;
def static_nvidia : Flag<["-"], "static-nvidia">, Accepted;
def Bstatic_nvidia : Flag<["-"], "Bstatic_nvidia">, Accepted;
def Bstatic_pgi : Flag<["-"], "Bstatic_pgi">, Accepted;

//===----------------------------------------------------------------------===//
// Directives and parallel loops
//===----------------------------------------------------------------------===//

def mp : Flag<["-"], "mp">, InGroup<ParallelGroup, "Compile OpenMP directives for host threads">;
def mp_EQ : Joined<["-"], "mp=">, MetaVarName<"<list>">,
  InGroup<ParallelGroup, "OpenMP for multicore, or gpu (not available yet: runs on the host)">;
def nomp : Flag<["-"], "nomp">, Hidden;
def fopenmp : Flag<["-"], "fopenmp">, Alias<mp>;
def acc : Flag<["-"], "acc">,
  InGroup<ParallelGroup, "Compile OpenACC directives (not available yet: runs on the host)">;
def acc_EQ : Joined<["-"], "acc=">, MetaVarName<"<list>">, InGroup<ParallelGroup, "OpenACC for gpu, multicore or host">;
def noacc : Flag<["-"], "noacc">, Hidden;
def fopenacc : Flag<["-"], "fopenacc">, Alias<acc>;
def ta_EQ : Joined<["-"], "ta=">, MetaVarName<"<list>">,
  InGroup<ParallelGroup, "Older spelling of -acc= and -gpu=, as in -ta=tesla:cc80,fastmath">;
def target_EQ : Joined<["-"], "target=">, MetaVarName<"gpu|multicore|host">,
  InGroup<ParallelGroup, "Where parallel constructs run">;
def stdpar : Flag<["-"], "stdpar">,
  InGroup<ParallelGroup, "Run DO CONCURRENT in parallel (not available yet: runs serially on the host)">;
def stdpar_EQ : Joined<["-"], "stdpar=">, MetaVarName<"gpu|multicore">,
  InGroup<ParallelGroup, "Run DO CONCURRENT on the GPU or on host threads (as -stdpar)">;
def nostdpar : Flag<["-"], "nostdpar">, Hidden;

//===----------------------------------------------------------------------===//
// Optimisation and floating point
//===----------------------------------------------------------------------===//

def O : Joined<["-"], "O">, MetaVarName<"0..4|fast">,
  InGroup<OptimiseGroup, "Optimise; -O is -O2, -O4 is -O3; without any -O it is -O2, with -g it is -O0">;
def fast : Flag<["-"], "fast">,
  InGroup<OptimiseGroup, "-O3, vectorised reductions, denormal numbers may be flushed to zero">;
def fastsse : Flag<["-"], "fastsse">, Alias<fast>;
def tp : Separate<["-"], "tp">, MetaVarName<"<cpu>">,
  InGroup<OptimiseGroup, "Make host code for <cpu>: native, px (the default), haswell, skylake, zen3 ...">;
def tp_EQ : Joined<["-"], "tp=">, Alias<tp>;
def march_EQ : Joined<["-"], "march=">, MetaVarName<"<cpu>">,
  InGroup<OptimiseGroup, "Make host code for <cpu>, in LLVM's names">;
def mcpu_EQ : Joined<["-"], "mcpu=">, Alias<march_EQ>;
def mtune_EQ : Joined<["-"], "mtune=">, Accepted;
def mcmodel_EQ : Joined<["-"], "mcmodel=">, MetaVarName<"small|medium|large">,
  InGroup<OptimiseGroup, "Code model of host code">;
def Kieee : Flag<["-"], "Kieee">, InGroup<OptimiseGroup, "Floating point exactly as IEEE 754 says">;
def Knoieee : Flag<["-"], "Knoieee">, Hidden;
def Ktrap_EQ : Joined<["-"], "Ktrap=">, MetaVarName<"<list>">,
  InGroup<OptimiseGroup, "Stop on floating-point exceptions: fp, inv, divz, ovf, unf, inexact, denorm, none">;
def ffpe_trap_EQ : Joined<["-"], "ffpe-trap=">, Hidden;
defm Mfprelaxed : Switch<"fprelaxed", OptimiseGroup, "Allow approximations in floating-point operations">;
def Mfprelaxed_EQ : Joined<["-"], "Mfprelaxed=">, Alias<Mfprelaxed>;
def ffast_math : Flag<["-"], "ffast-math">, Alias<Mfprelaxed>;
defm Mfpapprox : Switch<"fpapprox", OptimiseGroup, "The same as -Mfprelaxed">;
def Mfpapprox_EQ : Joined<["-"], "Mfpapprox=">, Alias<Mfpapprox>;
defm Mfma : Switch<"fma", OptimiseGroup, "Multiply and add may become one host operation (the default)">;
defm Mflushz : Switch<"flushz", OptimiseGroup, "Denormal results are flushed to zero on the host">;
defm Mdaz : Switch<"daz", OptimiseGroup, "Denormal operands are taken as zero on the host">;
defm Mvect : Switch<"vect", OptimiseGroup, "Vectorise loops (the default from -O2)">;
def Mvect_EQ : Joined<["-"], "Mvect=">, Alias<Mvect>;
defm Munroll : Switch<"unroll", OptimiseGroup, "Unroll loops (the default)">;
def Munroll_EQ : Joined<["-"], "Munroll=">, Alias<Munroll>;
defm Minline : Switch<"inline", OptimiseGroup, "Inline procedures (the default)">;
def Minline_EQ : Joined<["-"], "Minline=">, Alias<Minline>;
def Minline_COMMA : Joined<["-"], "Minline,">, Alias<Minline>;
def finline_functions : Flag<["-"], "finline-functions">, Alias<Minline>;
def fno_inline : Flag<["-"], "fno-inline">, Alias<Minline_no>;
defm Mautoinline : Switch<"autoinline", OptimiseGroup, "The same as -Minline">;
def Mautoinline_EQ : Joined<["-"], "Mautoinline=">, Alias<Mautoinline>;
def funroll_loops : Flag<["-"], "funroll-loops">, Alias<Munroll>;
def ftree_vectorize : Flag<["-"], "ftree-vectorize">, Alias<Mvect>;
defm Mframe : Switch<"frame", OptimiseGroup, "Keep a frame pointer">;
def fno_omit_frame_pointer : Flag<["-"], "fno-omit-frame-pointer">, Alias<Mframe>;
def fomit_frame_pointer : Flag<["-"], "fomit-frame-pointer">, Alias<Mframe_no>;

defm Mcache_align : AcceptedSwitch<"cache_align">;
defm Mconcur : AcceptedSwitch<"concur">;
defm Mdalign : AcceptedSwitch<"dalign">;
defm Mdepchk : AcceptedSwitch<"depchk">;
defm Mdse : AcceptedSwitch<"dse">;
defm Mextract : AcceptedSwitch<"extract">;
defm Mfpmisalign : AcceptedSwitch<"fpmisalign">;
defm Mfunc32 : AcceptedSwitch<"func32">;
defm Midiom : AcceptedSwitch<"idiom">;
defm Mipa : AcceptedSwitch<"ipa">;
defm Mlarge_arrays : AcceptedSwitch<"large_arrays">;
defm Mloop32 : AcceptedSwitch<"loop32">;
defm Mlre : AcceptedSwitch<"lre">;
defm Mmovnt : AcceptedSwitch<"movnt">;
defm Mnontemporal : AcceptedSwitch<"nontemporal">;
defm Mpfi : AcceptedSwitch<"pfi">;
defm Mpfo : AcceptedSwitch<"pfo">;
defm Mpre : AcceptedSwitch<"pre">;
defm Mprefetch : AcceptedSwitch<"prefetch">;
defm Mpropcond : AcceptedSwitch<"propcond">;
defm Mquad : AcceptedSwitch<"quad">;
defm Mrecursive : AcceptedSwitch<"recursive">;
defm Mreentrant : AcceptedSwitch<"reentrant">;
defm Msafe_lastval : AcceptedSwitch<"safe_lastval">;
defm Msafeptr : AcceptedSwitch<"safeptr">;
defm Mscalarsse : AcceptedSwitch<"scalarsse">;
defm Msignextend : AcceptedSwitch<"signextend">;
defm Msmart : AcceptedSwitch<"smart">;
defm Msmartalloc : AcceptedSwitch<"smartalloc">;
defm Mtarget_temps : AcceptedSwitch<"target_temps">;
defm Muniform : AcceptedSwitch<"uniform">;
defm Munsafe_par_align : AcceptedSwitch<"unsafe_par_align">;
defm Mvintr : AcceptedSwitch<"vintr">;
defm Mzerotrip : AcceptedSwitch<"zerotrip">;
defm Mcray : AcceptedSwitch<"cray">;
defm Miomutex : AcceptedSwitch<"iomutex">;
defm Mfcon : AcceptedSwitch<"fcon">;
defm Mdefaultunit : AcceptedSwitch<"defaultunit">;
defm Mdwarf1 : AcceptedSwitch<"dwarf1">;
defm Mdwarf2 : AcceptedSwitch<"dwarf2">;
defm Mdwarf3 : AcceptedSwitch<"dwarf3">;
defm Mdwarf4 : AcceptedSwitch<"dwarf4">;
defm Mhugetlb : AcceptedSwitch<"hugetlb">;
defm Mlist : AcceptedSwitch<"list">;
defm Mlfs : AcceptedSwitch<"lfs">;
defm Manno : AcceptedSwitch<"anno">;
defm Mautopar : AcceptedSwitch<"autopar">;
defm Mkeepasm : NotYetSwitch<"keepasm", "Keep the assembly file (-S makes one)">;
defm Mnvpl : AcceptedSwitch<"nvpl">;
defm Mmain : AcceptedSwitch<"main">;
defm Mstartup : AcceptedSwitch<"startup">;
defm Mllvm : AcceptedSwitch<"llvm">;
defm Mnvvm : AcceptedSwitch<"nvvm">;
defm Mstdinc : AcceptedSwitch<"stdinc">;
defm Mstddef : AcceptedSwitch<"stddef">;
defm Mrpath : AcceptedSwitch<"rpath">;
defm Mopenmp : AcceptedSwitch<"openmp">;
defm Msgimp : AcceptedSwitch<"sgimp">;
defm Mvarargs : AcceptedSwitch<"varargs">;
defm Mcontract : AcceptedSwitch<"contract">;
defm Mint128 : AcceptedSwitch<"int128">;
defm Mchkfpstk : AcceptedSwitch<"chkfpstk">;
defm Mwritable_strings : AcceptedSwitch<"writable_strings">;
defm Msecond_underscore : NotYetSwitch<"second_underscore", "A second underscore after names that contain one">;
defm Mupcase : NotYetSwitch<"upcase", "External names keep their case">;

// Numbered settings of the passes of NVIDIA's compiler.
foreach name = ["Hq", "Hx", "Hy", "Mq", "Mx", "My", "y"] in
  def name # _COMMA : Joined<["-"], name # ",">, Accepted;

def m64 : Flag<["-"], "m64">, Accepted;
def mavx : Flag<["-"], "mavx">, Accepted;
def mavx2 : Flag<["-"], "mavx2">, Accepted;
def fPIC : Flag<["-"], "fPIC">, InGroup<OptimiseGroup, "Make code that can go into a shared library">;
def fpic : Flag<["-"], "fpic">, Alias<fPIC>;
def Kpic : Flag<["-"], "Kpic">, Alias<fPIC>;
def KPIC : Flag<["-"], "KPIC">, Alias<fPIC>;
def fPIE : Flag<["-"], "fPIE">, InGroup<OptimiseGroup, "Make code for position-independent programs (the default)">;
def fpie : Flag<["-"], "fpie">, Alias<fPIE>;
def fno_pic : Flag<["-"], "fno-pic">, Hidden;
def fno_PIC : Flag<["-"], "fno-PIC">, Alias<fno_pic>;
def fno_pie : Flag<["-"], "fno-pie">, Alias<fno_pic>;
def fno_PIE : Flag<["-"], "fno-PIE">, Alias<fno_pic>;

//===----------------------------------------------------------------------===//
// Debugging, checks and messages
//===----------------------------------------------------------------------===//

def g : Flag<["-"], "g">, InGroup<DebugGroup, "Full debug information; -O0 unless an -O is given">;
def gopt : Flag<["-"], "gopt">, InGroup<DebugGroup, "Full debug information at the optimisation level in use">;
def g0 : Flag<["-"], "g0">, InGroup<DebugGroup, "No debug information">;
def g1 : Flag<["-"], "g1">, InGroup<DebugGroup, "Line numbers only">;
def gline_tables_only : Flag<["-"], "gline-tables-only">, Alias<g1>;
def g2 : Flag<["-"], "g2">, Alias<g>;
def g3 : Flag<["-"], "g3">, Alias<g>;
def ggdb : Flag<["-"], "ggdb">, Alias<g>;
def gdwarf : Joined<["-"], "gdwarf-">, Alias<g>;
defm Mbounds : Switch<"bounds", DebugGroup, "Check array bounds when the program runs">;
def C : Flag<["-"], "C">, Alias<Mbounds>;
def fbounds_check : Flag<["-"], "fbounds-check">, Alias<Mbounds>;
def fcheck_EQ : Joined<["-"], "fcheck=">, Hidden;
defm Mchkptr : Switch<"chkptr", DebugGroup, "Check pointers and allocations before use">;
defm Mchkstk : NotYetSwitch<"chkstk", "Check the stack in every procedure">;
def Minstrument : Flag<["-"], "Minstrument">, NotYet<DebugGroup, "Call profiling hooks in every procedure">;
def Minstrument_EQ : Joined<["-"], "Minstrument=">, Alias<Minstrument>;
def Mprof : Flag<["-"], "Mprof">, NotYet<DebugGroup, "Instrument for profiling">;
def Mprof_EQ : Joined<["-"], "Mprof=">, Alias<Mprof>;
def pg : Flag<["-"], "pg">, Alias<Mprof>;
def traceback : Flag<["-"], "traceback">, InGroup<DebugGroup, "A runtime error prints the calls that led to it">;
def Mtraceback : Flag<["-"], "Mtraceback">, Alias<traceback>;
def notraceback : Flag<["-"], "notraceback">, Hidden;
def fbacktrace : Flag<["-"], "fbacktrace">, Alias<traceback>;
def Minfo : Flag<["-"], "Minfo">, InGroup<DebugGroup, "Say which kernels were made, and what they need">;
def Minfo_EQ : Joined<["-"], "Minfo=">, MetaVarName<"<list>">,
  InGroup<DebugGroup, "Say what was done about: accel, all, inline, loop, mp, stdpar, time ...">;
def time : Flag<["-"], "time">, Alias<Minfo_EQ>, AliasArgs<["time"]>;
def Mnoinfo : Flag<["-"], "Mnoinfo">, Hidden;
def Mneginfo : Flag<["-"], "Mneginfo">, InGroup<DebugGroup, "Also say why something was not done">;
def Mneginfo_EQ : Joined<["-"], "Mneginfo=">, Alias<Mneginfo>;
def Minform_EQ : Joined<["-"], "Minform=">, MetaVarName<"inform|warn|severe|fatal">,
  InGroup<DebugGroup, "Print messages from this severity on (default: warn)">;
def w : Flag<["-"], "w">, InGroup<DebugGroup, "No warnings">;
def silent : Flag<["-"], "silent">, Alias<w>;
def Werror : Flag<["-"], "Werror">, InGroup<DebugGroup, "Warnings are errors">;
def Wall : Flag<["-"], "Wall">,
  InGroup<DebugGroup, "Also warn of style, and of what other compilers may not take (as -Minform=inform)">;
def Wextra : Flag<["-"], "Wextra">, Alias<Wall>;
def W_other : Joined<["-"], "W">, Accepted;
def nostdinc : Flag<["-"], "nostdinc">, Accepted;
def drystdinc : Flag<["-"], "drystdinc">, Accepted;
def fcray_pointer : Flag<["-"], "fcray-pointer">, Accepted;
def shared_libgcc : Flag<["-"], "shared-libgcc">, Accepted;
def f_recursive : Flag<["-"], "frecursive">, Accepted;
def fno_range_check : Flag<["-"], "fno-range-check">, Accepted;
def fallow_argument_mismatch : Flag<["-"], "fallow-argument-mismatch">, Accepted;
def fallow_invalid_boz : Flag<["-"], "fallow-invalid-boz">, Accepted;
def fno_second_underscore : Flag<["-"], "fno-second-underscore">, Accepted;
def fno_strict_aliasing : Flag<["-"], "fno-strict-aliasing">, Accepted;
def fmax_errors_EQ : Joined<["-"], "fmax-errors=">, Accepted;
def fdiagnostics_color_EQ : Joined<["-"], "fdiagnostics-color=">, MetaVarName<"auto|always|never">,
  InGroup<DebugGroup, "Colour in messages">;
def fcolor_diagnostics : Flag<["-"], "fcolor-diagnostics">, Alias<fdiagnostics_color_EQ>, AliasArgs<["always"]>;
def fno_color_diagnostics : Flag<["-"], "fno-color-diagnostics">, Alias<fdiagnostics_color_EQ>, AliasArgs<["never"]>;

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

def L : JoinedOrSeparate<["-"], "L">, MetaVarName<"<dir>">, Link<"Search <dir> for libraries">;
def l : JoinedOrSeparate<["-"], "l">, MetaVarName<"<library>">, Link<"Link lib<library>">;
def shared : Flag<["-", "--"], "shared">, InGroup<LinkGroup, "Make a shared library">;
def Mmakedll : Flag<["-"], "Mmakedll">, Alias<shared>;
def static : Flag<["-"], "static">, InGroup<LinkGroup, "Link no shared library">;
def r : Flag<["-"], "r">, InGroup<LinkGroup, "Join objects into one object that can be linked again">;
def pie : Flag<["-"], "pie">, InGroup<LinkGroup, "Make a position-independent program">;
def no_pie : Flag<["-"], "no-pie">, InGroup<LinkGroup, "Make a program for a fixed address">;
def nopie : Flag<["-"], "nopie">, Alias<no_pie>;
def s : Flag<["-"], "s">, InGroup<LinkGroup, "Strip symbols from the output">;
def rdynamic : Flag<["-"], "rdynamic">, Link<"Export all symbols of a program">;
def rpath : Separate<["-"], "rpath">, MetaVarName<"<dir>">,
  InGroup<LinkGroup, "Look in <dir> for shared libraries when the program runs">;
def rpath_EQ : Joined<["-"], "rpath=">, Alias<rpath>;
def R : JoinedOrSeparate<["-"], "R">, Alias<rpath>;
def soname : Separate<["-"], "soname">, MetaVarName<"<name>">, InGroup<LinkGroup, "Internal name of a shared library">;
def Wl_COMMA : Joined<["-"], "Wl,">, MetaVarName<"<option>,...">, Link<"Give options to the linker">;
def Xlinker : Separate<["-"], "Xlinker">, MetaVarName<"<option>">, Link<"Give an option to the linker">;
def z : Separate<["-"], "z">, MetaVarName<"<keyword>">, Link<"Give -z <keyword> to the linker">;
def u : JoinedOrSeparate<["-"], "u">, MetaVarName<"<symbol>">, Link<"Take <symbol> as undefined">;
def T : JoinedOrSeparate<["-"], "T">, MetaVarName<"<script>">, Link<"Use a linker script">;
def e : Separate<["-"], "e">, MetaVarName<"<symbol>">, Link<"Start the program at <symbol>">;
def B : JoinedOrSeparate<["-"], "B">, MetaVarName<"<dir>">,
  InGroup<LinkGroup, "Search <dir> for the linker and the C compiler's parts">;
def Bstatic : Flag<["-"], "Bstatic">, Link<"Prefer static libraries for the -l from here on">;
def Bdynamic : Flag<["-"], "Bdynamic">, Link<"Prefer shared libraries for the -l from here on">;
def Bsymbolic : Flag<["-"], "Bsymbolic">, Link<"A shared library uses its own symbols first">;
def fuse_ld_EQ : Joined<["-"], "fuse-ld=">, MetaVarName<"<linker>">,
  InGroup<LinkGroup, "Linker to use (default: lld if it is installed)">;
def nostdlib : Flag<["-"], "nostdlib">, InGroup<LinkGroup, "Link no library that is not named">;
def Mnostdlib : Flag<["-"], "Mnostdlib">, Alias<nostdlib>;
def nodefaultlibs : Flag<["-"], "nodefaultlibs">, Alias<nostdlib>;
def nostartfiles : Flag<["-"], "nostartfiles">, Link<"Link no start-up files">;
def cxxlibs : Flag<["-"], "c++libs">, InGroup<LinkGroup, "Link the C++ library">;
def pgcxxlibs : Flag<["-"], "pgc++libs">, Alias<cxxlibs>;
def fortranlibs : Flag<["-"], "fortranlibs">, Accepted;
def pgf90libs : Flag<["-"], "pgf90libs">, Accepted;
def pgf77libs : Flag<["-"], "pgf77libs">, Accepted;
def acclibs : Flag<["-"], "acclibs">, Accepted;
def cudalibs : Flag<["-"], "cudalibs">, Accepted;
def cudaforlibs : Flag<["-"], "cudaforlibs">, Accepted;
def nvmalloc : Flag<["-"], "nvmalloc">, Accepted;
def static_libgfortran : Flag<["-"], "static-libgfortran">, Accepted;
def static_libflang : Flag<["-"], "static-libflang">, Accepted;
def static_flang_libs : Flag<["-"], "static-flang-libs">, Accepted;
def static_libgcc : Flag<["-"], "static-libgcc">, Accepted;
def static_libstdcxx : Flag<["-"], "static-libstdc++">, Accepted;
def pthread : Flag<["-"], "pthread">, Accepted;
def Mscalapack : Flag<["-"], "Mscalapack">, InGroup<LinkGroup, "Link ScaLAPACK">;
def Mmpi_EQ : Joined<["-"], "Mmpi=">, MetaVarName<"<library>">,
  InGroup<LinkGroup, "Compile and link for an MPI library (not available: use its mpif90 instead)">;
def Mmpi : Flag<["-"], "Mmpi">, Alias<Mmpi_EQ>, AliasArgs<["default"]>;
def cudart_EQ : Joined<["-", "--"], "cudart=">, MetaVarName<"static|shared|none">,
  InGroup<LinkGroup, "CUDA runtime to link with objects of nvcc (default: static)">;
def Wa_COMMA : Joined<["-"], "Wa,">, MetaVarName<"<option>,...">,
  InGroup<LinkGroup, "Give options to the assembler of .s and .S files">;
def Xassembler : Separate<["-"], "Xassembler">, MetaVarName<"<option>">, Hidden;
