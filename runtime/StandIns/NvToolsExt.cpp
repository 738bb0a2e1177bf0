// What stands in for libnvToolsExt where there is no CUDA toolkit: ranges and marks for a profiler. Every function does
// what NVIDIA's does while no profiler watches the program, which is nothing. The arguments do not matter then.

extern "C" {

/// What NVTX returns for a range if nobody counts how deep ranges are nested.
static constexpr int noTracking = -2;

int nvtxRangePushA() { return noTracking; }
int nvtxRangePushW() { return noTracking; }
int nvtxRangePushEx() { return noTracking; }
int nvtxRangePop() { return noTracking; }
int nvtxDomainRangePushEx() { return noTracking; }
int nvtxDomainRangePop() { return noTracking; }

unsigned long long nvtxRangeStartA() { return 0; }
unsigned long long nvtxRangeStartW() { return 0; }
unsigned long long nvtxRangeStartEx() { return 0; }
unsigned long long nvtxDomainRangeStartEx() { return 0; }
void nvtxRangeEnd() {}
void nvtxDomainRangeEnd() {}

void nvtxMarkA() {}
void nvtxMarkW() {}
void nvtxMarkEx() {}
void nvtxDomainMarkEx() {}

void *nvtxDomainCreateA() { return nullptr; }
void *nvtxDomainCreateW() { return nullptr; }
void nvtxDomainDestroy() {}
void *nvtxDomainRegisterStringA() { return nullptr; }
void *nvtxDomainRegisterStringW() { return nullptr; }

void nvtxInitialize() {}
void nvtxNameCategoryA() {}
void nvtxNameCategoryW() {}
void nvtxDomainNameCategoryA() {}
void nvtxDomainNameCategoryW() {}
void nvtxNameOsThreadA() {}
void nvtxNameOsThreadW() {}
void nvtxNameCudaDeviceA() {}
void nvtxNameCudaStreamA() {}
void nvtxNameCudaEventA() {}
}
