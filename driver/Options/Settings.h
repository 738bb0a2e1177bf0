// What one compilation or one device link is told to do: the options of a command line, decoded. Plain data without
// LLVM or Flang types, so that the front end, the code generators and the driver agree without including each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cufort::driver {

/// Where a compilation stops and what it leaves in its output file.
enum class Stage {
  Preprocess,   ///< -E, -F: Fortran text after the preprocessor
  Syntax,       ///< -fsyntax-only: messages and module files, no output file
  HLFIR,        ///< -emit=hlfir: MLIR text as the Fortran front end lowers it
  FIR,          ///< -emit=fir: MLIR text after HLFIR is gone
  Cufx,         ///< -emit=cufx: MLIR text with the CUDA constructs made explicit, before host and device part
  NVVM,         ///< -emit=nvvm: MLIR text of the device part in the nvvm dialect
  DeviceLLVM,   ///< -emit=llvm: LLVM IR text of the device part for NVPTX
  EmulatedLLVM, ///< -emit=emulated-llvm: LLVM IR text of the device part for the emulated device
  PTX,          ///< -emit=ptx: PTX of this file for the lowest target
  HostLLVM,     ///< -emit=host-llvm: LLVM IR text of the host part
  Assembly,     ///< -S, -emit=asm: host assembly
  Object        ///< -c, -emit=obj: object file with the device part inside
};

/// How the lines of a source file are read.
enum class SourceForm { Free, Fixed };

/// One -D or -U, or a macro that the compiler predefines. A function-like macro has its parameters in `name`.
struct MacroDefinition {
  std::string name;
  std::string value;
  bool undefine = false;
};

/// Which directives are compiled besides CUDA Fortran's own.
struct DirectiveSettings {
  bool openMP = false;        ///< -mp: host threads
  bool openMPOffload = false; ///< -mp=gpu
  bool openACC = false;       ///< -acc
  bool openACCOnGpu = false;  ///< -acc, -acc=gpu; false with -acc=multicore and -acc=host
  bool stdpar = false;        ///< -stdpar: DO CONCURRENT may run in parallel
  bool stdparOnGpu = false;   ///< -stdpar, -stdpar=gpu; false with -stdpar=multicore
};

/// How source text becomes a program.
struct LanguageSettings {
  bool cuda = false; ///< CUDA Fortran: .cuf, .CUF, -cuda, -Mcuda
  SourceForm form = SourceForm::Free;
  unsigned fixedColumns = 72; ///< last column of fixed form: 72, 132 with -Mextend; 0: no limit
  bool preprocess = false;
  std::vector<MacroDefinition> macros;  ///< in the order in which they take effect, predefined ones first
  std::vector<std::string> includeDirs; ///< -I, in order
  std::vector<std::string> moduleDirs;  ///< where .mod files are searched, in order, before compilerModuleDir
  std::string moduleOutputDir;          ///< an existing directory; every .mod file of this compilation goes there
  std::string compilerModuleDir;        ///< cudafor and the intrinsic modules; searched last
  DirectiveSettings directives;

  unsigned integerKind = 4;       ///< -i8, -i2: kind of default INTEGER and LOGICAL
  unsigned realKind = 4;          ///< -r8: kind of default REAL; DOUBLE PRECISION stays kind 8
  bool backslashEscapes = true;   ///< false with -Mbackslash: a backslash in a string is an ordinary character
  bool reallocateLhs = true;      ///< false with -Mallocatable=95
  bool implicitNone = false;      ///< -Mdclchk
  bool saveLocals = false;        ///< -Msave
  bool unixLogical = false;       ///< -Munixlogical: any non-zero value is .TRUE.
  bool debugLines = false;        ///< -Mdlines: D in column 1 of fixed form is a blank
  bool oneTripLoops = false;      ///< -Monetrip
  bool warnNonstandard = false;   ///< -Mstandard
  bool boundsChecks = false;      ///< -Mbounds
  bool pointerChecks = false;     ///< -Mchkptr
  std::string unformattedConvert; ///< -byteswapio: "swap"; -fconvert=: "native", "big-endian", "little-endian"
};

/// Relocation model of host code.
enum class Relocation { Static, PIE, PIC };

/// Floating-point exceptions that stop the program (-Ktrap=), or-ed together.
enum FloatTrap : std::uint32_t {
  TrapInvalid = 1,
  TrapDivideByZero = 2,
  TrapOverflow = 4,
  TrapUnderflow = 8,
  TrapInexact = 16,
  TrapDenormal = 32
};

/// How much a debugger is told.
enum class DebugInfo { None, Lines, Full };

