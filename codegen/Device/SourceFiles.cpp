// Flang gives what is included several places: that of the line, then those of the INCLUDE lines. LLVM would take the
// line for unknown, or for one of the procedure's file.
//
//   fused[#line in "part.inc", #line in "x.cuf"]
//   // becomes
//   fused<#llvm.di_lexical_block_file<scope = #subprogram, file = "part.inc">>[#line in "part.inc"]

#include "codegen/Device/SourceFiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace {

/// The subprogram of `func`, or null.
LLVM::DISubprogramAttr subprogramOf(LLVM::LLVMFuncOp func) {
  auto place = func.getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>();
  return place ? place.getMetadata() : LLVM::DISubprogramAttr();
}

/// A line of `file`, which is not that of the procedure.
Location inOtherFile(FileLineColLoc line, LLVM::DISubprogramAttr subprogram) {
  MLIRContext *context = line.getContext();
  StringRef path = line.getFilename();
  auto file = LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  auto scope = LLVM::DILexicalBlockFileAttr::get(context, subprogram, file, /*discriminator=*/0);
  return FusedLoc::get(context, Location(line), scope);
}

struct NameSourceFiles : PassWrapper<NameSourceFiles, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NameSourceFiles)

  StringRef getArgument() const override { return "cufx-name-source-files"; }
  StringRef getDescription() const override { return "name the files of lines that are included"; }

  void runOnOperation() override {
    LLVM::DISubprogramAttr subprogram = subprogramOf(getOperation());
    if (!subprogram || !subprogram.getFile())
      return;
    StringRef own = subprogram.getFile().getName();
    getOperation().getBody().walk([&](Operation *op) {
      auto line = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (!line || isa<FileLineColLoc>(op->getLoc()))
        return;
      bool isOwn = llvm::sys::path::filename(line.getFilename()) == llvm::sys::path::filename(own);
      op->setLoc(isOwn ? Location(line) : inOtherFile(line, subprogram));
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createNameSourceFiles() { return std::make_unique<NameSourceFiles>(); }
