#include "driver/Jobs/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace cufort::driver;
namespace fs = llvm::sys::fs;

namespace {

void write(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  os << text;
}

std::string read(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().str() : "(none)";
}

class FilesTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::Expected<TempDirectory> made = TempDirectory::create();
    ASSERT_TRUE(static_cast<bool>(made));
    directory = std::move(*made);
  }
  std::string at(llvm::StringRef name) { return (directory.path() + "/" + name).str(); }
  bool succeeds(llvm::Error error) {
    bool ok = !error;
    llvm::consumeError(std::move(error));
    return ok;
  }
  TempDirectory directory;
};

TEST_F(FilesTest, ADirectoryGoesAwayWithItsObject) {
  std::string path;
  {
    llvm::Expected<TempDirectory> inner = TempDirectory::create();
    ASSERT_TRUE(static_cast<bool>(inner));
    path = inner->path().str();
    write(inner->newFile("a", ".o"), "x");
    llvm::Expected<std::string> sub = inner->newDirectory("sub");
    ASSERT_TRUE(static_cast<bool>(sub));
    write(*sub + "/deep", "x");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(FilesTest, NamesAreNeverGivenTwice) {
  EXPECT_EQ(directory.newFile("a", ".o"), at("a.o"));
  EXPECT_EQ(directory.newFile("a", ".o"), at("a-2.o"));
  EXPECT_EQ(directory.newFile("a", ".s"), at("a.s"));
}

TEST_F(FilesTest, InstallReplacesInOneStep) {
  write(at("new"), "new");
  write(at("old"), "old");
  EXPECT_TRUE(succeeds(installFile(at("new"), at("old"))));
  EXPECT_EQ(read(at("old")), "new");
  EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(FilesTest, InstallAcrossFileSystemsKeepsPermissions) {
  if (!fs::exists("/dev/shm"))
    return;
  std::string target = "/dev/shm/cufort-test-" + std::to_string(getpid());
  write(at("new"), "new");
  chmod(at("new").c_str(), 0750);
  EXPECT_TRUE(succeeds(installFile(at("new"), target)));
  EXPECT_EQ(read(target), "new");
  struct stat status;
  ASSERT_EQ(stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0750u);
  fs::remove(target);
}

TEST_F(FilesTest, InstallWritesThroughLinksAndIntoDevices) {
  write(at("target"), "old");
  ASSERT_EQ(symlink("target", at("link").c_str()), 0);
  write(at("new"), "new");
  EXPECT_TRUE(succeeds(installFile(at("new"), at("link"))));
  EXPECT_EQ(read(at("target")), "new");
  write(at("new2"), "new");
  EXPECT_TRUE(succeeds(installFile(at("new2"), "/dev/null")));
  fs::file_status status;
  ASSERT_FALSE(fs::status("/dev/null", status));
  EXPECT_EQ(status.type(), fs::file_type::character_file);
}

TEST_F(FilesTest, InstallSaysWhyItCannot) {
  write(at("new"), "new");
  EXPECT_FALSE(succeeds(installFile(at("new"), at("no/such/place"))));
  EXPECT_FALSE(succeeds(checkWritable(at("no/such/place"))));
  EXPECT_FALSE(succeeds(checkWritable(directory.path())));
  EXPECT_TRUE(succeeds(checkWritable(at("fine"))));
}

TEST_F(FilesTest, InstallAllMovesEveryFile) {
  fs::create_directory(at("from"));
  fs::create_directory(at("to"));
  write(at("from/a.mod"), "a");
  write(at("from/b.mod"), "b");
  EXPECT_TRUE(succeeds(installAll(at("from"), at("to"))));
  EXPECT_EQ(read(at("to/a.mod")) + read(at("to/b.mod")), "ab");
}

} // namespace
