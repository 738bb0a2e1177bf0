// llvm-objcopy could do this, but leaves the symbols of a section that grows without one (LLVM 22).

#include "codegen/DeviceLink/ObjectSections.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace cufort::codegen;

using Header = object::ELF64LE::Shdr;

/// Calls `visit` with the name and the header of each section of the object in `bytes`.
static void forEachSection(MutableArrayRef<char> bytes, function_ref<void(StringRef, Header &)> visit) {
  auto file = object::ELF64LEFile::create(StringRef(bytes.data(), bytes.size()));
  if (!file)
    return consumeError(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return consumeError(sections.takeError());
  for (const Header &section : *sections) {
    auto name = file->getSectionName(section);
    if (name)
      visit(*name, const_cast<Header &>(section));
    else
      consumeError(name.takeError());
  }
}

Error cufort::codegen::replaceSection(SmallVector<char, 0> &object, StringRef name, StringRef contents,
                                      unsigned alignment) {
  size_t start = alignTo(object.size(), alignment);
  object.resize(start);
  object.append(contents.begin(), contents.end());
  bool found = false;
  forEachSection(object, [&](StringRef each, Header &section) {
    if (each != name)
      return;
    section.sh_offset = start;
    section.sh_size = contents.size();
    found = true;
  });
  return found ? Error::success() : createStringError("the image object has no section '" + name + "'");
}

void cufort::codegen::excludeSections(SmallVector<char, 0> &object, StringRef prefix) {
  forEachSection(object, [&](StringRef name, Header &section) {
    name.consume_front(".rela");
    if (name.starts_with(prefix))
      section.sh_flags = section.sh_flags | ELF::SHF_EXCLUDE;
  });
}
