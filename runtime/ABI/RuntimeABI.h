// The contract between code that cufort generates and libcufort_rt: plain C, the one place where both sides take
// their declarations from. The compiler derives the MLIR type of every call from these declarations.
//
// Change anything here => raise CUFORT_ABI_VERSION and edit codegen/RuntimeCalls and codegen/DeviceLink.
//
// Units are bytes unless a comment says elements. Addresses are host addresses unless a comment says device.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUFORT_ABI_VERSION 30

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// What an executable or a shared library tells the runtime about its device code
//===----------------------------------------------------------------------===//

/// What a CufortEntry describes.
enum CufortEntryKind { CufortEntryKernel = 1, CufortEntryVariable = 2 };

/// Properties of a CufortEntry.
enum CufortEntryFlags {
  CufortEntryConstant = 1,    ///< variable in constant memory
  CufortEntryManaged = 2,     ///< variable in managed memory: the host reaches it by the device address
  CufortEntryDescriptor = 4,  ///< variable is an array descriptor whose host copy is the authority
  CufortEntryCooperative = 8, ///< kernel is attributes(grid_global)
  CufortEntryWaits = 16,      ///< kernel of the emulated device with loops that wait for what other threads store
  CufortEntryChecked = 32,    ///< and one that tells of its accesses to shared memory
  CufortEntryFollowed = 64,   ///< CufortEntryDescriptor that the host changes without a call: launches look at it
  CufortEntryReadMostly = 128 ///< CufortEntryManaged that is as for cufortReadMostly
};

/// One kernel or device variable. Every object file puts its entries into the section `cufort_entries`; the linker
/// concatenates them and the image object of the device link gives their bounds.
typedef struct CufortEntry {
  const void *hostAddress; ///< kernel: its host stub. Variable: its host shadow. The key at run time.
  const char *deviceName;  ///< symbol in the device image
  const char *fortranName; ///< what the user wrote, for messages
  uint64_t size;           ///< bytes of a variable, 0 for a kernel
  uint32_t kind;           ///< CufortEntryKind
  uint32_t flags;          ///< CufortEntryFlags
} CufortEntry;

/// One kernel of the emulated device. `thread` runs one thread and finds who it is in cufortEmuThread; it waits where
/// the kernel waits. `blocks`, if not null, runs a range of whole blocks in loops over their threads, and is preferred.
/// A kernel whose threads meet has phases then, and `resume` runs one thread from the meeting on that phase number
/// `phase` begins with.
struct CufortEmuBlocks;
typedef struct CufortEmuKernel {
  const char *deviceName;
  void (*thread)(void **params);
  void (*blocks)(void **params, const struct CufortEmuBlocks *range);
  const uint32_t *paramSizes; ///< bytes of each parameter: the launch copies them before it returns
  uint32_t paramCount;
  uint32_t staticSharedBytes; ///< includes padding up to the alignment of dynamic shared memory (16)
  uint32_t maxThreads;        ///< launch_bounds, or 0
  uint32_t flags;             ///< CufortEntryFlags
  uint32_t clusterDim[3];     ///< cluster_dims, or 0
  uint32_t reserved;
  void (*resume)(void **params, const struct CufortEmuBlocks *range, int64_t thread, int32_t phase, const void *shared);
  uint64_t phaseBytes; ///< of memory that `blocks` needs; 0 if the kernel has no phases
} CufortEmuKernel;

/// One variable of the emulated device.
typedef struct CufortEmuVariable {
  const char *deviceName;
  void *address;
  uint64_t size;
  /// Bytes behind the end of the page in which the variable ends that nobody uses: the runtime makes them fault.
  uint64_t guardBytes;
} CufortEmuVariable;

/// Which lines of the sources the code for the emulated device comes from. Behind this header come the names of the
/// files, each with a 0 at its end, and rows up to the end of the table. A row is: by how many bytes its code begins
/// behind that of the row before, times 2, plus 1 if a file follows; the file, counted from 0; by how much its line is
/// larger. All are in LEB128, the last one signed. Before the first row all three are 0. Code of line 0 comes from no
/// source.
typedef struct CufortLineTable {
  uint32_t bytes;     ///< of all, with this header; 0: nothing is known
  uint32_t codeBytes; ///< of the code that has rows
  uint32_t anchor;    ///< bytes from its start to CufortImage::emuCode
  uint32_t fileCount;
} CufortLineTable;

