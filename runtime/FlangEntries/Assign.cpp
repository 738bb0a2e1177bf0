// Assignment of derived types that have components on the device, and of objects whose type is known when the program
// runs only.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/DeepCopy.h"
#include "runtime/FlangEntries/Elements.h"
#include "runtime/FlangEntries/FlangAssign.h"
#include "runtime/FlangEntries/ReleaseComponents.h"
#include "runtime/Trace/Statement.h"
#include <cstring>
#include <deque>
#include <memory>

using namespace cufort::rt;

extern "C" {
void _FortranAInitialize(const FortranDescriptor &, const char *file, int line);
void _FortranAFinalize(const FortranDescriptor &, const char *file, int line);
void _FortranAPushArrayConstructorSimpleScalar(void *vector, void *from);
int _FortranAAllocatableAllocate(FortranDescriptor &, int64_t *stream, bool hasStat, const FortranDescriptor *errMsg,
                                 const char *file, int line, void *(*move)(void *, const void *, size_t));
int _FortranAPointerAllocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                             int line, void *(*move)(void *, const void *, size_t));

// As Flang's entries of these names.
void cufortAssignPolymorphic(FortranDescriptor &to, const FortranDescriptor &from, const char *file, int line);
int cufortAllocatableAllocateSource(FortranDescriptor &, const FortranDescriptor &source, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line);
int cufortPointerAllocateSource(FortranDescriptor &, const FortranDescriptor &source, bool hasStat,
                                const FortranDescriptor *errMsg, const char *file, int line);
void *cufortCreateValueStack(const char *file, int line);
void cufortPushValue(void *stack, const FortranDescriptor &value, const char *file, int line);
void cufortValueAt(void *stack, uint64_t index, FortranDescriptor &value, const char *file, int line);
void cufortDestroyValueStack(void *stack, const char *file, int line);
}

namespace {

/// What Flang's own entry for assignments passes.
constexpr int assignFlags = MayReallocate | NeedsFinalization | ComponentsMayBeDefined;
constexpr int polymorphicFlags = assignFlags | TakesType;
constexpr int temporaryFlags = MayReallocate | TakesType;

/// Where the elements of `array` begin and end.
std::pair<uintptr_t, uintptr_t> rangeOf(const StridedArray &array) {
  auto begin = reinterpret_cast<uintptr_t>(array.base), end = begin + array.elementBytes;
  for (int i = 0; i < array.rank; ++i)
    (array.stride[i] < 0 ? begin : end) += (array.extent[i] - 1) * array.stride[i];
  return {begin, end};
}

bool overlap(const StridedArray &a, const StridedArray &b) {
  auto [beginOfA, endOfA] = rangeOf(a);
  auto [beginOfB, endOfB] = rangeOf(b);
  return a.elements() > 0 && b.elements() > 0 && beginOfA < endOfB && beginOfB < endOfA;
}

bool contains(const StridedArray &array, const void *address) {
  auto [begin, end] = rangeOf(array);
  auto place = reinterpret_cast<uintptr_t>(address);
  return array.elements() > 0 && begin <= place && place < end;
}

/// The intrinsic assignment of the value that `from` describes to the object of `to`.
class Assignment {
public:
  Assignment(FortranDescriptor &to, const FortranDescriptor &from, int flags)
      : to(to), from(from), values(from.base ? arrayOf(from) : StridedArray()), flags(flags),
        takesMemory((flags & MayReallocate) && to.isAllocatable() && !hasMemory()),
        type(dynamicType(takesMemory && (flags & TakesType) ? from : to)) {}

  /// True for derived types, unless Flang's runtime has to say what is wrong.
  bool isPossible() const {
    if (!type || !from.base || (takesMemory ? to.rank != from.rank : !to.base))
      return false;
    return takesMemory || from.rank == 0 || arrayOf(to).elements() == values.elements();
  }

  /// What the object has been is forgotten.
  void forget() {
    Elements elements(arrayOf(to));
    for (size_t count = to.base ? arrayOf(to).elements() : 0; count > 0; --count)
      std::memset(elements.next(), 0, static_cast<size_t>(type->bytes));
  }

  void run() {
    DeepCopy copy(flags & ComponentsMayBeDefined);
    std::unique_ptr<char[]> temporary;
    if (contains(values, &to) || (!takesMemory && overlap(arrayOf(to), values)))
      temporary = copyValues();
    if (const TypeDescription *old = to.base ? dynamicType(to) : nullptr;
        old && (flags & NeedsFinalization) && !old->needsNoFinalisation)
      _FortranAFinalize(to, nullptr, 0);
    if (takesMemory)
      takeMemory(copy);
    copy.add(arrayOf(to), values, *type);
    copy.run();
    if (temporary)
      releaseComponents(values, *type);
  }

private:
  bool hasMemory() const {
    if (!to.base || (from.rank > 0 && !sameShape(to, from)))
      return false;
    return !(flags & TakesType) || (to.type == from.type && dynamicType(to) == dynamicType(from));
  }

  std::unique_ptr<char[]> copyValues() {
    auto bytes = static_cast<int64_t>(type->bytes);
    std::unique_ptr<char[]> memory(new char[values.elements() * bytes]());
    StridedArray copy = values;
    copy.base = memory.get();
    copy.elementBytes = bytes;
    for (int i = 0; i < copy.rank; ++i) {
      copy.stride[i] = bytes;
      bytes *= copy.extent[i];
    }
    DeepCopy deepCopy(/*callsDefinedAssignments=*/false);
    deepCopy.add(copy, values, *type);
    deepCopy.run();
    values = copy;
    return memory;
  }

