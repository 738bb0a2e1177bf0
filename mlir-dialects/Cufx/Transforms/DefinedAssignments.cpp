// The descriptions of types that lowering makes for Flang's runtime have a table of procedures with special meanings:
//
//   fir.global @_QMmE.s.t {
//     %which = arith.constant 2 : i8                // assignment of elements
//     %4 = fir.insert_value %3, %which, ["which", ...]
//     %11 = fir.address_of(@_QMmPassign)
//     ...
//
// It names assignments only whose both sides have the type.

#include "mlir-dialects/Cufx/Transforms/DefinedAssignments.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/RecordBuilder.h"

using namespace mlir;
using namespace cufort::cufx;

/// What an entry of the table is for, as in module __fortran_type_info.
enum class Special { ScalarAssignment = 1, ElementalAssignment = 2 };

static fir::GlobalOp specialProcedures(ModuleOp module, fir::RecordType type) {
  constexpr llvm::StringLiteral descriptor = "E.dt.";
  std::string name = fir::NameUniquer::getTypeDescriptorName(type.getName());
  size_t at = name.find(descriptor);
  return at == std::string::npos ? fir::GlobalOp()
                                 : module.lookupSymbol<fir::GlobalOp>(name.replace(at, descriptor.size(), "E.s."));
}

/// True for the name of the field that says what an entry is for.
static bool isWhich(fir::InsertValueOp insertion) {
  auto name = insertion.getCoor().empty() ? StringAttr() : dyn_cast<StringAttr>(insertion.getCoor()[0]);
  return name && name.getValue() == "which";
}

/// The procedure `name` for device code: one for both sides has a copy.
static func::FuncOp onDevice(ModuleOp module, StringAttr name) {
  auto copy = module.lookupSymbol<func::FuncOp>((name.getValue() + deviceCopySuffix).str());
  return copy ? copy : module.lookupSymbol<func::FuncOp>(name);
}

func::FuncOp cufort::cufx::definedAssignment(ModuleOp module, fir::RecordType type, bool forArrays) {
  fir::GlobalOp table = specialProcedures(module, type);
  if (!table || table.getRegion().empty())
    return {};
  func::FuncOp found;
  int64_t which = 0;
  for (Operation &op : table.getRegion().front()) {
    if (auto insertion = dyn_cast<fir::InsertValueOp>(op); insertion && isWhich(insertion))
      which = fir::getIntIfConstant(insertion.getVal()).value_or(0);
    bool isScalar = which == static_cast<int64_t>(Special::ScalarAssignment) && !forArrays;
    bool isElemental = which == static_cast<int64_t>(Special::ElementalAssignment) && !found;
    if (auto address = dyn_cast<fir::AddrOfOp>(op); address && (isScalar || isElemental))
      if (func::FuncOp procedure = onDevice(module, address.getSymbol().getRootReference()))
        found = procedure;
  }
  return found;
}

/// The same for types that are not in `path`, which have been asked already.
static bool componentsDefine(ModuleOp module, fir::RecordType type, SmallVectorImpl<fir::RecordType> &path) {
  if (llvm::is_contained(path, type))
    return false;
  path.push_back(type);
  return llvm::any_of(componentsOf(type), [&](const Component &component) {
    fir::RecordType inside = component.isAllocatable() ? component.recordInside() : component.record();
    return inside && (definedAssignment(module, inside, /*forArrays=*/false) || componentsDefine(module, inside, path));
  });
}

bool cufort::cufx::componentsDefineAssignment(ModuleOp module, fir::RecordType type) {
  SmallVector<fir::RecordType> path;
  return componentsDefine(module, type, path);
}
