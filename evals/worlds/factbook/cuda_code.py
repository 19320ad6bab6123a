"""A CUDA header with kernels and their launchers, to be changed."""

HEADER = """\
/*
 * Copyright (c) 2026 by the atlas team.
 */
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#define ATLAS_~NOUN~_TILE ~small~

namespace atlas {

constexpr int kMax~Noun~s = ~big~;
static constexpr float kEps = 1e-6f;

enum class ~Noun~Kind : int32_t {
  kDense = 0,
  kPaged = 1,
  kRagged = 2,
};

struct ~Noun~Params {
  void* q_ptr;
  void* k_ptr;
  int32_t num_heads;
  int32_t head_dim = 128;
  float sm_scale;
  bool causal = false;
};

class Base~Noun~ {
 public:
  virtual void Close() = 0;
};

class Timed~Noun~ : public Base~Noun~ {};

class ~Cls~ : public Base~Noun~ {
 public:
  explicit ~Cls~(int capacity) : capacity_(capacity) {}

  /*! \\brief Find a place. */
  int ~fnP~(int64_t rid, int tokens) {
    if (tokens > capacity_) {
      throw std::runtime_error("~noun~: too many tokens");
    }
    used_ += tokens;
    return static_cast<int>(rid % capacity_);
  }

  void Reset() { used_ = 0; }

 private:
  int capacity_;
  int used_ = 0;
};

/*! \\brief Rows are scaled by the warp that loads them. */
template <typename DType>
__global__ void ~fn2~_kernel(const DType* in, DType* out, int rows, int cols, float scale) {
  const int row = blockIdx.x;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    out[row * cols + i] = in[row * cols + i] * scale;
  }
}

template <typename DType>
inline cudaError_t ~fn2~(const DType* in, DType* out, int rows, int cols, float scale = 1.0f,
                         cudaStream_t stream = nullptr) {
  ATLAS_CHECK(cols <= ~big~, "cols is too large");
  ~fn2~_kernel<DType><<<rows, 256, 0, stream>>>(in, out, rows, cols, scale);
  return cudaGetLastError();
}

inline int ~fn3~(int num_heads, int group_size) {
  const char* forced = std::getenv("ATLAS_~NOUN~_SPLITS");
  if (forced != nullptr) {
    return std::atoi(forced);
  }
  return (num_heads + group_size - 1) / group_size;
}

inline bool is_aligned(const void* ptr, size_t bytes) {
  return reinterpret_cast<uintptr_t>(ptr) % bytes == 0;
}

}  // namespace atlas
"""
