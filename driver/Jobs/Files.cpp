#include "driver/Jobs/Files.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace cufort::driver;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string tempRoot() {
  const char *chosen = std::getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/tmp";
}

llvm::Error cannotWrite(llvm::StringRef file, std::error_code error) {
  return failure("cannot write '" + file + "': " + error.message());
}

std::error_code copyContents(llvm::StringRef from, llvm::StringRef to) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> contents =
      llvm::MemoryBuffer::getFile(from, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!contents)
    return contents.getError();
  std::error_code error;
  llvm::raw_fd_ostream out(to, error, fs::CD_OpenExisting, fs::FA_Write, fs::OF_None);
  if (error)
    return error;
  out << (*contents)->getBuffer();
  out.close();
  error = out.error();
  out.clear_error();
  return error;
}

/// Copies `from` to a new file in the directory of `to`, then renames it.
std::error_code replaceByCopy(llvm::StringRef from, llvm::StringRef to) {
  llvm::SmallString<128> copy;
  if (std::error_code error = fs::createUniqueFile(to + ".%%%%%%%%.tmp", copy))
    return error;
  std::error_code error = fs::copy_file(from, copy);
  if (!error) {
    llvm::ErrorOr<fs::perms> permissions = fs::getPermissions(from);
    if (permissions)
      error = fs::setPermissions(copy, *permissions);
  }
  if (!error)
    error = fs::rename(copy, to);
  if (error)
    fs::remove(copy);
  return error;
}

} // namespace

TempDirectory &TempDirectory::operator=(TempDirectory &&other) {
  std::swap(root, other.root);
  std::swap(exists, other.exists);
  std::swap(used, other.used);
  return *this;
}

llvm::Expected<TempDirectory> TempDirectory::create() {
  std::string pattern = tempRoot() + "/cufort-XXXXXX";
  if (!mkdtemp(pattern.data()))
    return failure("cannot make a directory for temporary files in '" + tempRoot() + "': " + strerror(errno) +
                   "; set TMPDIR to a directory that can be written");
  TempDirectory directory;
  directory.root = pattern;
  directory.exists = true;
  return directory;
}

TempDirectory TempDirectory::pretend() {
  TempDirectory directory;
  directory.root = tempRoot() + "/cufort-XXXXXX";
  return directory;
}

std::string TempDirectory::newFile(llvm::StringRef stem, llvm::StringRef suffix) {
  std::string name = (stem + suffix).str();
  for (unsigned number = 2; !used.insert(name).second; ++number)
    name = (stem + "-" + llvm::Twine(number) + suffix).str();
  return root + "/" + name;
}

llvm::Expected<std::string> TempDirectory::newDirectory(llvm::StringRef stem) {
  std::string name = newFile(stem, ".dir");
  if (exists)
    if (std::error_code error = fs::create_directory(name))
      return cannotWrite(name, error);
  return name;
}

void TempDirectory::remove() {
  if (exists)
    fs::remove_directories(root);
  exists = false;
}

llvm::Error cufort::driver::installFile(llvm::StringRef from, llvm::StringRef to) {
  fs::file_status status;
  bool there = !fs::status(to, status);
  llvm::SmallString<128> target(to);
  std::error_code error;
  if (there && status.type() != fs::file_type::regular_file) {
    error = copyContents(from, to);
  } else {
    // Through a symbolic link: the link stays.
    if (there)
      fs::real_path(to, target);
    error = fs::rename(from, target);
    if (error == std::errc::cross_device_link)
      error = replaceByCopy(from, target);
  }
  return error ? cannotWrite(to, error) : llvm::Error::success();
}

llvm::Error cufort::driver::installAll(llvm::StringRef from, llvm::StringRef to) {
  std::error_code error;
  for (fs::directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    llvm::SmallString<128> target(to);
    path::append(target, path::filename(at->path()));
    if (llvm::Error failed = installFile(at->path(), target))
      return failed;
  }
  return llvm::Error::success();
}

void cufort::driver::removeOldOutput(llvm::StringRef path) {
  fs::file_status status;
  if (!fs::status(path, status, /*follow=*/false) && status.type() == fs::file_type::regular_file)
    fs::remove(path);
}

llvm::Error cufort::driver::checkWritable(llvm::StringRef file) {
  fs::file_status status;
  std::string name = file.str();
  if (!fs::status(file, status)) {
    if (fs::is_directory(status))
      return cannotWrite(file, std::make_error_code(std::errc::is_a_directory));
    if (access(name.c_str(), W_OK) != 0)
      return cannotWrite(file, std::error_code(errno, std::generic_category()));
    return llvm::Error::success();
  }
  llvm::StringRef parent = path::parent_path(file);
  std::string directory = parent.empty() ? "." : parent.str();
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    return cannotWrite(file, std::error_code(errno, std::generic_category()));
  return llvm::Error::success();
}
