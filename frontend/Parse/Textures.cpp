#include "frontend/Parse/Textures.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// Finds the texture pointers in the specification part of a module.
struct TextureFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::TypeDeclarationStmt &declaration) {
    bool isTexture =
        llvm::any_of(std::get<std::list<parser::AttrSpec>>(declaration.t), [](const parser::AttrSpec &spec) {
          auto *attribute = std::get_if<common::CUDADataAttr>(&spec.u);
          return attribute && *attribute == common::CUDADataAttr::Texture;
        });
    if (isTexture)
      for (const parser::EntityDecl &entity : std::get<std::list<parser::EntityDecl>>(declaration.t))
        names.push_back(std::get<parser::ObjectName>(entity.t).ToString());
  }

  void Post(const parser::CUDAAttributesStmt &statement) {
    if (std::get<common::CUDADataAttr>(statement.t) == common::CUDADataAttr::Texture)
      for (const parser::Name &name : std::get<std::list<parser::Name>>(statement.t))
        names.push_back(name.ToString());
  }

  std::vector<std::string> names;
};

struct TextureReplacer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(parser::Module &module) {
    TextureFinder finder;
    parser::Walk(std::get<parser::SpecificationPart>(module.t), finder);
    std::string name = std::get<parser::Statement<parser::ModuleStmt>>(module.t).statement.v.ToString();
    for (const std::string &variable : finder.names)
      mangledNames.push_back(fir::NameUniquer::doVariable({name}, {}, 0, variable));
    return true;
  }

  void Post(common::CUDADataAttr &attribute) {
    if (attribute == common::CUDADataAttr::Texture)
      attribute = common::CUDADataAttr::Device;
  }

  std::vector<std::string> mangledNames;
};

} // namespace

std::vector<std::string> cufort::frontend::replaceTextures(parser::Program &program) {
  TextureReplacer replacer;
  parser::Walk(program, replacer);
  return replacer.mangledNames;
}
