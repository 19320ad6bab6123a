template <int kVec>
__global__ void add_kernel_vectorized(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int v = 0; v < kVec; ++v) y[i * kVec + v] += x[i * kVec + v];
}

void add(const float* x, float* y, int n) { add_kernel_vectorized<4><<<n / 512, 128>>>(x, y, n); }
