#pragma once

enum class Activation : int {
  kIdentity = 0,
  kRelu = 1,
  kGelu = 2,
};
