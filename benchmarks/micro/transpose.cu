// Shared memory and coalescing: the transpose of an 8192 x 8192 matrix by padded 32 x 32 tiles. Twin: transpose.cuf.
#include <cstdio>
#include <vector>

constexpr int tile = 32, rows = 8;

__global__ void transposeTiled(const float *__restrict__ a, float *__restrict__ b, int n) {
  __shared__ float t[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    t[threadIdx.y + j][threadIdx.x] = a[size_t(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows)
    b[size_t(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = 8192, warm = 5, runs = 50;
  const size_t bytes = sizeof(float) * n * n;
  std::vector<float> a(size_t(n) * n), result(size_t(n) * n);
  for (int j = 1; j <= n; ++j)
    for (int i = 1; i <= n; ++i)
      a[size_t(j - 1) * n + i - 1] = (i + 3 * j) % 1000003;
  float *from, *to, ms;
  cudaEvent_t first, last;
  int status = cudaMalloc(&from, bytes) + cudaMalloc(&to, bytes);
  status += cudaMemset(to, 0, bytes);
  status += cudaMemcpy(from, a.data(), bytes, cudaMemcpyHostToDevice);
  dim3 grid(n / tile, n / tile, 1), block(tile, rows, 1);
  status += cudaEventCreate(&first) + cudaEventCreate(&last);
  for (int k = 1; k <= warm + runs; ++k) {
    status += cudaEventRecord(first, 0);
    transposeTiled<<<grid, block>>>(from, to, n);
    status += cudaEventRecord(last, 0);
    status += cudaEventSynchronize(last);
    status += cudaEventElapsedTime(&ms, first, last);
    if (k > warm)
      printf("sample %.6f\n", ms);
  }
  status += cudaMemcpy(result.data(), to, bytes, cudaMemcpyDeviceToHost);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (status || result[size_t(j) * n + i] != a[size_t(i) * n + j])
        return fprintf(stderr, "wrong result\n"), 1;
}
