// Named constants of modules in other files.
//
// Lowering defines them in the object of the file that has the module, for the host alone if there is no device code in
// it. So that device code can choose an element while it runs, the constant comes along with its value.

#include "frontend/Parse/ModuleConstants.h"
#include "flang/Evaluate/constant.h"
#include "flang/Evaluate/expression.h"
#include "flang/Lower/Mangler.h"
#include "flang/Optimizer/Builder/Complex.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace Fortran;
using common::TypeCategory;

namespace {

template <TypeCategory Category, int Kind>
using Constant = evaluate::Constant<evaluate::Type<Category, Kind>>;

template <typename Word>
void appendBytes(const Word &word, int count, std::vector<char> &bytes) {
  for (int byte = 0; byte < count; ++byte)
    bytes.push_back(static_cast<char>(word.SHIFTR(8 * byte).ToUInt64()));
}

// Append what a value of a type with `kind` is in memory.
template <int Bits>
void appendValue(const evaluate::value::Logical<Bits> &value, int kind, std::vector<char> &bytes) {
  bytes.push_back(value.IsTrue());
  bytes.insert(bytes.end(), kind - 1, 0);
}
template <typename Word, int Precision>
void appendValue(const evaluate::value::Real<Word, Precision> &value, int kind, std::vector<char> &bytes) {
  appendBytes(value.RawBits(), kind, bytes);
}
template <typename Part>
void appendValue(const evaluate::value::Complex<Part> &value, int kind, std::vector<char> &bytes) {
  appendValue(value.REAL(), kind, bytes);
  appendValue(value.AIMAG(), kind, bytes);
}
template <typename Integer>
void appendValue(const Integer &value, int kind, std::vector<char> &bytes) {
  appendBytes(value, kind, bytes);
}

/// Makes values for initial values of globals; null for what device code has no use for.
class ValueBuilder {
public:
  ValueBuilder(fir::FirOpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value build(mlir::Type type, const semantics::SomeExpr &expr) {
    return common::visit([&](const auto &typed) { return ofExpr(type, typed); }, expr.u);
  }

private:
  /// NULL(), and the like.
  template <typename T>
  mlir::Value ofExpr(mlir::Type, const T &) {
    return {};
  }
  template <TypeCategory Category>
  mlir::Value ofExpr(mlir::Type type, const evaluate::Expr<evaluate::SomeKind<Category>> &expr) {
    return common::visit([&](const auto &typed) { return ofExpr(type, typed); }, expr.u);
  }
  template <TypeCategory Category, int Kind>
  mlir::Value ofExpr(mlir::Type type, const evaluate::Expr<evaluate::Type<Category, Kind>> &expr) {
    const auto *constant = std::get_if<Constant<Category, Kind>>(&expr.u);
    return constant ? ofConstant(type, *constant) : mlir::Value();
  }
  mlir::Value ofExpr(mlir::Type type, const evaluate::Expr<evaluate::SomeDerived> &expr) {
    if (const auto *constant = std::get_if<evaluate::Constant<evaluate::SomeDerived>>(&expr.u))
      return ofConstant(type, *constant);
    const auto *single = std::get_if<evaluate::StructureConstructor>(&expr.u);
    return single ? ofScalar<evaluate::SomeDerived>(type, *single) : mlir::Value();
  }

  /// A scalar stands for all elements of an array.
  template <typename T>
  mlir::Value ofConstant(mlir::Type type, const evaluate::Constant<T> &constant) {
    auto sequence = mlir::dyn_cast<fir::SequenceType>(type);
    if (!sequence)
      return constant.Rank() == 0 ? ofScalar<T>(type, constant.At(constant.lbounds())) : mlir::Value();
    if (sequence.hasDynamicExtents())
      return {};
    mlir::Value array = fir::UndefOp::create(builder, loc, type);
    llvm::SmallVector<int64_t> place(sequence.getDimension(), 0);
    evaluate::ConstantSubscripts at = constant.lbounds();
    for (uint64_t n = sequence.getConstantArraySize(); n > 0; --n) {
      mlir::Value element = ofScalar<T>(sequence.getEleTy(), constant.At(at));
      if (!element)
        return {};
      auto where = llvm::map_to_vector(place, [&](int64_t index) -> mlir::Attribute {
        return builder.getIntegerAttr(builder.getIndexType(), index);
      });
      array = fir::InsertValueOp::create(builder, loc, type, array, element, builder.getArrayAttr(where));
      advance(place, sequence.getShape());
      if (constant.Rank() > 0)
        constant.IncrementSubscripts(at);
    }
    return array;
  }

  /// The first subscript varies fastest.
  static void advance(llvm::SmallVectorImpl<int64_t> &place, llvm::ArrayRef<int64_t> shape) {
    for (size_t dimension = 0; dimension < place.size(); ++dimension) {
      if (++place[dimension] < shape[dimension])
        return;
      place[dimension] = 0;
    }
  }

  template <typename T>
  mlir::Value ofScalar(mlir::Type type, const evaluate::Scalar<T> &value) {
    if constexpr (T::category == TypeCategory::Derived) {
      return ofRecord(type, value);
    } else if constexpr (T::category == TypeCategory::Character) {
      if constexpr (T::kind == 1)
        return builder.createStringLitOp(loc, llvm::StringRef(value.data(), value.size()));
      else
        return {};
    } else if constexpr (T::category == TypeCategory::Logical) {
      return builder.createConvert(loc, type, builder.createBool(loc, value.IsTrue()));
    } else if constexpr (T::category == TypeCategory::Complex) {
      auto part = mlir::cast<mlir::ComplexType>(type).getElementType();
      using Part = typename T::Part;
      return fir::factory::Complex{builder, loc}.createComplex(type, ofScalar<Part>(part, value.REAL()),
                                                               ofScalar<Part>(part, value.AIMAG()));
    } else {
      return ofNumber<T>(type, value);
    }
  }

  template <typename T>
  mlir::Value ofNumber(mlir::Type type, const evaluate::Scalar<T> &value) {
    std::vector<char> bytes;
    appendValue(value, T::kind, bytes);
    unsigned width = 8 * T::kind;
    if (T::category == TypeCategory::Real && type.getIntOrFloatBitWidth() != width)
      return {};
    llvm::APInt bits(width, 0);
    for (size_t byte = 0; byte < bytes.size(); ++byte)
      bits.insertBits(static_cast<unsigned char>(bytes[byte]), 8 * byte, 8);
    if (auto real = mlir::dyn_cast<mlir::FloatType>(type))
      return builder.createRealConstant(loc, type, llvm::APFloat(real.getFloatSemantics(), bits));
    auto integer = builder.getIntegerType(width);
    mlir::Value constant = mlir::arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(integer, bits));
    return builder.createConvert(loc, type, constant);
  }

