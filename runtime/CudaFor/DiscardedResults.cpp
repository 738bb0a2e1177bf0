// Where results of the module's routines go that a program calls with CALL, see frontend/Parse/DiscardedResults.cpp.
#include <cstdint>

extern "C" void cufort_discard_result_(const int64_t *) {}
