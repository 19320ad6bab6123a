#pragma once

namespace engine {

template <typename T>
cudaError_t RMSNorm(T* input, T* weight, uint32_t rows, float eps = 1e-5, bool enable_pdl = false) {
  return launch(input, weight, rows, eps);
}

cudaError_t LayerNorm(float* input, uint32_t rows, uint32_t columns);

}  // namespace engine
