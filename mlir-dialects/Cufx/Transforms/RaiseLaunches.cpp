// cuf.kernel_launch as Flang lowers a chevron call becomes cufx.launch: extents in 64 bits, the stream's value
// instead of its address, and what the kernel's attributes ask of the launch. Arguments with VALUE get the form in
// which the launch passes them, in the kernel too.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/HostFrames.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISELAUNCHES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

/// True for a string with VALUE: others are device data. Lowering passes the address of a copy, which is on the host.
static bool isStringByValue(func::FuncOp kernel, unsigned index) {
  return isa<fir::BoxCharType>(kernel.getArgumentTypes()[index]) && !kernel.getArgAttr(index, "cuf.data_attr");
}

/// The type of the string that `argument` describes, from its declaration, or null if it is not used.
static fir::CharacterType declaredString(BlockArgument argument) {
  for (Operation *unboxed : argument.getUsers())
    for (Operation *user : unboxed->getUsers())
      if (auto convert = dyn_cast<fir::ConvertOp>(user))
        if (auto type = dyn_cast<fir::CharacterType>(fir::unwrapRefType(convert.getType()));
            type && !type.hasDynamicLen())
          return type;
  return {};
}

/// Each thread has a string of its own: `argument` becomes the address of what the launch passes.
static void takeStringByReference(BlockArgument argument, fir::CharacterType type) {
  if (argument.use_empty())
    return argument.setType(fir::ReferenceType::get(type));
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = argument.getLoc();
  Value copy = fir::AllocaOp::create(builder, loc, type);
  auto load = fir::LoadOp::create(builder, loc, type, argument);
  fir::StoreOp::create(builder, loc, load, copy);
  Value length = arith::ConstantIndexOp::create(builder, loc, type.getLen());
  Value box = fir::EmboxCharOp::create(builder, loc, argument.getType(), copy, length);
  argument.replaceAllUsesExcept(box, load);
  argument.setType(fir::ReferenceType::get(type));
}

static void takeRecordByReference(BlockArgument argument) {
  argument.setType(fir::ReferenceType::get(argument.getType()));
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  auto load = fir::LoadOp::create(builder, argument.getLoc(), argument);
  argument.replaceAllUsesExcept(load, load);
}

/// Kernels with BIND(C) have derived types with VALUE as such in their interface, which is for no target that LLVM
/// knows. Others have the address of a copy, which the launch passes by value: so do these from here on, and so do
/// strings with VALUE, which have a length besides.
static void takeValuesByReference(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (unsigned i = 0; i < types.size(); ++i) {
    if (isStringByValue(kernel, i)) {
      auto type = kernel.isDeclaration() ? fir::CharacterType() : declaredString(kernel.getArgument(i));
      auto anyLength =
          fir::CharacterType::getUnknownLen(kernel.getContext(), cast<fir::BoxCharType>(types[i]).getKind());
      types[i] = fir::ReferenceType::get(type ? type : anyLength);
      if (!kernel.isDeclaration())
        takeStringByReference(kernel.getArgument(i), cast<fir::CharacterType>(fir::unwrapRefType(types[i])));
    } else if (isa<fir::RecordType>(types[i])) {
      types[i] = fir::ReferenceType::get(types[i]);
      if (!kernel.isDeclaration())
        takeRecordByReference(kernel.getArgument(i));
    }
  }
  kernel.setType(FunctionType::get(kernel.getContext(), types, kernel.getResultTypes()));
}

/// The arguments of `launch`, with the addresses of copies in the place of derived types and strings with VALUE.
/// `kernel` may be null.
static SmallVector<Value> passValuesByReference(cuf::KernelLaunchOp launch, func::FuncOp kernel) {
  SmallVector<Value> arguments(launch.getArgs());
  OpBuilder builder(launch);
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (isa<fir::RecordType>(argument.getType())) {
      OpBuilder entry = OpBuilder::atBlockBegin(&startOfFrame(launch));
      Value copy = fir::AllocaOp::create(entry, launch.getLoc(), argument.getType());
      fir::StoreOp::create(builder, launch.getLoc(), argument, copy);
      argument = copy;
    } else if (kernel && isStringByValue(kernel, index)) {
      auto box = cast<fir::BoxCharType>(argument.getType());
      auto unboxed = fir::UnboxCharOp::create(builder, launch.getLoc(), fir::ReferenceType::get(box.getEleTy()),
                                              builder.getIndexType(), argument);
      argument = unboxed.getResult(0);
    }
  }
  return arguments;
}

