#pragma once

enum class Activation : int {
  kRelu = 0,
  kGelu = 1,
};
