#include <torch/library.h>

TORCH_LIBRARY(engine, m) {
  m.def("silu_and_mul(Tensor! out, Tensor input) -> ()");
  m.impl("silu_and_mul", torch::kCUDA, &silu_and_mul);
  m.def("gelu_and_mul(Tensor! out, Tensor input) -> ()");
}
