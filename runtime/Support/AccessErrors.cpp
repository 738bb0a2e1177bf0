// Checks of array references in host code that have failed (-Mbounds, -Mchkptr).
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Stream/ErrorState.h"

using namespace cufort::rt;

void cufortSubscriptError(const char *variable, int64_t dimension, int64_t subscript, int64_t lower, int64_t upper,
                          const char *file, int32_t line) {
  std::string bounds = std::to_string(lower) + ":" + (upper == INT64_MAX ? "*" : std::to_string(upper));
  if (dimension == 0)
    failProgram(file, line, "character " + std::to_string(subscript) + " of '" + variable + "' is outside " + bounds);
  failProgram(file, line,
              "subscript " + std::to_string(subscript) + " of '" + variable + "' is outside " + bounds +
                  " (dimension " + std::to_string(dimension) + ")");
}

void cufortExtentError(int64_t dimension, int64_t source, int64_t target, const char *file, int32_t line) {
  failProgram(file, line,
              "an array of extent " + std::to_string(source) + " is assigned to one of extent " +
                  std::to_string(target) + " (dimension " + std::to_string(dimension) + ")");
}

void cufortNullError(const char *variable, const char *file, int32_t line) {
  failProgram(file, line, std::string("'") + variable + "' is not allocated or associated");
}
