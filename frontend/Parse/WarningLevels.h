// Which of Flang's warnings a user gets.
#pragma once

#include "flang/Support/Fortran-features.h"

namespace cufort::frontend {

struct FrontendOptions;

/// Leaves in `features` the warnings that `options` ask for. Without an option these are the ones that speak of
/// mistakes, as nvfortran's do, and not those about style or about other compilers.
void setWarnings(Fortran::common::LanguageFeatureControl &features, const FrontendOptions &options);

} // namespace cufort::frontend
