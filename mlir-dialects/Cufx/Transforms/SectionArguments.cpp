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
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"

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
    extents = knownExtents();
    if (auto elements = elementsOfDummy(); elements && extents.size() == 1 && !fir::getIntIfConstant(extents[0])) {
      mostElements = *elements;
      extents[0] = arith::MinSIOp::create(builder, loc, extents[0], index(*elements));
    }
    shape = builder.genShape(loc, extents);
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
  /// The extents of the section, constant where its bounds are a constant apart: a(j-2:j+3) has 6 elements.
  SmallVector<Value> knownExtents() {
    SmallVector<Value> result = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, section));
    auto designate = section.getDefiningOp<hlfir::DesignateOp>();
    if (!designate || designate.getComponent())
      return result;
    auto number = designate.getIndices().begin();
    Value *extent = result.begin();
    for (bool isTriplet : designate.getIsTriplet()) {
      if (isTriplet) {
        auto stride = fir::getIntIfConstant(*(number + 2));
        auto distance = stride.value_or(0) ? constantDifference(*(number + 1), *number) : std::nullopt;
        if (distance)
          *extent = index(std::max<int64_t>((*distance + *stride) / *stride, 0));
        ++extent;
      }
      number += isTriplet ? 3 : 1;
    }
    return result;
  }

  /// How many elements the dummy argument has, if that is known: a procedure with a(3) needs no more of the section.
  std::optional<int64_t> elementsOfDummy() {
    std::optional<int64_t> elements;
    for (Operation *user : copyIn.getCopiedIn().getUsers()) {
      if (!isa<fir::BoxAddrOp>(user))
        return std::nullopt;
      for (Operation *use : user->getUsers()) {
        Type type = isa<fir::ConvertOp>(use) ? use->getResult(0).getType() : user->getResult(0).getType();
        auto array = dyn_cast<fir::SequenceType>(fir::unwrapRefType(type));
        if (!array || array.hasDynamicExtents())
          return std::nullopt;
        elements = std::max<int64_t>(elements.value_or(0), array.getConstantArraySize());
      }
    }
    return elements;
  }

  Value index(int64_t number) { return builder.createIntegerConstant(loc, builder.getIndexType(), number); }

  Value createTemporary() {
    fir::SequenceType::Shape constants;
    for (Value extent : extents)
      constants.push_back(
          fir::getIntIfConstant(extent).value_or(mostElements.value_or(fir::SequenceType::getUnknownExtent())));
    auto type = fir::SequenceType::get(constants, section.getFortranElementType());
    SmallVector<Value> needed = extents;
    auto unknown = llvm::find(constants, fir::SequenceType::getUnknownExtent());
    if (isContiguous && unknown != constants.end()) {
      Value &extent = needed[unknown - constants.begin()];
      extent = arith::SelectOp::create(builder, loc, isContiguous, index(0), extent);
    }
    return builder.createHeapTemporary(loc, type, ".tmp.section", needed);
  }

  void copy(hlfir::Entity from, hlfir::Entity to) {
    OpBuilder::InsertionGuard guard(builder);
    if (isContiguous) {
      auto ifContiguous = fir::IfOp::create(builder, loc, isContiguous, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(&ifContiguous.getElseRegion().front());
    }
    hlfir::LoopNest loops = hlfir::genLoopNest(loc, builder, extents, /*isUnordered=*/true);
    builder.setInsertionPointToStart(loops.body);
    hlfir::genNoAliasAssignment(loc, builder, hlfir::getElementAt(loc, builder, from, loops.oneBasedIndices),
                                hlfir::getElementAt(loc, builder, to, loops.oneBasedIndices));
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
  SmallVector<Value> extents;          ///< of what is copied
  std::optional<int64_t> mostElements; ///< that are copied, if it is not all elements
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
