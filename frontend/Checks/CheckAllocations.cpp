// ALLOCATE and DEALLOCATE (CUDA Fortran guide 3.2.6, 3.3): what options cannot have together, and what device code can
// allocate.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"
#include "frontend/Parse/AlignSpecifiers.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor;

namespace {

class AllocationChecker : public StatementVisitor {
public:
  explicit AllocationChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &kernel) {
    outer.push_back(directive);
    directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t).source;
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) {
    directive = outer.back();
    outer.pop_back();
  }

  void Post(const parser::Allocation &allocation) {
    checkObject(std::get<parser::AllocateObject>(allocation.t), "allocated");
  }
  void Post(const parser::DeallocateStmt &statement) {
    for (const parser::AllocateObject &object : std::get<std::list<parser::AllocateObject>>(statement.t))
      checkObject(object, "deallocated");
  }

  void Post(const parser::AllocateStmt &statement) {
    const auto &options = std::get<std::list<parser::AllocOpt>>(statement.t);
    bool hasStream = llvm::any_of(options, [](const parser::AllocOpt &option) {
      return std::holds_alternative<parser::AllocOpt::Stream>(option.u);
    });
    for (const parser::AllocOpt &option : options)
      if (const auto *pinned = std::get_if<parser::AllocOpt::Pinned>(&option.u); pinned && hasStream)
        context.Say(
            parser::FindSourceLocation(*pinned),
            "An ALLOCATE with STREAM= cannot have PINNED=: device memory belongs to a stream, and page-locked memory to the host"_err_en_US);
  }

  void Post(const parser::CallStmt &statement) {
    if (const auto *call = statement.typedCall.get())
      if (const auto *intrinsic = call->proc().GetSpecificIntrinsic(); intrinsic && intrinsic->name == "move_alloc")
        checkMove(call->arguments());
    const parser::Expr *alignment = cufort::frontend::alignmentIn(statement);
    const semantics::SomeExpr *value = alignment ? semantics::GetExpr(context, *alignment) : nullptr;
    auto type = value ? value->GetType() : std::nullopt;
    if (type && (type->category() != common::TypeCategory::Integer || value->Rank() > 0))
      context.Say(alignment->source, "The value of ALIGN= must be a scalar integer"_err_en_US);
  }

private:
  /// Device code allocates in the heap of the device. Of local variables CheckDeclarations.cpp says so, and
  /// checkObject() of those around a CUF kernel.
  bool checkManaged(const parser::Name &name, bool isComponent, const char *what) {
    const semantics::Symbol &symbol = name.symbol->GetUltimate();
    auto attribute = cufort::frontend::dataAttribute(symbol);
    bool isManaged = attribute == common::CUDADataAttr::Managed || attribute == common::CUDADataAttr::Unified;
    bool inKernelLoop = isComponent && !directive.empty();
    bool isPassed = isComponent || semantics::IsDummy(symbol);
    bool inDeviceCode = inKernelLoop || (isPassed && cufort::frontend::isDeviceOnly(context.FindScope(source)));
    if (!isManaged || !inDeviceCode)
      return true;
    context.Say(
        name.source,
        "'%s' cannot be %s in device code: it is managed or unified, and only the host allocates such data"_err_en_US,
        name.source, what);
    return false;
  }

  /// A thread has the variables of BLOCK constructs in its loops, and components of what is on the device.
  void checkObject(const parser::AllocateObject &object, const char *what) {
    const auto *component = std::get_if<parser::StructureComponent>(&object.u);
    const parser::Name &last = component ? component->component : std::get<parser::Name>(object.u);
    if (!checkManaged(last, component, what) || directive.empty())
      return;
    const parser::Name &variable = component ? parser::GetFirstName(*component) : std::get<parser::Name>(object.u);
    const semantics::Symbol &symbol = variable.symbol->GetUltimate();
    if (!isOfThread(symbol) && !(component && cufort::frontend::isOfDevice(symbol)))
      context.Say(
          variable.source,
          "'%s' cannot be %s in a CUF kernel: it belongs to the host; do it before or behind the loops, or declare the variable in a BLOCK construct in them"_err_en_US,
          variable.source, what);
  }

  /// True for a variable of a BLOCK construct in the loops of the CUF kernel.
  bool isOfThread(const semantics::Symbol &symbol) const {
    return symbol.owner().kind() == semantics::Scope::Kind::BlockConstruct && symbol.name().begin() > directive.begin();
  }

  /// FROM and TO of MOVE_ALLOC, if they are whole variables.
  void checkMove(const evaluate::ActualArguments &arguments) {
    bool isInProcedure = semantics::FindCUDADeviceContext(&context.FindScope(source));
    for (const auto &argument : llvm::ArrayRef(arguments).take_front(2)) {
      const semantics::SomeExpr *expr = argument ? argument->UnwrapExpr() : nullptr;
      const semantics::Symbol *symbol = expr ? evaluate::UnwrapWholeSymbolDataRef(*expr) : nullptr;
      if (!symbol)
        continue;
      bool isAround = isInProcedure && !semantics::FindCUDADeviceContext(&symbol->GetUltimate().owner());
      if (isAround || (!directive.empty() && !isOfThread(symbol->GetUltimate())))
        context.Say(
            source,
            "'%s' cannot be moved in device code: it belongs to the host; call move_alloc there, or for local variables"_err_en_US,
            symbol->name());
    }
  }

  semantics::SemanticsContext &context;
  parser::CharBlock directive;          ///< of the CUF kernel around the place that is visited
  std::vector<parser::CharBlock> outer; ///< what it was further out
};

} // namespace

void cufort::frontend::checkAllocations(semantics::SemanticsContext &context, const parser::Program &program) {
  AllocationChecker checker{context};
  parser::Walk(program, checker);
}
