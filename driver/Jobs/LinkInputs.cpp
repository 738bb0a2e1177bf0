#include "driver/Jobs/LinkInputs.h"
#include "driver/Options/Words.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"

using namespace cufort::driver;
namespace fs = llvm::sys::fs;

namespace {

class InputCollector {
public:
  InputCollector(const Invocation &invocation, const std::vector<std::string> &objects)
      : invocation(invocation), objects(objects), preferStatic(invocation.link.fullyStatic) {
    // The linker searches every -L for every -l, also for those before it.
    for (const LinkItem &item : invocation.linkItems)
      if (llvm::StringRef(item.option).starts_with("-L"))
        directories.push_back(item.option.substr(2));
  }

  std::vector<DeviceLinkInput> collect() {
    for (const LinkItem &item : invocation.linkItems) {
      if (item.input)
        addInput(*item.input);
      else
        addOption(item.option);
    }
    return std::move(inputs);
  }

private:
  void add(DeviceLinkInput::Kind kind, std::string path) {
    bool archive = kind == DeviceLinkInput::Archive;
    // Builds name archives several times, so that the linker looks into them again; their device code counts once.
    llvm::SmallString<128> file;
    if (archive && !fs::real_path(path, file) && !archives.insert(file).second)
      return;
    inputs.push_back({kind, std::move(path), archive && wholeArchive});
  }

  void addInput(size_t index) {
    FileKind kind = invocation.inputs[index].traits.kind;
    if (kind == FileKind::Archive)
      add(DeviceLinkInput::Archive, objects[index]);
    else if (isSource(kind) || kind == FileKind::Object)
      add(DeviceLinkInput::Object, objects[index]);
    else if (kind == FileKind::Other)
      addByContents(objects[index]);
  }

  void addByContents(const std::string &path) {
    llvm::file_magic magic;
    if (llvm::identify_magic(path, magic))
      return;
    if (magic == llvm::file_magic::archive)
      add(DeviceLinkInput::Archive, path);
    else if (magic == llvm::file_magic::elf_relocatable)
      add(DeviceLinkInput::Object, path);
  }

  void addOption(llvm::StringRef option) {
    if (option.consume_front("-l"))
      addLibrary(option);
    else if (option.consume_front("-Wl,"))
      for (llvm::StringRef word : splitList(option))
        addLinkerWord(word);
    else if (!option.starts_with("-"))
      addLinkerWord(option); // the argument of -Xlinker
  }

  void addLinkerWord(llvm::StringRef word) {
    if (word == "--whole-archive" || word == "-whole-archive")
      wholeArchive = true;
    else if (word == "--no-whole-archive" || word == "-no-whole-archive")
      wholeArchive = false;
    else if (word == "-Bstatic")
      preferStatic = true;
    else if (word == "-Bdynamic")
      preferStatic = invocation.link.fullyStatic;
    else if (word.starts_with("-l"))
      addLibrary(word.drop_front(2));
    else if (word.ends_with(".a") && fs::exists(word))
      add(DeviceLinkInput::Archive, word.str());
  }

  void addLibrary(llvm::StringRef name) {
    bool exact = name.consume_front(":");
    for (const std::string &directory : directories) {
      std::string archive = directory + (exact ? "/" + name.str() : "/lib" + name.str() + ".a");
      if (!exact && !preferStatic && fs::exists(directory + "/lib" + name + ".so"))
        return;
      if (!fs::exists(archive))
        continue;
      if (llvm::StringRef(archive).ends_with(".a"))
        add(DeviceLinkInput::Archive, archive);
      return;
    }
  }

  const Invocation &invocation;
  const std::vector<std::string> &objects;
  std::vector<std::string> directories;
  std::vector<DeviceLinkInput> inputs;
  llvm::StringSet<> archives; ///< files that are among the inputs
  bool wholeArchive = false;
  bool preferStatic;
};

} // namespace

std::vector<DeviceLinkInput> cufort::driver::collectDeviceInputs(const Invocation &invocation,
                                                                 const std::vector<std::string> &objects) {
  return InputCollector(invocation, objects).collect();
}
