// In:  u(i, j) of an allocatable array of a module:
//        base + 8 * ((i - lower bound 1) + (j - lower bound 2) * extent 1)
// Out:   origin + j * stride 2 + 8 * i
//
// where the origin is behind the descriptor, and strides in bytes are in it. Subscripts become sums of terms: each is a
// value, or a constant, or a lower bound, times the product of the first so many extents. In 64 bits that is exact, as
// sums and products are wherever they wrap around.

#include "codegen/DeviceLink/ArrayOrigins.h"
#include "runtime/ABI/ArrayOrigin.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <vector>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

//===-- Descriptors ----------------------------------------------------------------------------------------------===//

/// Fields of a descriptor, and where its dimensions and what they consist of are, in bytes (CFI_cdesc_t).
static constexpr unsigned elementBytesField = 1, dimensionsField = 7;
static constexpr uint64_t firstDimension = 24, dimensionBytes = 24, lowerBoundAt = 0, extentAt = 8, strideAt = 16;

const ConstantStruct *cufort::codegen::initialDescriptor(const GlobalVariable &variable) {
  auto *initial = variable.hasInitializer() ? dyn_cast<ConstantStruct>(variable.getInitializer()) : nullptr;
  return initial && hasOrigin(variable) ? dyn_cast<ConstantStruct>(initial->getOperand(0)) : initial;
}

bool cufort::codegen::hasOrigin(const GlobalVariable &variable) {
  auto *type = dyn_cast<StructType>(variable.getValueType());
  return type && type->getNumElements() == 2 && type->getElementType(0)->isStructTy() &&
         type->getElementType(1)->isIntegerTy(8 * CUFORT_ORIGIN_BYTES);
}

uint64_t cufort::codegen::placeOfOrigin(const GlobalVariable &variable) {
  return variable.getDataLayout().getTypeAllocSize(variable.getValueType()) - CUFORT_ORIGIN_BYTES;
}

uint64_t cufort::codegen::elementBytes(const GlobalVariable &variable) {
  const ConstantStruct *initial = initialDescriptor(variable);
  if (!initial || initial->getNumOperands() <= dimensionsField)
    return 0;
  auto *bytes = dyn_cast<ConstantInt>(initial->getOperand(elementBytesField));
  return bytes ? bytes->getZExtValue() : 0;
}

GlobalVariable *cufort::codegen::appendOrigin(GlobalVariable &descriptor) {
  LLVMContext &context = descriptor.getContext();
  auto *none = ConstantInt::get(Type::getIntNTy(context, 8 * CUFORT_ORIGIN_BYTES), 0);
  auto *initial = ConstantStruct::getAnon({descriptor.getInitializer(), none});
  auto *longer =
      new GlobalVariable(*descriptor.getParent(), initial->getType(), descriptor.isConstant(), descriptor.getLinkage(),
                         initial, "", &descriptor, GlobalValue::NotThreadLocal, descriptor.getAddressSpace());
  longer->copyAttributesFrom(&descriptor);
  longer->takeName(&descriptor);
  descriptor.replaceAllUsesWith(longer);
  descriptor.eraseFromParent();
  return longer;
}

namespace {

/// The field of a descriptor with an origin that `value` is loaded from: its place in bytes.
struct Field {
  const GlobalVariable *descriptor = nullptr;
  uint64_t place = 0;

  static Field of(const Value *value, const DataLayout &layout) {
    auto *load = dyn_cast<LoadInst>(value);
    if (!load || !load->isSimple())
      return {};
    APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset,
                                                                                     /*AllowNonInbounds=*/true);
    auto *variable = dyn_cast<GlobalVariable>(base->stripPointerCasts());
    return variable && hasOrigin(*variable) ? Field{variable, offset.getZExtValue()} : Field{};
  }

  /// The dimension, from 0, whose `part` this is; -1 if it is something else.
  int dimensionIf(uint64_t part, unsigned rank) const {
    bool isIt = descriptor && place >= firstDimension && (place - firstDimension) % dimensionBytes == part;
    uint64_t dimension = isIt ? (place - firstDimension) / dimensionBytes : rank;
    return dimension < rank ? static_cast<int>(dimension) : -1;
  }
};

