#pragma once
#include <cstdint>

namespace engine {

void top_k(const float* logits, int32_t k);

void top_p(const float* logits, float p);

namespace detail {
int round_up(int number, int unit);
}  // namespace detail

}  // namespace engine
