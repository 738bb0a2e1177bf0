// How values of the host get into an outlined kernel.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace cufort::cufx {

/// Of a store to a kernel's copy of what a host pointer points to: loops read the copy by another name.
inline constexpr llvm::StringLiteral anyNameAttribute = "cufx.any_name";

/// The address of a variable that exists in device code too, if `reference` is such a variable; else null.
fir::AddrOfOp globalOfDevice(mlir::Value reference);

/// The values that the loops of a cufx.kernel_loops take from around them, and how each travels:
/// constants and shapes are made again in the kernel, device addresses and numbers are passed, descriptors and host
/// variables are passed by value and put into private storage, private scalars get storage only.
class KernelCaptures {
public:
  explicit KernelCaptures(KernelLoopsOp loops);

  /// Passes `address`, of device memory that perhaps has other names, as it is. Before analyse().
  void passAddress(mlir::Value address, bool hasOtherNames);

  /// Passes a number that the loops do not know of. Returns the index of its parameter. After analyse().
  unsigned passNumber(mlir::Value number);

  /// The parameter that has `value`, or none.
  std::optional<unsigned> parameterWith(mlir::Value value) const;

  /// Works out the arguments for what the loops use and for `bounds`; fails after an error message if the loops use
  /// host data that cannot travel.
  mlir::LogicalResult analyse(mlir::ValueRange bounds);

  /// Host values to pass, in the order of the kernel's parameters.
  llvm::ArrayRef<mlir::Value> arguments() const { return hostArguments; }

  /// What the kernel does with a parameter before the loops see it. Address: nothing, it points to device memory.
  /// Record: a host variable behind a reference, which the launch passes by value. BoxedRecord, BoxedScalar: the same
  /// for what the loops reach through a descriptor of the host, which is made again around the kernel's copy.
  enum class Passing { AsIs, Address, Record, BoxedRecord, BoxedScalar, FromI64, IntoStorage };
  struct Parameter {
    mlir::Value captured;
    Passing passing;
    bool hasOtherNames; ///< of the memory at an Address: it has other names, or may have
  };
  const Parameter &parameter(unsigned index) const { return parameters[index]; }

  /// Makes the captured values available in a kernel: fills `mapping` from the kernel's leading parameters.
  void materialise(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange parameters, mlir::IRMapping &mapping);

private:
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location loc, const Parameter &parameter, mlir::Value value);
  mlir::Value privateCopy(mlir::OpBuilder &builder, mlir::Location loc, const Parameter &parameter, mlir::Value record);
  bool isOnlyReadInLoops(mlir::Value reference);
  bool isReached(mlir::Value value);
  bool captureBehindDescriptor(mlir::Value value);
  bool useMemoryBehind(mlir::Value reference);
  bool captureString(mlir::Value reference);
  bool isReadFromComponent(mlir::Value descriptor);
  mlir::Value orAnything(mlir::Value address);
  mlir::LogicalResult capture(mlir::Value value);
  mlir::LogicalResult captureReference(mlir::Value reference);
  mlir::LogicalResult rejectHostData(mlir::Value reference);
  void pass(mlir::Value captured, mlir::Value host, Passing passing, bool hasOtherNames = false);

  KernelLoopsOp loops;
  fir::FirOpBuilder hostBuilder;
  llvm::SetVector<mlir::Value> done;
  llvm::SmallVector<mlir::Value> hostArguments;
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<mlir::Value> storageOnly;
  llvm::SetVector<mlir::Operation *> remade;
};

} // namespace cufort::cufx
