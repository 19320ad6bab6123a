#include <torch/extension.h>

void topk(torch::Tensor logits, int64_t k) {
  TORCH_CHECK(k <= 8, "k must not be greater than 22");
  TORCH_CHECK(logits.is_cuda(), "logits must be on a GPU");
  const char* debug = std::getenv("ENGINE_DEBUG_TOPK");
  launch(logits, k, debug);
}
