#pragma once
#include <cstdint>

namespace engine {

void top_k(const float* logits, int32_t k);

namespace detail {
}  // namespace detail

}  // namespace engine