/// All device code of one executable or shared library.
struct CufortFatHeader;
typedef struct CufortImage {
  uint32_t abiVersion;
  uint32_t reserved;
  const struct CufortFatHeader *fatBinary; ///< null, or without members, if there is emulated code only
  const CufortEntry *entriesBegin, *entriesEnd;
  const CufortEmuKernel *emuKernelsBegin, *emuKernelsEnd;
  const CufortEmuVariable *emuVariablesBegin, *emuVariablesEnd;
  const CufortLineTable *emuLines; ///< may be null
  const void *emuCode;             ///< in the code that `emuLines` is about
  /// cufortWriteOutput if the code prints, else null.
  void (*writeOutput)(const char *file, int32_t line);
} CufortImage;

/// Makes `image` known. Called from a constructor: touches no driver, never fails.
void cufortRegisterImage(const CufortImage *image);

/// Forgets `image` (a shared library is being unloaded). Modules loaded from it are unloaded.
void cufortUnregisterImage(const CufortImage *image);

//===----------------------------------------------------------------------===//
// Fat binary: header, then `count` members, then their bytes. Little endian, 8-byte aligned.
//===----------------------------------------------------------------------===//

#define CUFORT_FAT_MAGIC 0x54414643u /* "CFAT" */

enum CufortFatKind { CufortFatPTX = 1, CufortFatCubin = 2, CufortFatVersions = 3 };

enum CufortFatFlags {
  CufortFatPrints = 1,    ///< the code prints
  CufortFatAsksDevice = 2 ///< the code has variables for what it asks of its device (runtime/ABI/DeviceFacts.h)
};

typedef struct CufortFatHeader {
  uint32_t magic;
  uint32_t version; ///< 2
  uint32_t count;
  uint32_t flags; ///< CufortFatFlags or-ed together
  uint64_t size;  ///< of all, with this header
} CufortFatHeader;

typedef struct CufortFatMember {
  uint32_t kind;   ///< CufortFatKind
  uint32_t arch;   ///< 90 for sm_90 / compute_90
  uint32_t flags;  ///< bit 0: arch-specific ("sm_90a"): runs on exactly this architecture
  uint32_t zstd;   ///< 1: the bytes are one zstd frame
  uint64_t offset; ///< from the header
  uint64_t storedSize;
  uint64_t size; ///< after decompression; PTX is followed by a NUL that is counted
} CufortFatMember;

//===----------------------------------------------------------------------===//
// Versions of kernels. A member of the kind CufortFatVersions, never compressed, belongs to the code for the same
// architecture. It is a sequence of records: a CufortVersion, its steps, its tests, its values, and symbols, each with
// a NUL at its end, of the kernel, of the version and of the variables of its tests. Records begin at multiples of 8
// bytes.
//
// A launch runs the version in the first record of its kernel whose tests hold; the kernel itself if there is none.
// Before, it takes the steps of the record, whose results tests and parameters may be.
//
// An alternative has the parameters of the last record of its kernel before it that is of none, or of the kernel
// itself, and perhaps one more, and calculates the same, to the bit. Launches that would run that code may run the alternative: which is
// faster, they measure.
//===----------------------------------------------------------------------===//

typedef struct CufortVersion {
  uint32_t bytes; ///< of the record, with this
  uint16_t testCount, variableCount, stepCount, valueCount;
  uint16_t kernelParameters, versionParameters; ///< how many there are; a version may have more than the kernel
} CufortVersion;

enum CufortVersionLimits { CufortMaxSteps = 128, CufortMaxVersionParameters = 160 };

/// Operations on numbers of `bits` bits, 32 or 64. Those of 32 bits have results from 0 to 2**32 - 1.
enum CufortStepKind {
  CufortStepConstant = 1, ///< `value`
  CufortStepParameter,    ///< what stands `value` bytes behind the start of parameter `first`
  CufortStepAdd,          ///< of the results of the steps `first` and `second`, which come before; others likewise
  CufortStepSubtract,
  CufortStepMultiply,
  CufortStepAnd,
  CufortStepOr,
  CufortStepXor,
  CufortStepShiftLeft,  ///< by `second` modulo `bits`
  CufortStepShiftRight, ///< with zeroes
  CufortStepShiftRightSigned,
  CufortStepSignExtend, ///< `first`, a number of 32 bits
  CufortStepMinSigned,
  CufortStepMaxSigned,
  CufortStepMinUnsigned,
  CufortStepMaxUnsigned,
  /// With m and s of the next two for a divisor d = `first` from 1 to 2**31 - 1, x / d is (x * m / 2**31) / 2**s for
  /// all x from 0 to 2**31, rounded down twice.
  CufortStepDivisionMultiplier,
  CufortStepDivisionShift,
  CufortStepEnd ///< no kind
};

