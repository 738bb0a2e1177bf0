// Launch entries of Flang's CUDA runtime. Code compiled by cufort calls cufortLaunchKernel; these serve launches that
// Flang's own passes have lowered, which say neither the file nor the line.
#include "runtime/Launch/Launch.h"

using namespace cufort::rt;

namespace {

LaunchConfig makeConfig(const intptr_t (&grid)[3], const intptr_t (&block)[3], const int64_t *stream,
                        int32_t sharedBytes) {
  LaunchConfig config;
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = grid[i];
    config.block[i] = block[i];
  }
  config.sharedBytes = sharedBytes;
  config.stream = stream ? *stream : 0;
  return config;
}

} // namespace

extern "C" {

void _FortranACUFLaunchKernel(const void *kernel, intptr_t gridX, intptr_t gridY, intptr_t gridZ, intptr_t blockX,
                              intptr_t blockY, intptr_t blockZ, int64_t *stream, int32_t sharedBytes, void **params,
                              void **) {
  LaunchConfig config = makeConfig({gridX, gridY, gridZ}, {blockX, blockY, blockZ}, stream, sharedBytes);
  launchOrRecord(kernel, config, params, nullptr, 0);
}

void _FortranACUFLaunchClusterKernel(const void *kernel, intptr_t clusterX, intptr_t clusterY, intptr_t clusterZ,
                                     intptr_t gridX, intptr_t gridY, intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                                     intptr_t blockZ, int64_t *stream, int32_t sharedBytes, void **params, void **) {
  LaunchConfig config = makeConfig({gridX, gridY, gridZ}, {blockX, blockY, blockZ}, stream, sharedBytes);
  config.cluster[0] = clusterX;
  config.cluster[1] = clusterY;
  config.cluster[2] = clusterZ;
  launchOrRecord(kernel, config, params, nullptr, 0);
}

void _FortranACUFLaunchCooperativeKernel(const void *kernel, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                                         intptr_t blockX, intptr_t blockY, intptr_t blockZ, int64_t *stream,
                                         int32_t sharedBytes, void **params, void **) {
  LaunchConfig config = makeConfig({gridX, gridY, gridZ}, {blockX, blockY, blockZ}, stream, sharedBytes);
  config.cooperative = true;
  launchOrRecord(kernel, config, params, nullptr, 0);
}

} // extern "C"
