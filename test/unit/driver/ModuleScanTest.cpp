#include "driver/Jobs/ModuleScan.h"
#include <gtest/gtest.h>

using namespace cufort::driver;

namespace {

using Names = std::set<std::string>;

ModuleInfo scanFree(llvm::StringRef text, ScanSettings settings = {}) { return scanModules(text, ".", settings); }

ModuleInfo scanFixed(llvm::StringRef text, ScanSettings settings = {}) {
  settings.form = SourceForm::Fixed;
  return scanModules(text, ".", settings);
}

TEST(ModuleScan, FindsModulesAndUses) {
  ModuleInfo info = scanFree("Module Physics\n  Use Constants, only: pi\n  use :: tools\nend module\n");
  EXPECT_EQ(info.provides, Names({"physics"}));
  EXPECT_EQ(info.uses, Names({"constants", "tools"}));
  EXPECT_FALSE(info.opaque);
}

TEST(ModuleScan, LeavesOutWhatOnlyLooksLikeAModule) {
  ModuleInfo info = scanFree("module procedure f\nmodule subroutine s(a)\nmodule function g(x)\nmodule = 3\nuse = 4\n"
                             "modulem = 1\nend module m\nuse_it = 2\nmodule procedure :: a, b\n");
  EXPECT_EQ(info.provides, Names());
  EXPECT_EQ(info.uses, Names());
}

TEST(ModuleScan, TellsNaturesApart) {
  ModuleInfo info = scanFree("use, intrinsic :: iso_c_binding\nuse, non_intrinsic :: mine\nuse ieee_arithmetic\n");
  EXPECT_EQ(info.uses, Names({"mine", "ieee_arithmetic"}));
}

TEST(ModuleScan, UnderstandsSubmodules) {
  ModuleInfo info = scanFree("submodule (parent) child\nend\nsubmodule(parent : child) grandchild\nend\n");
  EXPECT_EQ(info.provides, Names({"parent:child", "parent:grandchild"}));
  EXPECT_EQ(info.uses, Names({"parent", "parent:child"}));
}

TEST(ModuleScan, IgnoresCommentsAndStrings) {
  ModuleInfo info = scanFree("! module a\nprint *, 'x'; use b ! ; use c\nprint *, \"; use d\"\ns = 'it''s; use e'\n");
  EXPECT_EQ(info.provides, Names());
  EXPECT_EQ(info.uses, Names({"b"}));
}

TEST(ModuleScan, JoinsContinuationLines) {
  ModuleInfo info =
      scanFree("use &\n  ! a comment between\n\n  & one, &\n#ifdef X\n  only: use\n#endif\nuse tw&\n&o\n");
  EXPECT_EQ(info.uses, Names({"one", "two"}));
}

TEST(ModuleScan, ReadsLabelsAndCarriageReturns) {
  EXPECT_EQ(scanFree("10 use a\r\nuse b\r\n").uses, Names({"a", "b"}));
}

TEST(ModuleScan, ObeysTheCudaSentinelOnlyWithCuda) {
  ScanSettings cuda;
  cuda.cuda = true;
  EXPECT_EQ(scanFree("!@cuf use gpu\n!@CUF  use gpu2\n", cuda).uses, Names({"gpu", "gpu2"}));
  EXPECT_EQ(scanFree("!@cuf use gpu\n").uses, Names());
  EXPECT_EQ(scanFixed("c@cuf use gpu\n!@cuf use gpu2\n", cuda).uses, Names({"gpu", "gpu2"}));
}

TEST(ModuleScan, FixedFormHasColumns) {
  ModuleInfo info = scanFixed("C     module a\n"
                              "*     use b\n"
                              "      module c\n"
                              "      use\n"
                              "     1 d\n"
                              "  20  use e\n"
                              "     0use f\n"
                              "\tuse g\n"
                              "\tuse\n"
                              "\t1 h\n");
  EXPECT_EQ(info.provides, Names({"c"}));
  EXPECT_EQ(info.uses, Names({"d", "e", "f", "g", "h"}));
}

TEST(ModuleScan, FixedFormEndsAtItsLastColumn) {
  std::string line = "      use m" + std::string(61, ' ') + ", only: x\n";
  std::string cut = "      use m" + std::string(61, ' ') + "z\n";
  EXPECT_EQ(scanFixed(cut).uses, Names({"m"}));
  ScanSettings wide;
  wide.fixedColumns = 132;
  EXPECT_EQ(scanFixed(cut, wide).uses, Names());
  EXPECT_EQ(scanFixed(line, wide).uses, Names({"m"}));
}

TEST(ModuleScan, CountsAllBranchesOfIf) {
  EXPECT_EQ(scanFree("#if A\nuse a\n#else\nuse b\n#endif\n").uses, Names({"a", "b"}));
}

TEST(ModuleScan, MacrosAsNamesMakeAFileOpaque) {
  ScanSettings settings;
  settings.preprocess = true;
  EXPECT_TRUE(scanFree("#define NAME m\nmodule NAME\nend\n", settings).opaque);
  EXPECT_TRUE(scanFree("module a##b\nend\n", settings).opaque);
  EXPECT_FALSE(scanFree("#define OTHER m\nmodule name\nend\n", settings).opaque);
  settings.macros = {"NAME"};
  EXPECT_TRUE(scanFree("module NAME\nend\n", settings).opaque);
  EXPECT_FALSE(scanFree("module name2\nend\n", settings).opaque);
}

TEST(ModuleScan, SurvivesNonsense) {
  EXPECT_EQ(
      scanFree("'\"&&&;;;!\nuse\nmodule\nsubmodule(\nsubmodule()\ninclude\ninclude '\n#\n#include\n#define\n&").uses,
      Names());
  EXPECT_EQ(scanFree(llvm::StringRef("\0\xff\x80use m", 8)).uses, Names());
  EXPECT_EQ(scanFixed("\t\n     &\n12345\n").provides, Names());
}

TEST(ModuleScan, UnreadableFileSaysNothing) {
  ModuleInfo info = scanModulesOfFile("/no/such/file.f90", {});
  EXPECT_TRUE(info.provides.empty() && info.uses.empty() && !info.opaque);
}

} // namespace
