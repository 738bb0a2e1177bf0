// Intrinsic functions of real(2) for which Fortran's runtime library has no routine.
//
// Flang's lowering calls the runtime library for these functions, and stops where it lacks the kind. The linker lets
// lowering call the functions below (--wrap, see CMakeLists.txt), which ask for real(4) instead. All numbers of
// real(2), and the parts of them that are asked for, are numbers of real(4), and a sum that is rounded to real(4)
// before it is rounded to real(2) is the same: the results are those of a routine for real(2).

#include "flang/Optimizer/Builder/FIRBuilder.h"

using namespace mlir;

namespace {

/// RRSPACING of real(4) is larger by a power of two, which is that of the digits it has more.
constexpr float lessDigits = 0x1p-13f;

Value widen(fir::FirOpBuilder &builder, Location loc, Value number) {
  return number.getType().isF16() ? builder.createConvert(loc, builder.getF32Type(), number) : number;
}

/// `result` in the type of `operand`.
Value narrow(fir::FirOpBuilder &builder, Location loc, Value result, Value operand) {
  return builder.createConvert(loc, operand.getType(), result);
}

} // namespace

#define CUFORT_OF_ONE(name, symbol)                                                                                    \
  Value real##name(fir::FirOpBuilder &, Location, Value) asm("__real_" symbol);                                        \
  Value wrap##name(fir::FirOpBuilder &, Location, Value) asm("__wrap_" symbol);                                        \
  Value wrap##name(fir::FirOpBuilder &builder, Location loc, Value x) {                                                \
    return narrow(builder, loc, real##name(builder, loc, widen(builder, loc, x)), x);                                  \
  }
#define CUFORT_OF_TWO(name, symbol)                                                                                    \
  Value real##name(fir::FirOpBuilder &, Location, Value, Value) asm("__real_" symbol);                                 \
  Value wrap##name(fir::FirOpBuilder &, Location, Value, Value) asm("__wrap_" symbol);                                 \
  Value wrap##name(fir::FirOpBuilder &builder, Location loc, Value x, Value y) {                                       \
    return narrow(builder, loc, real##name(builder, loc, widen(builder, loc, x), widen(builder, loc, y)), x);          \
  }

/// In the place of fir::runtime::genErfcScaled, genFraction, genMod, genModulo and genSetExponent.
CUFORT_OF_ONE(ErfcScaled, "_ZN3fir7runtime13genErfcScaledERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueE")
CUFORT_OF_ONE(Fraction, "_ZN3fir7runtime11genFractionERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueE")
CUFORT_OF_TWO(Mod, "_ZN3fir7runtime6genModERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueES5_")
CUFORT_OF_TWO(Modulo, "_ZN3fir7runtime9genModuloERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueES5_")
CUFORT_OF_TWO(SetExponent, "_ZN3fir7runtime14genSetExponentERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueES5_")

/// In the place of fir::runtime::genExponent.
Value realExponent(fir::FirOpBuilder &, Location, Type, Value) asm(
    "__real__ZN3fir7runtime11genExponentERNS_12FirOpBuilderEN4mlir8LocationENS3_4TypeENS3_5ValueE");
Value wrapExponent(fir::FirOpBuilder &, Location, Type, Value) asm(
    "__wrap__ZN3fir7runtime11genExponentERNS_12FirOpBuilderEN4mlir8LocationENS3_4TypeENS3_5ValueE");
Value wrapExponent(fir::FirOpBuilder &builder, Location loc, Type type, Value x) {
  return realExponent(builder, loc, type, widen(builder, loc, x));
}

/// In the place of fir::runtime::genRRSpacing.
Value realRRSpacing(fir::FirOpBuilder &, Location,
                    Value) asm("__real__ZN3fir7runtime12genRRSpacingERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueE");
Value wrapRRSpacing(fir::FirOpBuilder &, Location,
                    Value) asm("__wrap__ZN3fir7runtime12genRRSpacingERNS_12FirOpBuilderEN4mlir8LocationENS3_5ValueE");
Value wrapRRSpacing(fir::FirOpBuilder &builder, Location loc, Value x) {
  Value result = realRRSpacing(builder, loc, widen(builder, loc, x));
  if (!x.getType().isF16())
    return result;
  Value factor = builder.createRealConstant(loc, builder.getF32Type(), llvm::APFloat(lessDigits));
  return narrow(builder, loc, arith::MulFOp::create(builder, loc, result, factor), x);
}