/// How host code is generated. `optLevel` also holds for device code.
struct CodeGenSettings {
  unsigned optLevel = 2; ///< 0 to 3
  Relocation relocation = Relocation::PIE;
  DebugInfo debug = DebugInfo::None;
  std::string cpu;             ///< an LLVM CPU name; empty: the baseline of the architecture; "native"
  std::string codeModel;       ///< -mcmodel=: small, medium, large; empty: the default
  bool strictIEEE = false;     ///< -Kieee: no transformation that changes a result
  bool reassociate = false;    ///< -fast: reductions may be vectorised
  bool relaxedMath = false;    ///< -Mfprelaxed: reciprocals and approximations
  bool flushDenormals = false; ///< -Mflushz, -Mdaz, -fast
  bool contract = true;        ///< -Mfma: multiply and add may become one operation
  bool vectorize = true;       ///< -Mvect, -Mnovect
  bool unroll = true;          ///< -Munroll, -Mnounroll
  bool inlineCalls = true;     ///< -Minline, -Mnoinline
  bool stackArrays = false;    ///< -Mstack_arrays: automatic arrays and temporaries on the stack
  bool traceback = false;      ///< -traceback: a runtime error prints the calls that led to it
  bool framePointer = false;   ///< -Mframe
  std::uint32_t trapMask = 0;  ///< FloatTrap
};

/// One GPU architecture and the forms in which its code is embedded.
struct DeviceTarget {
  unsigned arch = 80; ///< 90 for compute capability 9.0
  char suffix = 0;    ///< 'a' or 'f' for architecture-specific or family code, else 0
  bool ptx = true;    ///< embed PTX for compute_<arch>
  bool cubin = false; ///< embed machine code for sm_<arch>; needs DeviceSettings::ptxas
};

/// Whose data device code can reach (-gpu=mem:).
enum class MemoryModel { Separate, Pinned, Managed, Unified };

/// How device code is generated.
struct DeviceSettings {
  std::vector<DeviceTarget> targets; ///< ascending; at least one
  bool emulatedOnly = false;         ///< -Mcuda=emu: no GPU code, only code for the emulated device
  bool relocatable = true;           ///< -gpu=rdc: device code is finished at link time; nordc: in each object
  bool fastMath = false;             ///< -gpu=fastmath: approximate division, square root and intrinsics
  bool fma = true;                   ///< -gpu=nofma: multiply and add stay two operations
  bool flushDenormals = false;       ///< -gpu=flushz, and implied by fastmath
  bool loadsBypassL1 = false;        ///< -gpu=loadcache:L2, -Mcuda=noL1
  bool unroll = true;                ///< -gpu=nounroll
  bool checks = false;               ///< -gpu=check: array bounds and launch errors are checked in device code
  bool constantModuleData = false;   ///< -gpu=madconst: module array descriptors in constant memory
  bool charStrings = false;          ///< -cuda=charstring: character strings longer than 1 in device code
  MemoryModel memory = MemoryModel::Separate;
  DebugInfo debug = DebugInfo::None; ///< Lines: -gpu=lineinfo; Full: -gpu=debug
  unsigned maxRegisters = 0;         ///< -gpu=maxregcount:N per thread; 0: no limit
  bool printInfo = false;            ///< -gpu=ptxinfo: show what ptxas says about every kernel
  unsigned cudaVersion = 0;          ///< 13000 for 13.0: the toolkit in use, or the version assumed without one
  std::string ptxas;                 ///< absolute path; empty if there is none
  std::string libdevice;             ///< absolute path of libdevice.10.bc; empty if there is none
};

/// Least severity that is printed (-Minform=).
enum class InformLevel { Inform, Warn, Severe, Fatal };

/// What is reported about the compilation (-Minfo=), all on standard error.
struct ReportSettings {
  bool accelerator = false; ///< kernels generated from CUF kernel directives and from array syntax
  bool loops = false;       ///< host loops: vectorised, unrolled
  bool inlining = false;
  bool openMP = false;
  bool stdpar = false;
  bool time = false;     ///< time spent in each stage
  bool negative = false; ///< -Mneginfo: also say why something was not done
  InformLevel level = InformLevel::Warn;
  bool warnings = true;           ///< false with -w
  bool remarks = false;           ///< -Wall, -Minform=inform: what nvfortran does not mention
  bool warningsAreErrors = false; ///< -Werror
  bool color = false;             ///< the messages end on a terminal
  bool verbose = false;           ///< -v

  bool any() const { return accelerator || loops || inlining || openMP || stdpar || time || negative; }
};

} // namespace cufort::driver
