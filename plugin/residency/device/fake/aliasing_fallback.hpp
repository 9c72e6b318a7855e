#pragma once

#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace lowtide::residency {

/// A CPU tensor over the bytes of a tensor on the fake device; any other tensor as it is. A tensor
/// without elements becomes an empty one of its own, because ATen resizes empty results and bytes
/// of others cannot be resized.
[[nodiscard]] at::Tensor aliasOnCpu(const at::Tensor& tensor);

/// Tells the hazard checker that the run thread touches the tensor's bytes now, if it lives on the
/// fake device.
void noteAccess(const at::Tensor& tensor, Access access, const std::string& what);

/// Runs any operator with the CPU's kernel on the very bytes and strides of its arguments, so the
/// result has the CPU's bits; copies fresh results to the device. Host tensors beside device
/// tensors are refused as a real card would, but scalars and indices.
void runOnCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace lowtide::residency
