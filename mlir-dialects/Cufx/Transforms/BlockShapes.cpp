#include "mlir-dialects/Cufx/Transforms/BlockShapes.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// A constant, unless it is something else.
using Extent = std::optional<int64_t>;

/// Variables that are assigned to each other.
constexpr unsigned mostAssignments = 4;

class ConstantFinder {
public:
  explicit ConstantFinder(ModuleOp module) : symbols(module) {}

  Extent constantOf(Value value, unsigned depth = 0) {
    value = withoutConversions(value);
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    auto load = value.getDefiningOp<fir::LoadOp>();
    if (!load || depth == mostAssignments)
      return std::nullopt;
    Value place = withoutConversions(load.getMemref());
    if (auto component = place.getDefiningOp<fir::CoordinateOp>())
      if (std::optional<int32_t> field = fieldOf(component))
        return assignedTo(withoutConversions(component.getRef()), field, depth + 1);
    return assignedTo(place, std::nullopt, depth + 1);
  }

private:
  static Value withoutConversions(Value value) {
    while (Operation *op = value.getDefiningOp())
      if (isa<fir::ConvertOp, fir::DeclareOp>(op))
        value = op->getOperand(0);
      else
        break;
    return value;
  }

  static std::optional<int32_t> fieldOf(fir::CoordinateOp component) {
    auto fields = component.getFieldIndicesAttr();
    if (!fields || fields.size() != 1 || fields[0] == fir::CoordinateOp::kDynamicIndex)
      return std::nullopt;
    return fields[0];
  }

  /// What all assignments to `variable`, or to component `field` of it, agree on.
  Extent assignedTo(Value variable, std::optional<int32_t> field, unsigned depth) {
    if (auto address = variable.getDefiningOp<fir::AddrOfOp>())
      return inInitialValue(symbols.lookup<fir::GlobalOp>(address.getSymbol().getLeafReference()), field);
    SmallVector<Extent> values;
    if (variable.getDefiningOp<fir::AllocaOp>())
      collectAssigned(variable, field, depth, values);
    return values.empty() || !llvm::all_equal(values) ? std::nullopt : values.front();
  }

  /// Looks at what uses the address of a variable, under any type and name.
  void collectAssigned(Value address, std::optional<int32_t> field, unsigned depth, SmallVectorImpl<Extent> &values) {
    for (Operation *user : address.getUsers()) {
      if (isa<fir::ConvertOp, fir::DeclareOp>(user))
        collectAssigned(user->getResult(0), field, depth, values);
      else if (auto component = dyn_cast<fir::CoordinateOp>(user); component && field && fieldOf(component) == field)
        collectAssigned(component, std::nullopt, depth, values);
      else if (auto store = dyn_cast<fir::StoreOp>(user); store && store.getMemref() == address)
        values.push_back(field ? inRecord(store.getValue(), *field, depth) : constantOf(store.getValue(), depth));
      else if (auto copy = dyn_cast<fir::CopyOp>(user);
               copy && copy.getDestination() == address && !isDefaultValue(copy.getSource()))
        values.push_back(assignedTo(withoutConversions(copy.getSource()), field, depth));
    }
  }

  /// True for what a type says that its variables begin with.
  static bool isDefaultValue(Value source) {
    auto address = withoutConversions(source).getDefiningOp<fir::AddrOfOp>();
    return address && address.getSymbol().getLeafReference().strref().ends_with(fir::kDerivedTypeInitSuffix);
  }

  Extent inRecord(Value record, int32_t field, unsigned depth) {
    auto load = record.getDefiningOp<fir::LoadOp>();
    return load && depth < mostAssignments ? assignedTo(withoutConversions(load.getMemref()), field, depth + 1)
                                           : std::nullopt;
  }

  /// A constant, or a variable that is expected to keep its initial value.
  Extent inInitialValue(fir::GlobalOp global, std::optional<int32_t> field) {
    if (!global || global.getRegion().empty())
      return std::nullopt;
    Extent result;
    global.getRegion().walk([&](Operation *op) {
      auto insert = dyn_cast<fir::InsertValueOp>(op);
      if (insert && field && !insert.getCoor().empty() && fieldNumber(insert) == *field)
        result = constantOf(insert.getVal());
      if (auto value = dyn_cast<fir::HasValueOp>(op); value && !field)
        result = constantOf(value.getResval());
    });
    return result;
  }

  /// Components are named by the constants that lowering makes.
  static int64_t fieldNumber(fir::InsertValueOp insert) {
    auto name = dyn_cast<StringAttr>(insert.getCoor()[0]);
    auto type = dyn_cast<fir::RecordType>(insert.getType());
    return name && type ? type.getFieldIndex(name.getValue()) : -1;
  }

  SymbolTable symbols;
};

struct BlockShape {
  std::array<int32_t, 3> extents;
  bool isUsual = false;

  bool operator==(const BlockShape &other) const { return extents == other.extents && isUsual == other.isUsual; }
};

/// What `extent` of a block is unless rows are short.
Value usualExtent(Value extent, bool &isUsual) {
  for (auto select = extent.getDefiningOp<arith::SelectOp>(); select && select->hasAttr(fittedBlockAttribute);
       select = extent.getDefiningOp<arith::SelectOp>()) {
    extent = select.getFalseValue();
    isUsual = true;
  }
  return extent;
}

std::optional<BlockShape> shapeOf(LaunchOp launch, ConstantFinder &constants) {
  BlockShape shape;
  const Value extents[] = {launch.getBlockX(), launch.getBlockY(), launch.getBlockZ()};
  for (auto [value, extent] : llvm::zip(extents, shape.extents)) {
    Extent constant = constants.constantOf(usualExtent(value, shape.isUsual));
    if (!constant || *constant < 1 || *constant > 1024)
      return std::nullopt;
    extent = *constant;
  }
  if (shape.extents == std::array<int32_t, 3>{1, 1, 1})
    return std::nullopt;
  return shape;
}

} // namespace

void cufort::cufx::noteBlockShapes(ModuleOp module) {
  ConstantFinder constants(module);
  llvm::MapVector<StringAttr, SmallVector<BlockShape, 1>> shapes;
  module.walk([&](LaunchOp launch) {
    if (std::optional<BlockShape> shape = shapeOf(launch, constants))
      shapes[launch.getKernel().getLeafReference()].push_back(*shape);
  });
  Builder builder(module.getContext());
  for (auto &[name, found] : shapes) {
    auto kernel = module.lookupSymbol<func::FuncOp>(name);
    if (!kernel || !llvm::all_equal(found))
      continue;
    kernel->setAttr(blockShapeAttribute, builder.getDenseI32ArrayAttr(found.front().extents));
    if (found.front().isUsual)
      kernel->setAttr(usualBlockAttribute, builder.getUnitAttr());
  }
}
