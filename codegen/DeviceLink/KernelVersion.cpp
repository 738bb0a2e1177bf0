#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

//===-- Conditions ------------------------------------------------------------------------------------------------===//

/// All that is asked of the version of a descriptor whose array has plain strides.
static constexpr uint32_t plainMask = static_cast<uint32_t>(CUFORT_PLAIN_STRIDES);

uint16_t LaunchCondition::numberOf(StringRef variable) {
  auto found = find(names, variable);
  size_t number = found - names.begin();
  if (found == names.end())
    names.push_back(variable.str());
  return static_cast<uint16_t>(number);
}

void LaunchCondition::requireBits(const Argument &parameter, uint64_t offset, uint32_t mask, uint32_t value) {
  all.push_back(
      {CufortTestParameter, static_cast<uint16_t>(parameter.getArgNo()), static_cast<uint32_t>(offset), mask, value});
}

void LaunchCondition::requireEqualBits(const Argument &first, uint64_t firstOffset, const Argument &second,
                                       uint64_t secondOffset) {
  all.push_back({CufortTestEqual, static_cast<uint16_t>(first.getArgNo()), static_cast<uint32_t>(firstOffset),
                 second.getArgNo(), static_cast<uint32_t>(secondOffset)});
}

void LaunchCondition::requirePlainStrides(const Argument &descriptor) {
  requireBits(descriptor, CufortVersionOffset, plainMask, plainMask);
}

void LaunchCondition::requirePlainStrides(const GlobalVariable &descriptor) {
  all.push_back({CufortTestStrides, numberOf(descriptor.getName()), 0, plainMask, plainMask});
}

void LaunchCondition::requireSameStrides(const GlobalVariable &first, const GlobalVariable &second) {
  all.push_back({CufortTestSame, numberOf(first.getName()), numberOf(second.getName()), 0, 0});
}

void LaunchCondition::requireBlock(unsigned axis, unsigned threads) {
  all.push_back({CufortTestBlock, static_cast<uint16_t>(axis), 0, 0, threads});
}

void LaunchCondition::requireThreads(const GridPlaces &places) {
  auto number = [](const Argument *parameter) { return parameter ? parameter->getArgNo() : CUFORT_NO_PARAMETER; };
  all.push_back({CufortTestThreads, static_cast<uint16_t>(places.axis), number(places.subtracted), number(places.added),
                 static_cast<uint32_t>(places.constant)});
}

void LaunchCondition::requireStep(unsigned step, uint32_t least, uint32_t most) {
  all.push_back({CufortTestStep, static_cast<uint16_t>(step), least, 0, most});
}

void LaunchCondition::require(const LaunchCondition &other) {
  for (CufortTest test : other.all) {
    if (test.kind == CufortTestStrides || test.kind == CufortTestSame)
      test.index = numberOf(other.names[test.index]);
    if (test.kind == CufortTestSame)
      test.offset = numberOf(other.names[test.offset]);
    all.push_back(test);
  }
}

//===-- Versions --------------------------------------------------------------------------------------------------===//

/// True if nothing uses `value` but `function`.
static bool isOnlyUsedIn(const Value &value, const Function &function) {
  return all_of(value.users(), [&](const User *user) {
    if (auto *instruction = dyn_cast<Instruction>(user))
      return instruction->getFunction() == &function;
    return isa<ConstantExpr>(user) && isOnlyUsedIn(*user, function);
  });
}

/// Gives the copy of `kernel` shared memory of its own. The back end puts a variable into the kernel if no other uses
/// it, and then ptxas knows its address.
static void copySharedVariables(Function &kernel, StringRef suffix, ValueToValueMapTy &map) {
  Module &module = *kernel.getParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    bool isOwn = variable.getAddressSpace() == 3 && variable.hasLocalLinkage() && variable.hasInitializer() &&
                 !variable.use_empty() && isOnlyUsedIn(variable, kernel);
    if (!isOwn)
      continue;
    auto *copy = new GlobalVariable(module, variable.getValueType(), variable.isConstant(), variable.getLinkage(),
                                    variable.getInitializer(), variable.getName() + suffix, &variable,
                                    variable.getThreadLocalMode(), variable.getAddressSpace());
    copy->copyAttributesFrom(&variable);
    map[&variable] = copy;
  }
}