typedef struct CufortStep {
  uint8_t kind; ///< CufortStepKind
  uint8_t bits;
  uint16_t first, second, unused;
  uint64_t value;
} CufortStep;

#define CUFORT_NO_PARAMETER 0xffffu

enum CufortTestKind {
  CufortTestParameter = 1, ///< the 32 bits at `offset` of parameter `index`, which counts from 0, and `mask`: `value`
  CufortTestStrides = 2, ///< the version of the descriptor in the device image of variable `index`, and `mask`: `value`
  CufortTestSame = 3,    ///< that of variable `index` is that of variable `offset`
  CufortTestBlock = 4,   ///< the extent of the block on axis `index` is `value`
  CufortTestStep = 5,    ///< the result of step `index` is from `offset` to `value`
  CufortTestEqual = 6,   ///< the 32 bits at `offset` of parameter `index` are those at `value` of parameter `mask`
  /// The grid has at least as many threads on axis `index` as the first 32 bits of parameter `mask` say, less those of
  /// parameter `offset`, plus `value`; all with a sign. Either parameter may be CUFORT_NO_PARAMETER, for 0.
  CufortTestThreads = 7,
  /// Nothing has to hold, and this is the only test: the record is of an alternative. `offset` is how many blocks each of
  /// its blocks does, 1 or 2: neighbours on axis `index`. If there are 2, it has another parameter, behind the `mask`
  /// that the code has to which it is an alternative: 32 bits, the extent of the grid on that axis.
  CufortTestAlternative = 8
};

typedef struct CufortTest {
  uint16_t kind; ///< CufortTestKind
  uint16_t index;
  uint32_t offset, mask, value;
} CufortTest;

/// The version gets the low bytes of the result of `step` for `parameter`.
typedef struct CufortValue {
  uint16_t parameter, step;
} CufortValue;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// Launches the kernel whose host stub is `kernel`. A grid extent of -1 asks for as many blocks as can be resident
/// (CUDA Fortran guide 3.5). `params` points at one pointer per kernel parameter, as cuLaunchKernel takes them.
/// cluster extents of 0 mean: no cluster. Asynchronous. A failure becomes the thread's last CUDA error and is
/// reported with the kernel's name and file:line at the next point that has no status variable.
void cufortLaunchKernel(void *kernel, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t blockX, int64_t blockY,
                        int64_t blockZ, int64_t clusterX, int64_t clusterY, int64_t clusterZ, int64_t sharedBytes,
                        int64_t stream, int32_t cooperative, void **params, const char *file, int32_t line);

/// Writes what Fortran's runtime still holds of the host's standard output, before a launch at file:line of code that
/// prints. Does nothing in a function that an output statement for the same unit calls.
void cufortWriteOutput(const char *file, int32_t line);

/// What cufortNoteStrides sets in the version of a descriptor, the 32 bits at CufortVersionOffset.
#define CUFORT_PLAIN_STRIDES INT32_MIN
enum { CufortVersionOffset = 16 };

/// Sets CUFORT_PLAIN_STRIDES in `descriptor`, which a kernel is to get, if the array's elements of `elementBytes` bytes
/// are neighbours in the first dimension and the strides of the others are from 0 to 2**31 - 1 bytes, and multiples of
/// the powers of two up to 16 that divide `elementBytes`. A kernel has a version of its own for such arrays.
void cufortNoteStrides(void *descriptor, int64_t elementBytes);

/// Says which statement calls the runtime next, and which variables it writes and reads (null: not known), for traces.
/// Everything must live forever. Does nothing unless the environment asks for a trace.
void cufortNoteStatement(const char *target, const char *source, const char *file, int32_t line);

/// Says that what the next transfer of the calling thread reads on the host is gone after the statement: the value of
/// an expression. A graph into which the transfer goes gets a copy.
void cufortNoteTemporary(void);

/// Memory for a variable with a CUDA attribute in a host procedure: `kind` 0 device, 1 managed, 2 unified, 3 pinned, 4
/// device memory for a temporary of a statement, which lasts if a graph is being made of the statement. Never returns
/// null: without memory, the program ends with a message at file:line.
void *cufortMemAlloc(size_t bytes, int32_t kind, const char *file, int32_t line);

/// The memory of a device variable of the main program in the current device of the calling thread: `bytes` bytes that
/// are allocated there when they are first asked for, and again after cudaDeviceReset. `variable` is its name, any
/// address that no other variable has. Never returns null: without memory, the program ends with a message at
/// file:line.
void *cufortMemInDevice(void *variable, size_t bytes, const char *file, int32_t line);

