// How code is generated, for host and device. Plain data.
#pragma once

#include <string>
#include <vector>

namespace cufort::codegen {

/// One GPU architecture of the device link.
struct GpuTarget {
  unsigned arch = 80; ///< 90 for compute capability 9.0
  char suffix = 0;    ///< 'a' or 'f', or 0
  bool ptx = true;    ///< embed PTX
  bool cubin = false; ///< embed machine code; needs CodegenOptions::ptxas

  /// "sm_90a".
  std::string name() const { return "sm_" + std::to_string(arch) + (suffix ? std::string(1, suffix) : ""); }
};

/// Where ALLOCATABLE data of the host is.
enum class HostMemory { Pageable, Managed, Pinned };

/// Settings of one compilation or device link.
struct CodegenOptions {
  unsigned optLevel = 2; ///< 0 to 3
  bool pic = true;
  bool debugLines = false;        ///< line tables
  std::string cpu = "x86-64";     ///< of host code and of the emulated device
  bool vectorize = true;          ///< host loops
  bool openMP = false;            ///< operations of OpenMP are in the host code
  bool stackArrays = false;       ///< temporaries of array expressions on the stack
  bool reassociate = false;       ///< host reductions may be reordered
  bool relaxedMath = false;       ///< host divisions and square roots may be approximated
  bool framePointer = false;      ///< procedures of the host keep one
  bool inlineCalls = true;        ///< in the code of the host
  bool traceback = false;         ///< the calls that led to the end of the program are written
  unsigned floatTraps = 0;        ///< CufortTrap: exceptions that stop the program
  bool checkHostBounds = false;   ///< subscripts of host code are checked at run time
  bool checkDeviceBounds = false; ///< and those of device code
  bool checkRaces = false;        ///< code for the emulated device tells of its accesses to shared memory
  bool checkPointers = false;     ///< references through pointers and allocatable variables, in both
  HostMemory hostMemory = HostMemory::Pageable;
  bool deviceReadsHost = false; ///< the program needs a device that reaches all data of the host
  std::string codeModel;        ///< of host code: "small", "medium", "large"; empty: the default

  std::vector<GpuTarget> gpus;  ///< of the device link
  bool emulated = true;         ///< generate code for the emulated device
  bool fma = true;              ///< device: multiply and add may become one operation
  bool fastMath = false;        ///< device: approximate division, square root and intrinsics
  bool flushDenormals = false;  ///< device
  bool unrollDevice = true;     ///< loops of device code
  bool lineInfo = false;        ///< device: line tables in PTX
  bool loadsBypassL1 = false;   ///< device: machine code caches loads in L2 only
  bool selfContained = false;   ///< device code is finished in every object, not at the link
  unsigned maxRegisters = 0;    ///< device, per thread; 0: no limit
  bool ptxInfo = false;         ///< print what ptxas says
  bool kernelInfo = false;      ///< print what kernels need, if there is a ptxas
  std::string ptxas;            ///< path; empty: none, PTX alone is embedded
  bool ptxasSplits = false;     ///< it can compile kernels in several threads
  std::string linker;           ///< path; empty: none, one process generates all code of the emulated device
  std::string libdevice;        ///< path of libdevice.10.bc; empty: none
  std::string deviceLibraryDir; ///< folder of the compiler's own device library
};

} // namespace cufort::codegen
