// What -gpu=mem:managed lets device code reach.
#pragma once

#include "flang/Parser/message.h"

namespace Fortran::evaluate {
class ActualArgument;
}

namespace cufort::frontend {

/// True if `argument` is a variable that stays in ordinary host memory with -gpu=mem:managed, because nobody allocates
/// it.
bool isInHostMemory(const Fortran::evaluate::ActualArgument &argument);

/// What to say of it, with its name.
extern const Fortran::parser::MessageFixedText notInManagedMemory;

} // namespace cufort::frontend
