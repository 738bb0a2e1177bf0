// In: hlfir.where { mask } do { region_assign expression to array, elsewhere ... } of host code.
//
// Out:
//
//   cuf.kernel<<<*, *>>> (%i : index) = ... {
//     fir.if %mask(%i) { fir.store %expression(%i) to %array(%i) } else { ... }
//   }

#include "mlir-dialects/Cufx/Transforms/WhereInOneKernel.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

class ElementKernel : WhereByElement {
public:
  explicit ElementKernel(hlfir::WhereOp where) : WhereByElement(where) {}

  void run() {
    StatementStream stream(builder, loc, parts.targets.front());
    evaluateBefore();
    SmallVector<Value> subscripts;
    cuf::KernelOp kernel = createKernelOver(builder, loc, extents(), subscripts);
    assign(subscripts);
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
    stream.end(builder);
    erase();
  }

private:
  /// Of the first mask or expression that is an array: they conform.
  ArrayRef<Value> extents() {
    for (Region *region : parts.regions)
      if (auto expression = expressions.find(region); expression != expressions.end())
        return expression->second->extents();
    llvm_unreachable("WHERE has an array as its mask, or as part of what is in it");
  }

  void prepare(Region &region, Value value) override {
    if (fir::isa_trivial(value.getType()))
      scalars.insert({&region, value});
    else
      expressions[&region] = std::make_unique<DeviceExpression>(builder, loc, value, arrays);
  }

  Value element(Region &region, ValueRange subscripts) override {
    auto scalar = scalars.find(&region);
    return scalar != scalars.end() ? DeviceScalars().inKernel(builder, scalar->second)
                                   : expressions.at(&region)->element(subscripts);
  }

  llvm::DenseMap<Region *, std::unique_ptr<DeviceExpression>> expressions;
  llvm::DenseMap<Region *, Value> scalars;
};

} // namespace

void cufort::cufx::assignInOneKernel(hlfir::WhereOp where) { ElementKernel(where).run(); }
