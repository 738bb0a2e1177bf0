// MAX and MIN of arrays of strings.
//
// Flang's lowering calls such a function for each element, and does not know the length of its result. The linker lets
// lowering call the function below (--wrap, see CMakeLists.txt), which gives it the length of the longest argument.

#include "flang/Evaluate/tools.h"
#include "flang/Lower/AbstractConverter.h"
#include "flang/Lower/ConvertCall.h"
#include "flang/Lower/ConvertExprToHLFIR.h"
#include "flang/Lower/StatementContext.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace Fortran;

using Entity = hlfir::EntityWithAttributes;
using Call = evaluate::ProcedureRef;

#define CONVERT_CALL                                                                                                   \
  "_ZN7Fortran5lower18convertCallToHLFIREN4mlir8LocationERNS0_17AbstractConverterE"                                    \
  "RKNS_8evaluate12ProcedureRefESt8optionalINS1_4TypeEERNS0_6SymMapERNS0_16StatementContextE"

/// Flang's own function.
std::optional<Entity> flangConvertCall(mlir::Location, lower::AbstractConverter &, const Call &,
                                       std::optional<mlir::Type>, lower::SymMap &,
                                       lower::StatementContext &) asm("__real_" CONVERT_CALL);

/// What Flang calls in its place.
std::optional<Entity> convertCall(mlir::Location, lower::AbstractConverter &, const Call &, std::optional<mlir::Type>,
                                  lower::SymMap &, lower::StatementContext &) asm("__wrap_" CONVERT_CALL);

namespace {

/// True for MAX and MIN of strings, some of them in an array, if all arguments are present.
bool isExtremeOfStrings(const Call &call) {
  const evaluate::SpecificIntrinsic *intrinsic = call.proc().GetSpecificIntrinsic();
  auto type = call.proc().GetType();
  if (!intrinsic || (intrinsic->name != "max" && intrinsic->name != "min") || call.Rank() == 0 || !type ||
      type->category() != common::TypeCategory::Character)
    return false;
  return llvm::all_of(call.arguments(), [](const std::optional<evaluate::ActualArgument> &argument) {
    const lower::SomeExpr *value = argument ? argument->UnwrapExpr() : nullptr;
    return value && !evaluate::MayBePassedAsAbsentOptional(*value);
  });
}

mlir::Value greatestLength(mlir::Location loc, fir::FirOpBuilder &builder, llvm::ArrayRef<hlfir::Entity> strings) {
  mlir::Value greatest;
  for (hlfir::Entity string : strings) {
    llvm::SmallVector<mlir::Value> length;
    hlfir::genLengthParameters(loc, builder, string, length);
    mlir::Value number = builder.createConvert(loc, builder.getIndexType(), length.front());
    greatest = greatest ? mlir::arith::MaxSIOp::create(builder, loc, greatest, number).getResult() : number;
  }
  return greatest;
}

Entity convertExtreme(mlir::Location loc, lower::AbstractConverter &converter, const Call &call, lower::SymMap &symbols,
                      lower::StatementContext &context) {
  fir::FirOpBuilder &builder = converter.getFirOpBuilder();
  llvm::SmallVector<hlfir::Entity> strings;
  for (const std::optional<evaluate::ActualArgument> &argument : call.arguments()) {
    hlfir::Entity string = lower::convertExprToHLFIR(loc, converter, *argument->UnwrapExpr(), symbols, context);
    strings.push_back(hlfir::derefPointersAndAllocatables(loc, builder, string));
  }
  auto predicate = call.proc().GetSpecificIntrinsic()->name == "max" ? hlfir::CharExtremumPredicate::max
                                                                     : hlfir::CharExtremumPredicate::min;
  auto chooseElement = [&](mlir::Location at, fir::FirOpBuilder &inside, mlir::ValueRange subscripts) {
    auto elements = llvm::map_to_vector(strings, [&](hlfir::Entity string) -> mlir::Value {
      return string.isArray() ? hlfir::getElementAt(at, inside, string, subscripts) : string;
    });
    return hlfir::Entity{hlfir::CharExtremumOp::create(inside, at, predicate, elements)};
  };
  hlfir::Entity array = *llvm::find_if(strings, [](hlfir::Entity string) { return string.isArray(); });
  mlir::Value shape = hlfir::genShape(loc, builder, array), length = greatestLength(loc, builder, strings);
  auto type = fir::CharacterType::getUnknownLen(builder.getContext(), call.proc().GetType()->kind());
  mlir::Value result =
      hlfir::genElementalOp(loc, builder, type, shape, mlir::ValueRange{length}, chooseElement, /*isUnordered=*/true);
  context.attachCleanup([&builder, loc, result] { hlfir::DestroyOp::create(builder, loc, result); });
  return Entity{result};
}

} // namespace

std::optional<Entity> convertCall(mlir::Location loc, lower::AbstractConverter &converter, const Call &call,
                                  std::optional<mlir::Type> type, lower::SymMap &symbols,
                                  lower::StatementContext &context) {
  if (isExtremeOfStrings(call))
    return convertExtreme(loc, converter, call, symbols, context);
  return flangConvertCall(loc, converter, call, type, symbols, context);
}
