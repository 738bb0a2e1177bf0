#include "mlir-dialects/Cufx/Transforms/FailedChecks.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort;

std::string cufx::inFormat(std::string text) {
  for (size_t at = 0; (at = text.find('%', at)) != std::string::npos; at += 2)
    text.insert(at, "%");
  return text;
}

void cufx::reportFailedCheck(OpBuilder &builder, Location loc, const std::string &what, ValueRange values) {
  SmallVector<Value> printed(values);
  for (cufx::Extent extent : {cufx::Extent::BlockIdx, cufx::Extent::ThreadIdx})
    for (cufx::Axis axis : {cufx::Axis::X, cufx::Axis::Y, cufx::Axis::Z}) {
      Value index = cufx::ExtentOp::create(builder, loc, builder.getI32Type(), extent, axis);
      Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
      printed.push_back(arith::AddIOp::create(builder, loc, index, one));
    }
  std::string place;
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    place = inFormat(file.getFilename().str() + ":" + std::to_string(file.getLine()) + ": ");
  cufx::PrintOp::create(builder, loc, place + what + ", block (%d,%d,%d), thread (%d,%d,%d)\n", printed);
  cufx::TrapOp::create(builder, loc, "a check failed");
}
