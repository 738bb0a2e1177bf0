#include "codegen/Support/ElementBytes.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

std::optional<int64_t> cufort::codegen::elementBytesOfArray(Type type, ModuleOp module) {
  auto box = dyn_cast<fir::BoxType>(type);
  auto array = box ? dyn_cast<fir::SequenceType>(fir::unwrapRefType(box.getEleTy())) : fir::SequenceType();
  if (!array || array.hasUnknownShape() || isa<fir::CharacterType>(array.getEleTy()))
    return std::nullopt;
  auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
  if (!layout)
    return std::nullopt;
  auto size = fir::getTypeSizeAndAlignment(module.getLoc(), array.getEleTy(), *layout, fir::getKindMapping(module));
  if (!size)
    return std::nullopt;
  return llvm::alignTo(size->first, std::max<uint64_t>(size->second, 1));
}