  mlir::Value ofRecord(mlir::Type type, const evaluate::StructureConstructor &value) {
    auto record = mlir::dyn_cast<fir::RecordType>(type);
    if (!record)
      return {};
    mlir::Value result = fir::UndefOp::create(builder, loc, type);
    for (const auto &[symbol, expr] : value) {
      // Those that are PRIVATE have the name of the type before theirs.
      std::string name = symbol->name().ToString();
      auto component = llvm::find_if(record.getTypeList(), [&](const auto &candidate) {
        return candidate.first == name || llvm::StringRef(candidate.first).ends_with("." + name);
      });
      bool isThere = component != record.getTypeList().end();
      mlir::Value part = isThere ? build(component->second, expr.value()) : mlir::Value();
      if (!part)
        return {};
      auto where = builder.getArrayAttr({builder.getStringAttr(component->first), mlir::TypeAttr::get(type)});
      result = fir::InsertValueOp::create(builder, loc, type, result, part, where);
    }
    return result;
  }

  fir::FirOpBuilder &builder;
  mlir::Location loc;
};

/// Makes attributes of arrays of numbers, which may be large; null for what is something else.
class DenseBuilder {
public:
  explicit DenseBuilder(fir::GlobalOp global) : sequence(mlir::dyn_cast<fir::SequenceType>(global.getType())) {}

