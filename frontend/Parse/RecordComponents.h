// Components of RECORDs, of VAX Fortran, behind a point.
#pragma once

namespace Fortran::parser {
class CookedSource;
}

namespace cufort::frontend {

/// Writes `record%component` for `record.component` in the prescanned `source`, if it has a STRUCTURE with such a
/// component. Flang's parser knows these in the program unit of the STRUCTURE only.
void translateRecordComponents(const Fortran::parser::CookedSource &source);

} // namespace cufort::frontend
