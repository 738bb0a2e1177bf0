// What SELECT TYPE, SAME_TYPE_AS, EXTENDS_TYPE_OF and INTENT(OUT) ask of the types of objects. Semantics: Fortran 2018
// clauses 11.1.11 and 16.9.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// The description of the dynamic type; null for an intrinsic type.
const TypeDescription *typeOrNull(const Descriptor &object) {
  return hasType(object) ? typeOf(const_cast<Descriptor &>(object)) : nullptr;
}

bool isOrExtends(const TypeDescription *type, const TypeDescription *ancestor) {
  while (type && type != ancestor)
    type = type->parent;
  return type;
}

} // namespace

/// What happens to a dummy argument with INTENT(OUT) when the procedure begins (Fortran 2018 8.5.10).
extern "C" void cufortResetObject(const Descriptor *object) {
  const TypeDescription *type = typeOrNull(*object);
  if (!type || !type->reset)
    return;
  for (long number = 0, count = elementCount(*object); number < count; ++number)
    type->reset(elementAddress(*object, number));
}

extern "C" bool _FortranAClassIs(const Descriptor *object, const TypeDescription *type) {
  return isOrExtends(typeOrNull(*object), type);
}

/// Intrinsic types have the same type if they have the same kind.
extern "C" bool _FortranASameTypeAs(const Descriptor *a, const Descriptor *b) {
  const TypeDescription *type = typeOrNull(*a), *other = typeOrNull(*b);
  return type == other && (type || a->type == b->type);
}

extern "C" bool _FortranAExtendsTypeOf(const Descriptor *a, const Descriptor *mold) {
  const TypeDescription *type = typeOrNull(*a), *ancestor = typeOrNull(*mold);
  return ancestor && isOrExtends(type, ancestor);
}
