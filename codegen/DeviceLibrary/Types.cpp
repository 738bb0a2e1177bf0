// What SELECT TYPE, SAME_TYPE_AS and EXTENDS_TYPE_OF ask of the types of objects. Semantics: Fortran 2018 clauses 11.1.11
// and 16.9.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// The constant that stands for a derived type (mlir-dialects/Cufx/Transforms/DescribeTypes.cpp).
struct TypeDescription {
  const TypeDescription *parent;
};

/// The description of the dynamic type, behind the dimensions; null for an intrinsic type.
const TypeDescription *typeOf(const Descriptor &object) {
  constexpr signed char hasAddendum = 1;
  if (!(object.extra & hasAddendum))
    return nullptr;
  return *reinterpret_cast<const TypeDescription *const *>(&object.dim[object.rank]);
}

bool isOrExtends(const TypeDescription *type, const TypeDescription *ancestor) {
  while (type && type != ancestor)
    type = type->parent;
  return type;
}

} // namespace

extern "C" bool _FortranAClassIs(const Descriptor *object, const TypeDescription *type) {
  return isOrExtends(typeOf(*object), type);
}

/// Intrinsic types have the same type if they have the same kind.
extern "C" bool _FortranASameTypeAs(const Descriptor *a, const Descriptor *b) {
  const TypeDescription *type = typeOf(*a), *other = typeOf(*b);
  return type == other && (type || a->type == b->type);
}

extern "C" bool _FortranAExtendsTypeOf(const Descriptor *a, const Descriptor *mold) {
  const TypeDescription *type = typeOf(*a), *ancestor = typeOf(*mold);
  return ancestor && isOrExtends(type, ancestor);
}
