#include "driver/Jobs/NvccObjects.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/Binary.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"

using namespace cufort::driver;
using namespace llvm::object;

namespace {

bool hasRelocatableCode(const Binary &binary) {
  const auto *object = llvm::dyn_cast<ObjectFile>(&binary);
  if (!object)
    return false;
  for (const SectionRef &section : object->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == "__nv_relfatbin")
      return true;
  }
  return false;
}

bool anyMemberHas(const Archive &archive) {
  bool found = false;
  llvm::Error error = llvm::Error::success();
  for (const Archive::Child &member : archive.children(error)) {
    llvm::Expected<std::unique_ptr<Binary>> binary = member.getAsBinary();
    if (binary)
      found |= hasRelocatableCode(**binary);
    else
      llvm::consumeError(binary.takeError());
  }
  llvm::consumeError(std::move(error));
  return found;
}

bool fileHas(const std::string &path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return false;
  llvm::Expected<OwningBinary<Binary>> file = createBinary(path);
  if (!file) {
    // What is no object is the linker's business.
    llvm::consumeError(file.takeError());
    return false;
  }
  if (const auto *archive = llvm::dyn_cast<Archive>(file->getBinary()))
    return anyMemberHas(*archive);
  return hasRelocatableCode(*file->getBinary());
}

} // namespace

std::vector<std::string> cufort::driver::findNvccObjects(const std::vector<DeviceLinkInput> &inputs) {
  std::vector<std::string> found;
  for (const DeviceLinkInput &input : inputs)
    if (fileHas(input.path))
      found.push_back(input.path);
  return found;
}
