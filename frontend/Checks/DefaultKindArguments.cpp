#include "frontend/Checks/DefaultKindArguments.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

struct Argument {
  llvm::StringLiteral keyword;
  unsigned position; ///< counted from 1
};

struct Procedure {
  llvm::StringLiteral name;
  std::vector<Argument> integers, logicals;
};

using Procedures = std::vector<Procedure>;

const Procedures &proceduresOf(llvm::StringRef module) {
  static const Procedures ofDevice = {{"__shfl", {{"srclane", 2}, {"width", 3}}, {}},
                                      {"__shfl_up", {{"delta", 2}, {"width", 3}}, {}},
                                      {"__shfl_down", {{"delta", 2}, {"width", 3}}, {}},
                                      {"__shfl_xor", {{"lanemask", 2}, {"width", 3}}, {}},
                                      {"__shfl_sync", {{"mask", 1}, {"srclane", 3}, {"width", 4}}, {}},
                                      {"__shfl_up_sync", {{"mask", 1}, {"delta", 3}, {"width", 4}}, {}},
                                      {"__shfl_down_sync", {{"mask", 1}, {"delta", 3}, {"width", 4}}, {}},
                                      {"__shfl_xor_sync", {{"mask", 1}, {"lanemask", 3}, {"width", 4}}, {}},
                                      {"syncwarp", {{"mask", 1}}, {}},
                                      {"all_sync", {{"mask", 1}}, {}},
                                      {"any_sync", {{"mask", 1}}, {}},
                                      {"ballot_sync", {{"mask", 1}}, {}},
                                      {"match_all_sync", {{"mask", 1}}, {}},
                                      {"match_any_sync", {{"mask", 1}}, {}},
                                      {"__nanosleep", {{"nanoseconds", 1}}, {}},
                                      {"barrier_init", {{"count", 2}}, {}},
                                      {"barrier_arrive", {{"count", 2}}, {}},
                                      {"barrier_try_wait_sleep", {{"ns", 3}}, {}},
                                      {"tma_bulk_g2s", {{"nbytes", 4}}, {}},
                                      {"tma_bulk_s2g", {{"nbytes", 3}}, {}},
                                      {"tma_bulk_load", {{"nelems", 4}}, {}},
                                      {"tma_bulk_store", {{"nelems", 3}}, {}}};
  static const Procedures ofArrays = {{"pack", {}, {{"mask", 2}}},
                                      {"packloc", {}, {{"mask", 1}}},
                                      {"unpack", {}, {{"mask", 2}}},
                                      {"count_prefix", {{"dim", 2}}, {{"mask", 1}, {"exclusive", 3}}},
                                      {"sum_prefix", {{"dim", 3}}, {{"mask", 2}, {"exclusive", 4}}}};
  static const Procedures ofGroups = {{"cluster_map_shared_rank", {{"rank", 2}}, {}}}, none;
  return module == "cudadevice"           ? ofDevice
         : module == "cutensorex"         ? ofArrays
         : module == "cooperative_groups" ? ofGroups
                                          : none;
}

const Procedure *procedureOf(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  const Procedures &procedures = proceduresOf(cufort::frontend::moduleOf(ultimate));
  auto found = llvm::find_if(procedures,
                             [&](const Procedure &procedure) { return procedure.name == ultimate.name().ToString(); });
  return found == procedures.end() ? nullptr : &*found;
}

struct ArgumentConverter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  explicit ArgumentConverter(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Call &call) {
    const auto *callee = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    const Procedure *procedure = callee && callee->symbol ? procedureOf(*callee->symbol) : nullptr;
    if (!procedure)
      return;
    for (auto [index, argument] : llvm::enumerate(std::get<std::list<parser::ActualArgSpec>>(call.t))) {
      if (isOneOf(procedure->integers, argument, index + 1))
        convert(argument, "int");
      else if (isOneOf(procedure->logicals, argument, index + 1))
        convert(argument, "logical");
    }
  }

private:
  static bool isOneOf(const std::vector<Argument> &arguments, const parser::ActualArgSpec &actual, unsigned position) {
    const auto &keyword = std::get<std::optional<parser::Keyword>>(actual.t);
    return llvm::any_of(arguments, [&](const Argument &argument) {
      return keyword ? argument.keyword == keyword->v.ToString() : argument.position == position;
    });
  }

  static parser::Expr four(parser::CharBlock source) {
    static constexpr llvm::StringLiteral text = "4";
    parser::Expr result{parser::LiteralConstant{
        parser::IntLiteralConstant{parser::CharBlock(text.data(), text.size()), std::optional<parser::KindParam>()}}};
    result.source = source;
    return result;
  }

  static parser::ActualArgSpec withoutKeyword(parser::Expr &&value) {
    return {std::optional<parser::Keyword>(), parser::ActualArg{common::Indirection<parser::Expr>{std::move(value)}}};
  }

  void convert(parser::ActualArgSpec &argument, llvm::StringLiteral function) {
    auto *actual = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
    if (!actual)
      return;
    parser::CharBlock source = actual->value().source;
    std::list<parser::ActualArgSpec> arguments;
    arguments.push_back(withoutKeyword(std::move(actual->value())));
    arguments.push_back(withoutKeyword(four(source)));
    parser::Name name{source, &cufort::frontend::intrinsicSymbol(context, function)};
    parser::FunctionReference reference{
        parser::Call{parser::ProcedureDesignator{std::move(name)}, std::move(arguments)}};
    reference.source = source;
    parser::Expr result{common::Indirection<parser::FunctionReference>{std::move(reference)}};
    result.source = source;
    std::get<parser::ActualArg>(argument.t).u = common::Indirection<parser::Expr>{std::move(result)};
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::convertDefaultKindArguments(semantics::SemanticsContext &context, parser::Program &program) {
  if (context.GetDefaultKind(common::TypeCategory::Integer) == 4)
    return;
  ArgumentConverter converter(context);
  parser::Walk(program, converter);
}