/// True for a number with OPTIONAL and VALUE: lowering passes the address of a copy, or null if there is none.
static bool isOptionalValue(func::FuncOp kernel, unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  return isa<fir::ReferenceType>(type) && fir::isa_trivial(fir::unwrapRefType(type)) &&
         kernel.getArgAttr(index, fir::getOptionalAttrName()) && !kernel.getArgAttr(index, "cuf.data_attr");
}

/// True for a structure or a string with OPTIONAL and VALUE, which are passed by the address of a copy like others with
/// VALUE; it is null if there is none.
static bool isOptionalCopy(func::FuncOp kernel, unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  bool isCopy = isa<fir::BoxCharType>(type) || isa<fir::RecordType, fir::CharacterType>(fir::unwrapRefType(type));
  return isCopy && kernel.getArgAttr(index, fir::getOptionalAttrName()) && !kernel.getArgAttr(index, "cuf.data_attr");
}

/// Lets the uses of `argument`, or of the thread's copy of it, see an absent one unless `isThere`.
static void takeOptionalCopy(BlockArgument argument, Value isThere) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Value address = argument;
  SmallPtrSet<Operation *, 2> own;
  // Of a string, takeStringByReference has made a copy.
  for (Operation *user : argument.getUsers())
    for (Operation *store : user->getUsers())
      if (auto copied = dyn_cast<fir::StoreOp>(store); copied && isa<fir::LoadOp>(user)) {
        address = copied.getMemref();
        own.insert(store);
        builder.setInsertionPointAfter(store);
      }
  Location loc = argument.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value present = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, isThere, zero);
  Value absent = fir::AbsentOp::create(builder, loc, address.getType());
  auto seen = arith::SelectOp::create(builder, loc, present, address, absent);
  own.insert(seen);
  address.replaceAllUsesExcept(seen, own);
}

/// Each thread has a variable of its own for `argument`, whose type becomes that of the value. `isThere`, not 0, says
/// that the launch has one.
static void takeOptionalValue(BlockArgument argument, Value isThere) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = argument.getLoc();
  Type reference = argument.getType();
  argument.setType(fir::unwrapRefType(reference));
  Value copy = fir::AllocaOp::create(builder, loc, argument.getType());
  auto store = fir::StoreOp::create(builder, loc, argument, copy);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value present = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, isThere, zero);
  Value absent = fir::AbsentOp::create(builder, loc, reference);
  argument.replaceAllUsesExcept(arith::SelectOp::create(builder, loc, present, copy, absent), store);
}

/// Behind all others `kernel` gets a parameter for each optional value, which says whether it is there.
static void takeOptionalValues(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  Type flag = IntegerType::get(kernel.getContext(), 32);
  SmallVector<unsigned> optional;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (isOptionalValue(kernel, i) || isOptionalCopy(kernel, i))
      optional.push_back(i);
  for (unsigned i : optional) {
    bool isCopy = isOptionalCopy(kernel, i);
    if (!isCopy)
      types[i] = fir::unwrapRefType(types[i]);
    types.push_back(flag);
    kernel.removeArgAttr(i, fir::getOptionalAttrName());
    if (!kernel.isDeclaration())
      (isCopy ? takeOptionalCopy : takeOptionalValue)(kernel.getArgument(i),
                                                      kernel.front().addArgument(flag, kernel.getLoc()));
  }
  kernel.setType(FunctionType::get(kernel.getContext(), types, kernel.getResultTypes()));
}

