#include "frontend/Parse/Textures.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

struct TextureReplacer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(common::CUDADataAttr &attribute) {
    if (attribute == common::CUDADataAttr::Texture)
      attribute = common::CUDADataAttr::Device;
  }
};

} // namespace

void cufort::frontend::replaceTextures(parser::Program &program) {
  TextureReplacer replacer;
  parser::Walk(program, replacer);
}
