// Addresses of internal procedures. Such a procedure finds the variables of its host through a pointer in a register,
// which whoever calls it by its address does not set. So the address is that of a trampoline, which does.
//
// Trampolines are pages of code that never changes, each followed by a page with the procedures and pointers:
//
//   code + 16 * i: mov r10, [data + 16 * i + 8]      data + 16 * i: procedure, frame
//                  jmp [data + 16 * i]
//
// Nobody says when one is not needed any more. But the compiled procedure has a place on its stack for each, and once
// that place is used again, the trampoline of before is that of a call that has returned: it is used again, too.

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Stream/ErrorState.h"
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unordered_map>

namespace {

constexpr size_t pageBytes = 4096, trampolineBytes = 16;

/// What a trampoline of the code page does, as data.
struct Target {
  void *procedure, *frame;
};
static_assert(sizeof(Target) == trampolineBytes, "a trampoline finds its target one page on");

struct Trampoline {
  void *code;
  Target *target;
};

/// The instructions of a trampoline: the distances count from the end of each.
constexpr unsigned char instructions[trampolineBytes] = {
    0x4c, 0x8b, 0x15, 0x01, 0x10, 0x00, 0x00, // mov r10, [rip + 4096 + 8 - 7]
    0xff, 0x25, 0xf3, 0x0f, 0x00, 0x00        // jmp [rip + 4096 - 13]
};

class Pool {
public:
  /// The trampoline for the `place` on a stack, or one without code if there is no memory.
  Trampoline at(const void *place) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = ofPlaces.find(place);
    if (found != ofPlaces.end())
      return found->second;
    if (next == end && !addPages())
      return {};
    Trampoline made = {next, reinterpret_cast<Target *>(next + pageBytes)};
    next += trampolineBytes;
    ofPlaces.emplace(place, made);
    return made;
  }

private:
  bool addPages() {
    void *pages = mmap(nullptr, 2 * pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      return false;
    auto *code = static_cast<char *>(pages);
    for (size_t offset = 0; offset < pageBytes; offset += trampolineBytes)
      memcpy(code + offset, instructions, trampolineBytes);
    if (mprotect(code, pageBytes, PROT_READ | PROT_EXEC) != 0) {
      munmap(pages, 2 * pageBytes);
      return false;
    }
    next = code;
    end = code + pageBytes;
    return true;
  }

  std::mutex lock;
  std::unordered_map<const void *, Trampoline> ofPlaces;
  char *next = nullptr, *end = nullptr; ///< code of trampolines that have not been used
};

} // namespace

void cufortMakeTrampoline(void **place, void *procedure, void *frame) {
  // Never destroyed: procedures may be called when the program ends.
  static Pool &pool = *new Pool;
  Trampoline trampoline = pool.at(place);
  if (!trampoline.code)
    cufort::rt::failProgram(nullptr, 0, "no memory for the address of an internal procedure");
  *trampoline.target = {procedure, frame};
  *place = trampoline.code;
}
