// In:  %box, %copied = hlfir.copy_in %section to %descriptor
//      call with the address in %box
//      hlfir.copy_out %descriptor, %copied to %section
//
// Out: %temporary = fir.allocmem {bindc_name = ".tmp.section"}
//      if (%section has gaps) %temporary = %section, by elements
//      call with %section has gaps ? %temporary : the address of %section
//      if (%section has gaps) %section = %temporary, by elements
//      fir.freemem %temporary
//
// A section that has gaps for sure, such as a(i,:), needs no condition. A temporary that may not be needed has no
// elements then. What is allocated and freed in one block, without a condition, is what finds a place on the stack.

#include "mlir-dialects/Cufx/Transforms/SectionArguments.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort::cufx;

/// True if the elements of `section` have others between them, by its subscripts. Where a dimension has one element
/// only there may be none, and a copy is not needed but right.
static bool hasGaps(Value section) {
  auto designate = section.getDefiningOp<hlfir::DesignateOp>();
  if (!designate || designate.getComponent())
    return false;
  auto index = designate.getIndices().begin();
  bool isElementBefore = false;
  for (bool isTriplet : designate.getIsTriplet()) {
    if (isTriplet) {
      auto stride = fir::getIntIfConstant(*(index + 2));
      if (isElementBefore || (stride && *stride != 1))
        return true;
    }
    isElementBefore |= !isTriplet;
    index += isTriplet ? 3 : 1;
  }
  return false;
}

/// The end of `copyIn`, if the temporary has one that can be found.
static hlfir::CopyOutOp endOf(hlfir::CopyInOp copyIn) {
  Value wasCopied = copyIn.getWasCopied();
  if (!wasCopied.hasOneUse())
    return {};
  auto copyOut = dyn_cast<hlfir::CopyOutOp>(*wasCopied.user_begin());
  return copyOut && copyOut->getBlock() == copyIn->getBlock() ? copyOut : hlfir::CopyOutOp();
}

static bool isPlainSection(hlfir::CopyInOp copyIn) {
  hlfir::Entity section{copyIn.getVar()};
  return isInDeviceCode(copyIn) && !copyIn.getVarIsPresent() && section.isArray() && !section.isPolymorphic() &&
         !section.isMutableBox() && isPlainElement(section.getFortranElementType());
}

namespace {

class SectionCopy {
public:
  SectionCopy(hlfir::CopyInOp copyIn, hlfir::CopyOutOp copyOut)
      : copyIn(copyIn), copyOut(copyOut), loc(copyIn.getLoc()),
        builder(copyIn.getOperation(), fir::getKindMapping(copyIn->getParentOfType<ModuleOp>())),
        section(copyIn.getVar()) {}

  void lower() {
    shape = hlfir::genShape(loc, builder, section);
    if (!hasGaps(section))
      isContiguous = fir::IsContiguousBoxOp::create(builder, loc, builder.getI1Type(), section, /*innermost=*/false);
    Value memory = createTemporary();
    hlfir::Entity temporary{hlfir::DeclareOp::create(builder, loc, memory, "tmp.section", shape).getBase()};
    copy(section, temporary);
    passAddress(memory);
    builder.setInsertionPoint(copyOut);
    if (Value target = copyOut.getVar())
      copy(temporary, hlfir::Entity{target});
    fir::FreeMemOp::create(builder, loc, memory);
    copyOut.erase();
    copyIn.erase();
  }

private:
  Value createTemporary() {
    auto type = cast<fir::SequenceType>(section.getElementOrSequenceType());
    SmallVector<Value> extents;
    for (auto [extent, value] : llvm::zip(type.getShape(), hlfir::getIndexExtents(loc, builder, shape)))
      if (extent == fir::SequenceType::getUnknownExtent())
        extents.push_back(value);
    if (isContiguous && !extents.empty())
      extents.front() =
          arith::SelectOp::create(builder, loc, isContiguous,
                                  builder.createIntegerConstant(loc, extents.front().getType(), 0), extents.front());
    return builder.createHeapTemporary(loc, type, ".tmp.section", extents);
  }

  void copy(hlfir::Entity from, hlfir::Entity to) {
    if (!isContiguous)
      return hlfir::genNoAliasArrayAssignment(loc, builder, from, to);
    auto ifContiguous = fir::IfOp::create(builder, loc, isContiguous, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&ifContiguous.getElseRegion().front());
    hlfir::genNoAliasArrayAssignment(loc, builder, from, to);
  }

  /// Gives the procedure that is called `memory`, or the section itself.
  void passAddress(Value memory) {
    Value box = copyIn.getCopiedIn();
    Type type = fir::ReferenceType::get(section.getElementOrSequenceType());
    Value address = builder.createConvert(loc, type, memory);
    if (isContiguous)
      address = arith::SelectOp::create(builder, loc, isContiguous, fir::BoxAddrOp::create(builder, loc, type, section),
                                        address);
    for (Operation *user : llvm::make_early_inc_range(box.getUsers()))
      if (auto ofBox = dyn_cast<fir::BoxAddrOp>(user)) {
        ofBox.replaceAllUsesWith(builder.createConvert(loc, ofBox.getType(), address));
        ofBox.erase();
      }
    if (!box.use_empty())
      box.replaceAllUsesWith(fir::EmboxOp::create(builder, loc, box.getType(), address, shape));
  }

  hlfir::CopyInOp copyIn;
  hlfir::CopyOutOp copyOut;
  Location loc;
  fir::FirOpBuilder builder;
  hlfir::Entity section;
  Value shape;
  Value isContiguous; ///< null if it is not
};

} // namespace

void cufort::cufx::copySectionArguments(ModuleOp module) {
  SmallVector<std::pair<hlfir::CopyInOp, hlfir::CopyOutOp>> copies;
  module.walk([&](hlfir::CopyInOp copyIn) {
    if (hlfir::CopyOutOp copyOut = endOf(copyIn); copyOut && isPlainSection(copyIn))
      copies.emplace_back(copyIn, copyOut);
  });
  for (auto [copyIn, copyOut] : copies)
    SectionCopy(copyIn, copyOut).lower();
}