  mlir::Attribute build(const semantics::SomeExpr &expr) {
    bool isKnown = sequence && !sequence.hasDynamicExtents() && sequence.getConstantArraySize() > 0;
    return isKnown ? common::visit([&](const auto &typed) { return ofExpr(typed); }, expr.u) : mlir::Attribute();
  }

private:
  template <typename T>
  mlir::Attribute ofExpr(const T &) {
    return {};
  }
  template <TypeCategory Category>
  mlir::Attribute ofExpr(const evaluate::Expr<evaluate::SomeKind<Category>> &expr) {
    return common::visit([&](const auto &typed) { return ofExpr(typed); }, expr.u);
  }
  template <TypeCategory Category, int Kind>
  mlir::Attribute ofExpr(const evaluate::Expr<evaluate::Type<Category, Kind>> &expr) {
    const auto *constant = std::get_if<Constant<Category, Kind>>(&expr.u);
    mlir::Type element = sequence.getEleTy();
    if (mlir::isa<fir::LogicalType>(element))
      element = mlir::IntegerType::get(element.getContext(), 8 * Kind);
    bool isNumber = mlir::isa<mlir::IntegerType, mlir::FloatType, mlir::ComplexType>(element);
    // Numbers of 80 bits are none of the device's.
    if (!constant || !isNumber || (Kind == 10 && Category != TypeCategory::Integer))
      return {};
    if constexpr (Category == TypeCategory::Character) {
      return {};
    } else {
      std::vector<char> bytes;
      for (const auto &value : constant->values())
        appendValue(value, Kind, bytes);
      llvm::SmallVector<int64_t> shape(llvm::reverse(sequence.getShape()));
      auto type = mlir::RankedTensorType::get(shape, element);
      bool isSplat = false;
      bool fits = mlir::DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat);
      return fits ? mlir::DenseElementsAttr::getFromRawBuffer(type, bytes) : mlir::Attribute();
    }
  }

  fir::SequenceType sequence;
};

using Declarations = std::map<std::string, fir::GlobalOp>;

void define(fir::GlobalOp global, const semantics::SomeExpr &value) {
  if (mlir::Attribute dense = DenseBuilder(global).build(value)) {
    global.setInitValAttr(dense);
  } else {
    auto module = global->getParentOfType<mlir::ModuleOp>();
    fir::FirOpBuilder builder(module, fir::getKindMapping(module));
    builder.createBlock(&global.getRegion());
    mlir::Value initial = ValueBuilder(builder, global.getLoc()).build(global.getType(), value);
    if (!initial) {
      global.getRegion().getBlocks().clear();
      return;
    }
    fir::HasValueOp::create(builder, global.getLoc(), initial);
  }
  // Another file may bring the same constant.
  global.setLinkName("linkonce_odr");
  global->setAttr(cufort::cufx::ofOtherFileAttribute, mlir::UnitAttr::get(global.getContext()));
}

void defineIn(const semantics::Scope &scope, const Declarations &declarations) {
  for (const semantics::Scope &child : scope.children()) {
    if (child.kind() == semantics::Scope::Kind::IntrinsicModules)
      defineIn(child, declarations);
    if (!child.IsModule())
      continue;
    for (const auto &[name, symbol] : child) {
      const auto *object = symbol->detailsIf<semantics::ObjectEntityDetails>();
      if (!object || !object->init() || !symbol->attrs().test(semantics::Attr::PARAMETER))
        continue;
      auto declaration = declarations.find(lower::mangle::mangleName(*symbol));
      if (declaration != declarations.end())
        define(declaration->second, *object->init());
    }
  }
}

} // namespace

void cufort::frontend::bringModuleConstants(semantics::SemanticsContext &context, mlir::ModuleOp module) {
  Declarations declarations;
  for (auto global : module.getOps<fir::GlobalOp>())
    if (global.getConstant() && !global.getInitVal() && global.getRegion().empty())
      declarations.emplace(global.getSymName().str(), global);
  if (!declarations.empty())
    defineIn(context.globalScope(), declarations);
}