  /// The values may be in the memory that the object has.
  void takeMemory(DeepCopy &copy) {
    FortranDescriptor like = {};
    std::memcpy(&like, &from, from.sizeInBytes());
    like.elementBytes = static_cast<size_t>(type->bytes);
    exchangeType(like, const_cast<TypeDescription *>(type));
    if (to.base)
      copy.releaseAfterwards(to);
    to.base = nullptr;
    allocateLike(to, like);
  }

  FortranDescriptor &to;
  const FortranDescriptor &from;
  StridedArray values;
  const int flags;
  const bool takesMemory;
  const TypeDescription *const type;
};

void assign(FortranDescriptor &to, const FortranDescriptor &from, int flags, const char *file, int line) {
  Assignment assignment(to, from, flags);
  if (assignment.isPossible())
    assignment.run();
  else
    flangAssign(to, from, flags, file, line);
}

/// Gives `object`, which has just been allocated, the value of `source`.
void copySource(FortranDescriptor &object, const FortranDescriptor &source, const char *file, int line) {
  Assignment assignment(object, source, 0);
  if (assignment.isPossible())
    assignment.run();
  else
    flangAssignSource(object, source, file, line);
}

/// Assigns to a temporary, which holds nothing yet.
void assignTemporary(FortranDescriptor &to, const FortranDescriptor &from, const char *file, int line) {
  Assignment assignment(to, from, temporaryFlags);
  if (assignment.isPossible()) {
    assignment.forget();
    return assignment.run();
  }
  if (to.hasAddendum() && to.base)
    _FortranAInitialize(to, file, line);
  flangAssign(to, from, temporaryFlags, file, line);
}

/// A descriptor of one element of `array`, without its address.
FortranDescriptor elementOf(const FortranDescriptor &array) {
  FortranDescriptor element = {};
  std::memcpy(&element, &array, offsetof(FortranDescriptor, dim));
  element.rank = 0;
  element.attribute = 0;
  // The addendum says of which type it is; it follows the dimensions.
  if (array.hasAddendum())
    std::memcpy(&element.dim[0], &array.dim[array.rank], FortranDescriptor::addendumBytes);
  return element;
}

} // namespace

void cufortAssign(void *to, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  assign(*static_cast<FortranDescriptor *>(to), *static_cast<FortranDescriptor *>(from), assignFlags, file, line);
}

void cufortAssignTemporary(void *to, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  assignTemporary(*static_cast<FortranDescriptor *>(to), *static_cast<FortranDescriptor *>(from), file, line);
}

void cufortPushArrayConstructorValue(void *vector, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  const auto &array = *static_cast<const FortranDescriptor *>(from);
  Elements elements(arrayOf(array));
  FortranDescriptor source = elementOf(array), copy = elementOf(array);
  std::unique_ptr<char[]> memory(new char[array.elementBytes]());
  copy.base = memory.get();
  for (size_t count = arrayOf(array).elements(); count > 0; --count) {
    source.base = elements.next();
    assignTemporary(copy, source, file, line);
    // Moves the bytes: what the components hold belongs to the constructor's array from here on.
    _FortranAPushArrayConstructorSimpleScalar(vector, copy.base);
  }
}

void cufortAssignPolymorphic(FortranDescriptor &to, const FortranDescriptor &from, const char *file, int line) {
  StatementScope statement(file, line);
  assign(to, from, polymorphicFlags, file, line);
}

int cufortAllocatableAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line) {
  StatementScope statement(file, line);
  int stat = _FortranAAllocatableAllocate(object, nullptr, hasStat, errMsg, file, line, std::memcpy);
  if (stat == 0)
    copySource(object, source, file, line);
  return stat;
}

int cufortPointerAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, bool hasStat,
                                const FortranDescriptor *errMsg, const char *file, int line) {
  StatementScope statement(file, line);
  int stat = _FortranAPointerAllocate(object, hasStat, errMsg, file, line, std::memcpy);
  if (stat == 0)
    copySource(object, source, file, line);
  return stat;
}

// The values of a WHERE or FORALL construct, before any is assigned.

using ValueStack = std::deque<FortranDescriptor>;

void *cufortCreateValueStack(const char *, int) { return new ValueStack; }

void cufortPushValue(void *stack, const FortranDescriptor &value, const char *file, int line) {
  StatementScope statement(file, line);
  FortranDescriptor copy = {};
  std::memcpy(&copy, &value, value.sizeInBytes());
  copy.base = nullptr;
  copy.attribute = FortranDescriptor::allocatable;
  copy.extra = value.hasAddendum(); // in memory of the host
  assignTemporary(copy, value, file, line);
  static_cast<ValueStack *>(stack)->push_back(copy);
}

void cufortValueAt(void *stack, uint64_t index, FortranDescriptor &value, const char *, int) {
  const FortranDescriptor &copy = (*static_cast<ValueStack *>(stack))[index];
  std::memcpy(&value, &copy, copy.sizeInBytes());
}

void cufortDestroyValueStack(void *stack, const char *, int) {
  auto *values = static_cast<ValueStack *>(stack);
  for (FortranDescriptor &value : *values) {
    if (const TypeDescription *type = dynamicType(value))
      releaseComponents(arrayOf(value), *type);
    releaseObject(value);
  }
  delete values;
}