/// Lets the host and each device that reads the managed memory at `address` have a copy of its own, until one of them
/// writes: the host reads descriptors in it before each launch, and kernels what stands beside them. A hint, which
/// fails silently.
void cufortReadMostly(void *address, size_t bytes);

/// Memory of malloc for a host variable, aligned as ALIGN= of the ALLOCATE statement says; free takes it. Never returns
/// null: without memory, the program ends with a message at file:line.
void *cufortHostAlloc(size_t bytes, const char *file, int32_t line);

/// Gives back what cufortMemAlloc returned for `kind`.
void cufortMemFree(void *address, int32_t kind, const char *file, int32_t line);

/// Frees memory of cufortMemAlloc or of malloc; null does nothing.
void cufortFree(void *address, const char *file, int32_t line);

/// From here on device code gets addresses of any data of the host. Ends the program with a message if a device cannot
/// use them.
void cufortRequireHostAccess(void);

/// Makes `temporary`, an unset allocatable descriptor, a contiguous copy of `array`, a section of device, managed or
/// unified data, in memory of the same `kind`, for a dummy argument that wants one. Without memory, the program ends
/// with a message at file:line.
void cufortCopyIn(void *temporary, void *array, int32_t kind, const char *file, int32_t line);

/// Waits for the device, copies what the dummy argument left in `temporary` back to `array`, unless that is null, and
/// frees it.
void cufortCopyOut(void *array, void *temporary, const char *file, int32_t line);

/// Assigns the derived types that the descriptor `from` describes to those of the descriptor at `to` (Fortran 2018
/// 10.2.1), whose components may be in any memory.
void cufortAssign(void *to, void *from, const char *file, int32_t line);

/// As cufortAssign, for a temporary whose components, or whose only value, have none yet.
void cufortAssignTemporary(void *to, void *from, const char *file, int32_t line);

/// Appends a copy of the derived types that the descriptor `from` describes to the array constructor `vector`, which
/// Flang's runtime has begun.
void cufortPushArrayConstructorValue(void *vector, void *from, const char *file, int32_t line);

/// Tells the descriptor of an allocatable or pointer component in which memory its data will be: the descriptors of
/// static variables come without. `kind` is that of cufortMemAlloc. No effect while there is data.
void cufortSetAllocator(void *descriptor, int32_t kind);

/// DEALLOCATE of a pointer whose target has a CUDA attribute. `pointer` is its descriptor, which becomes null;
/// `errmsg` is the descriptor of the ERRMSG= variable or null. Returns the STAT= value; without `hasStat` a failure
/// ends the program with a message at file:line.
int32_t cufortPointerDeallocate(void *pointer, int32_t hasStat, void *errmsg, const char *file, int32_t line);

/// Ends the program with a message at file:line: `subscript` is not between `lower` and `upper`, the bounds of
/// dimension `dimension`, which counts from 1, of the array `variable`; `upper` is INT64_MAX if there is none.
/// Dimension 0 is that of the characters of a string.
void cufortSubscriptError(const char *variable, int64_t dimension, int64_t subscript, int64_t lower, int64_t upper,
                          const char *file, int32_t line);

/// Ends the program with a message at file:line: an array whose dimension `dimension`, which counts from 1, has the
/// extent `source` is assigned to one where it is `target`.
void cufortExtentError(int64_t dimension, int64_t source, int64_t target, const char *file, int32_t line);

/// Ends the program with a message at file:line: the pointer or allocatable `variable` has no target.
void cufortNullError(const char *variable, const char *file, int32_t line);

/// Ends the program with a message: `kernel` has been called as a procedure of the host.
void cufortKernelCalled(const char *kernel);

/// Floating-point exceptions of -Ktrap.
enum CufortTrap {
  CufortTrapInvalid = 1,
  CufortTrapDivideByZero = 2,
  CufortTrapOverflow = 4,
  CufortTrapUnderflow = 8,
  CufortTrapInexact = 16,
  CufortTrapDenormal = 32
};

/// From here on the floating-point exceptions in `traps`, CufortTrap or-ed together, stop the program by SIGFPE. Holds
/// for the calling thread and those that it starts; device code does not trap.
void cufortEnableTraps(int32_t traps);

/// From here on the calls that led there are written when the program ends by a signal or by an error.
void cufortEnableTraceback(void);

