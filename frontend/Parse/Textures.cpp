#include "frontend/Parse/Textures.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"

using namespace Fortran;

namespace {

struct TextureReplacer {
  template <typename T>
  bool Pre(T &) {
    return true;
  }
  template <typename T>
  void Post(T &) {}
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