//===-- Subscripts -----------------------------------------------------------------------------------------------===//

/// What is added up for an element: with the product of the first `extents` extents as a factor.
struct Term {
  Value *value; ///< null for 1
  unsigned extents;
  int64_t factor;
};

/// The number of an element, from 0, as a sum of terms.
class ElementNumber {
public:
  ElementNumber(const GlobalVariable &descriptor, unsigned rank, const DataLayout &layout)
      : descriptor(descriptor), layout(layout), lowerBounds(rank) {}

  /// False if the number is not that of an element by its subscripts.
  bool take(Value *number) {
    return expand(number, 0, 1) && all_of(lowerBounds, [](int64_t count) { return count == -1; });
  }

  ArrayRef<Term> all() const { return terms; }

private:
  unsigned rank() const { return lowerBounds.size(); }

  Field fieldOf(const Value *value) const {
    Field field = Field::of(value, layout);
    return field.descriptor == &descriptor ? field : Field();
  }

  /// Of how many extents, the first ones, `value` is the product; 0 if it is something else.
  unsigned extentsIn(Value *value) const {
    unsigned found = 0;
    if (!collectExtents(value, found) || !isMask_32(found))
      return 0;
    return popcount(found);
  }

  bool collectExtents(Value *value, unsigned &found) const {
    Value *a, *b;
    if (match(value, m_One()))
      return true;
    if (match(value, m_Mul(m_Value(a), m_Value(b))))
      return collectExtents(a, found) && collectExtents(b, found);
    int dimension = fieldOf(value).dimensionIf(extentAt, rank());
    bool isNew = dimension >= 0 && !(found & 1u << dimension);
    found |= isNew ? 1u << dimension : 0;
    return isNew;
  }

  bool expand(Value *value, unsigned extents, int64_t factor) {
    Value *a, *b;
    const APInt *constant;
    if (match(value, m_APInt(constant)))
      return add(nullptr, extents, factor * constant->getSExtValue());
    if (match(value, m_Add(m_Value(a), m_Value(b))))
      return expand(a, extents, factor) && expand(b, extents, factor);
    if (match(value, m_Sub(m_Value(a), m_Value(b))))
      return expand(a, extents, factor) && expand(b, extents, -factor);
    if (match(value, m_Mul(m_Value(a), m_APInt(constant))))
      return expand(a, extents, factor * constant->getSExtValue());
    if (match(value, m_Mul(m_Value(a), m_Value(b))) && extents == 0) {
      if (unsigned more = extentsIn(b))
        return expand(a, more, factor);
      if (unsigned more = extentsIn(a))
        return expand(b, more, factor);
    }
    int dimension = fieldOf(value).dimensionIf(lowerBoundAt, rank());
    if (dimension < 0)
      return add(value, extents, factor);
    lowerBounds[dimension] += factor;
    return static_cast<unsigned>(dimension) == extents;
  }

  bool add(Value *value, unsigned extents, int64_t factor) {
    if (factor)
      terms.push_back({value, extents, factor});
    return extents < rank();
  }

  const GlobalVariable &descriptor;
  const DataLayout &layout;
  SmallVector<int64_t> lowerBounds; ///< how often each is added
  SmallVector<Term> terms;
};

//===-- Addresses ------------------------------------------------------------------------------------------------===//

class Elements {
public:
  explicit Elements(const DataLayout &layout) : layout(layout) {}