/// Ends the program with a message about `variable`, which ALLOCATE or DEALLOCATE at file:line could not serve.
typedef enum { CufortAlreadyAllocated, CufortNotAllocated, CufortNoMemory } CufortAllocationFailure;
void cufortAllocationError(int32_t failure, const char *variable, const char *file, int32_t line);

/// Sets `*place`, which is on the stack of the procedure that calls, to an address by which `procedure`, internal to
/// it, can be called until that returns; it gets `frame`, its pointer to the variables of its host, in register r10.
/// Ends the program with a message if there is no memory.
void cufortMakeTrampoline(void **place, void *procedure, void *frame);

/// How many threads the calling thread's device can have at a time; more than any launch has on the emulated device,
/// and if there is none: the launch says so.
int64_t cufortThreadsAtOnce(void);

#define CUFORT_GRID_EXTENT_BITS 16

/// The grid for a launch of `kernel`, which reduces `count` variables, with `params` as cufortLaunchKernel will get
/// them, but for the scratch memory, which may be null: which version of the kernel runs, and so how many blocks run at
/// once, depends on them. `neededX` to `neededZ`, at least 1, are the blocks that would give each iteration a thread, 1
/// on axes whose extents the program gives: `given` is their product. An iteration has about `cost` operations;
/// `isUneven` is 1 if iterations may take quite different times, and otherwise 0. Returns the extents from x on,
/// CUFORT_GRID_EXTENT_BITS each.
int64_t cufortReductionGrid(void *kernel, int64_t neededX, int64_t neededY, int64_t neededZ, int64_t given,
                            int64_t blockX, int64_t blockY, int64_t blockZ, int32_t count, int32_t cost,
                            int32_t isUneven, void **params);

/// Device scratch memory (ReductionScratch.h) for `count` reductions of a launch of `blocks` blocks on `stream`.
/// Returns a device address, or null after a failure, which the following launch reports.
void *cufortReductionScratch(int32_t count, int64_t blocks, int64_t stream, const char *file, int32_t line);

/// Waits for the results of the launch, copies the `count` values, 16 bytes each, to `host`, and gives the scratch
/// memory back.
void cufortReductionFetch(void *host, void *scratch, int32_t count, int64_t stream, const char *file, int32_t line);

/// Gives scratch memory back to later launches on `stream`: the kernel leaves its results in device memory. Waits for
/// the stream if `wait`, unless it is being captured.
void cufortReductionRelease(void *scratch, int64_t stream, int32_t wait, const char *file, int32_t line);

/// Lets the device array that the descriptor `result` describes be the product of those of `left` and `right`, which
/// are transposed first if `leftTransposed`, `rightTransposed`. Works in the order of the default stream.
void cufortMatrixProduct(void *result, void *left, void *right, int32_t leftTransposed, int32_t rightTransposed);

/// Copies the device array that the descriptor `from` describes to that of `to`, which does not overlap with it:
/// dimension d of the source, counted from 0, becomes the one of the copy whose number, counted from 1, is in the bits
/// 4 * d to 4 * d + 3 of `order`. Returns 0, and has done nothing, if the extents do not agree with that, if the
/// elements have not 1, 2, 4, 8 or 16 bytes, or if a kernel for each element does as well. Works in the order of the
/// default stream.
int32_t cufortPermute(void *to, void *from, int64_t order);

/// Lets the calling thread's default stream be the one that is bound to the variable at device address `target`, or
/// else at `source`, which may be null; without either it stays. Returns what it was, for cufortUseStream.
int64_t cufortUseStreamOf(void *target, void *source);
void cufortUseStream(int64_t stream);

/// Returns 1 if some variable of the program may have a default stream of its own, else 0.
int32_t cufortVariablesHaveStreams(void);

/// Waits until the host may read managed data: for the stream that is bound to the variable at `address`, which may be
/// null, or else to the thread; without either for all work of the device. Does nothing while the stream is captured.
void cufortWaitForManaged(void *address, const char *file, int32_t line);

#ifdef __cplusplus
} // extern "C"
static_assert(sizeof(CufortEntry) == 40, "layout is emitted by codegen/Host");
static_assert(sizeof(CufortEmuKernel) == 80, "layout is emitted by codegen/DeviceLink");
static_assert(sizeof(CufortEmuVariable) == 32, "layout is emitted by codegen/DeviceLink");
static_assert(sizeof(CufortLineTable) == 16, "layout is emitted by codegen/DeviceLink");
static_assert(sizeof(CufortImage) == 88, "layout is emitted by codegen/DeviceLink");
static_assert(sizeof(CufortFatHeader) == 24 && sizeof(CufortFatMember) == 40, "file format");
#endif