Function *cufort::codegen::cloneKernel(Function &kernel, StringRef suffix, ValueToValueMapTy &map) {
  copySharedVariables(kernel, suffix, map);
  Function *copy = CloneFunction(&kernel, map);
  copy->setName(kernel.getName() + suffix);
  copy->removeFromParent();
  kernel.getParent()->getFunctionList().insertAfter(kernel.getIterator(), copy);
  return copy;
}

static void append(std::string &bytes, const void *data, size_t size) {
  bytes.append(static_cast<const char *>(data), size);
}

template <typename Item>
static void append(std::string &bytes, ArrayRef<Item> items) {
  append(bytes, items.data(), items.size() * sizeof(Item));
}

static std::string encode(const CodeVersion &version) {
  const LaunchCondition &condition = version.condition;
  const HostCalculation &calculation = version.calculation;
  const CufortTest alternative = {CufortTestAlternative, static_cast<uint16_t>(version.pairedAxis.value_or(0)),
                                  version.pairedAxis ? 2u : 1u, version.parameters, 0};
  ArrayRef<CufortTest> tests = version.isAlternative ? ArrayRef(alternative) : condition.tests();
  std::string body;
  append(body, ArrayRef(calculation.steps));
  append(body, tests);
  append(body, ArrayRef(calculation.values));
  for (const std::string &symbol : {version.kernel, version.symbol})
    append(body, symbol.c_str(), symbol.size() + 1);
  for (const std::string &name : condition.variables())
    append(body, name.c_str(), name.size() + 1);
  body.resize(alignTo(body.size(), alignof(CufortStep)));
  auto number = [](size_t count) { return static_cast<uint16_t>(count); };
  CufortVersion head = {static_cast<uint32_t>(sizeof(CufortVersion) + body.size()),
                        number(tests.size()),
                        number(condition.variables().size()),
                        number(calculation.steps.size()),
                        number(calculation.values.size()),
                        version.kernelParameters,
                        version.versionParameters};
  std::string result;
  append(result, &head, sizeof(head));
  return result + body;
}

CodeVersion cufort::codegen::describeVersion(const KernelVersion &version) {
  bool calculates = !version.calculation.values.empty();
  return {version.kernel,           version.function->getName().str(),
          version.condition,        version.calculation,
          version.kernelParameters, static_cast<uint16_t>(calculates ? version.function->arg_size() : 0)};
}

std::string cufort::codegen::encodeVersions(ArrayRef<CodeVersion> versions) {
  std::string result;
  for (const CodeVersion &version : versions)
    result += encode(version);
  return result;
}

void cufort::codegen::eraseCopy(Function &copy) {
  Module &module = *copy.getParent();
  copy.eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.hasLocalLinkage() && variable.getAddressSpace() == 3 && variable.use_empty())
      variable.eraseFromParent();
  }
}

//===-- Parameters ------------------------------------------------------------------------------------------------===//

static bool isOnlyLoadedFrom(const Value &address) {
  return all_of(address.users(), [](const User *user) {
    if (auto *load = dyn_cast<LoadInst>(user))
      return load->isSimple();
    return isa<GEPOperator, AddrSpaceCastOperator>(user) && isOnlyLoadedFrom(*user);
  });
}

bool cufort::codegen::isOnlyLoaded(const Argument &argument) { return isOnlyLoadedFrom(argument); }

std::pair<Argument *, int64_t> cufort::codegen::placeInArgument(Value *address, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {dyn_cast<Argument>(base), offset.getSExtValue()};
}