  /// Changes how `element` is found, if it is one of an array with an origin.
  bool change(GetElementPtrInst &element) {
    Field base = Field::of(element.getPointerOperand(), layout);
    if (!base.descriptor || base.place != 0 || element.getNumIndices() != 1 ||
        !element.getOperand(1)->getType()->isIntegerTy(64) || !element.getType()->isPointerTy())
      return false;
    uint64_t bytes = layout.getTypeAllocSize(element.getSourceElementType());
    if (bytes == 0 || elementBytes(*base.descriptor) != bytes)
      return false;
    const ConstantStruct *initial = initialDescriptor(*base.descriptor);
    unsigned rank = initial->getOperand(dimensionsField)->getType()->getArrayNumElements();
    ElementNumber number(*base.descriptor, rank, layout);
    if (!number.take(element.getOperand(1)))
      return false;
    auto *load = cast<LoadInst>(element.getPointerOperand());
    IRBuilder<> builder(&element);
    element.replaceAllUsesWith(addressOf(builder, *load, number.all(), bytes, rank));
    element.eraseFromParent();
    return true;
  }

private:
  /// Rows and planes come first: neighbours begin with the same sum, that of the row with the centres of the variables.
  Value *addressOf(IRBuilder<> &builder, LoadInst &base, ArrayRef<Term> terms, uint64_t bytes, unsigned rank) {
    Value *address = originOf(builder, base);
    auto add = [&](Value *count, unsigned extents) {
      Value *distance = builder.CreateMul(count, extents ? strideOf(builder, base, extents) : builder.getInt64(bytes));
      address = builder.CreateGEP(builder.getInt8Ty(), address, distance);
    };
    SmallVector<int64_t> constants(rank);
    for (const Term &term : terms)
      if (!term.value)
        constants[term.extents] += term.factor;
    for (unsigned extents = rank - 1; extents > 0; --extents)
      if (Value *sum = sumOfVariables(builder, terms, extents)) {
        int64_t centre = centreOf(terms, extents, constants[extents]);
        constants[extents] -= centre;
        add(centre ? builder.CreateAdd(sum, builder.getInt64(centre)) : sum, extents);
      }
    for (unsigned extents = rank - 1; extents > 0; --extents)
      if (constants[extents])
        add(builder.getInt64(constants[extents]), extents);
    if (Value *sum = sumOfVariables(builder, terms, 0))
      add(sum, 0);
    if (constants[0])
      add(builder.getInt64(constants[0]), 0);
    return address;
  }

  static Value *sumOfVariables(IRBuilder<> &builder, ArrayRef<Term> terms, unsigned extents) {
    Value *sum = nullptr;
    for (const Term &term : terms) {
      if (term.extents != extents || !term.value)
        continue;
      Value *value = term.factor == 1 ? term.value : builder.CreateMul(term.value, builder.getInt64(term.factor));
      sum = sum ? builder.CreateAdd(sum, value) : value;
    }
    return sum;
  }

  /// What all elements add to the variables of this subscript, so that their sum is multiplied: the constant of the
  /// first element with them, `constant` if this is it.
  int64_t centreOf(ArrayRef<Term> terms, unsigned extents, int64_t constant) {
    std::vector<std::pair<Value *, int64_t>> variables;
    for (const Term &term : terms)
      if (term.extents == extents && term.value)
        variables.push_back({term.value, term.factor});
    return centres.try_emplace(std::move(variables), constant).first->second;
  }

  LoadInst *loadField(IRBuilder<> &builder, const LoadInst &base, Type *type, uint64_t place) {
    Value *descriptor = const_cast<Value *>(base.getPointerOperand())->stripPointerCasts();
    Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), descriptor, place);
    return builder.CreateAlignedLoad(type, address, Align(8));
  }

  Value *originOf(IRBuilder<> &builder, const LoadInst &base) {
    LoadInst *origin = loadField(builder, base, base.getType(), placeOfOrigin(*Field::of(&base, layout).descriptor));
    origin->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
    return origin;
  }

  Value *strideOf(IRBuilder<> &builder, const LoadInst &base, unsigned dimension) {
    LoadInst *stride =
        loadField(builder, base, builder.getInt64Ty(), firstDimension + dimension * dimensionBytes + strideAt);
    stride->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
    return stride;
  }

  const DataLayout &layout;
  std::map<std::vector<std::pair<Value *, int64_t>>, int64_t> centres;
};

} // namespace

PreservedAnalyses ArrayOrigins::run(Function &function, FunctionAnalysisManager &) {
  Elements elements(function.getDataLayout());
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *element = dyn_cast<GetElementPtrInst>(&instruction))
      changed |= elements.change(*element);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