/// An address from which the launch can copy what an absent argument is declared as. How long a string of another file
/// is, is not known here: no parameter is longer than all can be together.
static Value standIn(cuf::KernelLaunchOp launch, Type reference) {
  constexpr int64_t parameterSpace = 4096;
  OpBuilder entry = OpBuilder::atBlockBegin(&startOfFrame(launch));
  Value memory = fir::AllocaOp::create(entry, launch.getLoc(),
                                       fir::SequenceType::get({parameterSpace}, entry.getI8Type()));
  return fir::ConvertOp::create(entry, launch.getLoc(), reference, memory);
}

/// Replaces the addresses of optional values in `arguments` by the values, or by zero, and adds what takeOptionalValues
/// adds to the parameters.
static void passOptionalValues(cuf::KernelLaunchOp launch, func::FuncOp kernel, SmallVector<Value> &arguments) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> flags;
  for (unsigned i = 0; kernel && i < arguments.size(); ++i) {
    bool isCopy = isOptionalCopy(kernel, i);
    if (!isOptionalValue(kernel, i) && !isCopy)
      continue;
    Value isThere = fir::IsPresentOp::create(builder, loc, builder.getI1Type(), arguments[i]);
    if (isCopy) {
      Value other = standIn(launch, arguments[i].getType());
      arguments[i] = arith::SelectOp::create(builder, loc, isThere, arguments[i], other);
      flags.push_back(fir::ConvertOp::create(builder, loc, builder.getI32Type(), isThere));
      continue;
    }
    auto choice = fir::IfOp::create(builder, loc, fir::unwrapRefType(arguments[i].getType()), isThere,
                                    /*withElseRegion=*/true);
    OpBuilder present = choice.getThenBodyBuilder(), absent = choice.getElseBodyBuilder();
    fir::ResultOp::create(present, loc, fir::LoadOp::create(present, loc, arguments[i]).getResult());
    fir::ResultOp::create(absent, loc, fir::ZeroOp::create(absent, loc, choice.getResult(0).getType()).getResult());
    arguments[i] = choice.getResult(0);
    flags.push_back(fir::ConvertOp::create(builder, loc, builder.getI32Type(), isThere));
  }
  arguments.append(flags);
}

static void raise(cuf::KernelLaunchOp launch) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  auto widen = [&](Value value) -> Value {
    return value ? fir::ConvertOp::create(builder, loc, builder.getI64Type(), value).getResult() : Value();
  };
  Value stream;
  if (launch.getStream())
    stream = widen(fir::LoadOp::create(builder, loc, launch.getStream()));
  DenseI64ArrayAttr cluster;
  bool cooperative = false;
  auto module = launch->getParentOfType<ModuleOp>();
  auto kernel = module.lookupSymbol<func::FuncOp>(launch.getCallee().getLeafReference());
  if (kernel) {
    cooperative = procAttribute(kernel) == cuf::ProcAttribute::GridGlobal;
    if (auto dims = kernel->getAttrOfType<cuf::ClusterDimsAttr>("cuf.cluster_dims"))
      cluster = builder.getDenseI64ArrayAttr({dims.getX().getInt(), dims.getY().getInt(), dims.getZ().getInt()});
  }
  SmallVector<Value> arguments = passValuesByReference(launch, kernel);
  passOptionalValues(launch, kernel, arguments);
  LaunchOp::create(builder, loc, launch.getCallee(), widen(launch.getGridX()), widen(launch.getGridY()),
                   widen(launch.getGridZ()), widen(launch.getBlockX()), widen(launch.getBlockY()),
                   widen(launch.getBlockZ()), widen(launch.getBytes()), stream, arguments, cluster, cooperative);
  launch.erase();
}

namespace {
struct RaiseLaunchesPass : cufort::cufx::impl::RaiseLaunchesBase<RaiseLaunchesPass> {
  void runOnOperation() override {
    SmallVector<cuf::KernelLaunchOp> launches;
    getOperation().walk([&](cuf::KernelLaunchOp launch) { launches.push_back(launch); });
    llvm::for_each(launches, raise);
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isKernel(func)) {
        takeValuesByReference(func);
        takeOptionalValues(func);
      }
  }
};
} // namespace
