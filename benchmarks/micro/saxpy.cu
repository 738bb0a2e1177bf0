// Memory bandwidth: y = a*x + y on 2**26 numbers. Prints the time of each run of the kernel. Twin: saxpy.cuf.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1 << 26, threads = 256, warm = 5, runs = 50;
  std::vector<float> host(n, 1.0f);
  float *x, *y, ms;
  cudaEvent_t first, last;
  int status = cudaMalloc(&x, n * sizeof(float)) + cudaMalloc(&y, n * sizeof(float));
  status += cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  host.assign(n, 2.0f);
  status += cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  status += cudaEventCreate(&first) + cudaEventCreate(&last);
  for (int k = 1; k <= warm + runs; ++k) {
    status += cudaEventRecord(first, 0);
    saxpy<<<(n + threads - 1) / threads, threads>>>(n, 0.5f, x, y);
    status += cudaEventRecord(last, 0);
    status += cudaEventSynchronize(last);
    status += cudaEventElapsedTime(&ms, first, last);
    if (k > warm)
      printf("sample %.6f\n", ms);
  }
  status += cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float value : host)
    if (status || value != 2.0f + 0.5f * (warm + runs))
      return fprintf(stderr, "wrong result\n"), 1;
}
