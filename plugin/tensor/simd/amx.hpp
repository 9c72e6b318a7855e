#pragma once
// The product of linear rows by the matrix unit of newer x86 processors (AMX). Torch-free.

#include "plugin/tensor/simd/pieces.hpp"

namespace lowtide::tensor::simd {

/// Whether this processor has tiles of bf16, and the system lets the process use them. Asks once;
/// any thread.
[[nodiscard]] bool canUseTiles();

/// Only where canUseTiles().
[[nodiscard]] const LinearPieces& amxLinearPieces();

}  // namespace lowtide::tensor::simd
