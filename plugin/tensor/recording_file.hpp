#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace lowtide::tensor {

/// Writes recorded tensors as one safetensors file, atomically: sorted keys, nothing that depends
/// on device, time or path. Tensors are on the host and contiguous, as Recorder keeps them. Errors:
/// Error{InvalidInput} when the folder cannot be written; Error{Unsupported} names a key whose
/// element type safetensors does not have.
void writeRecording(const std::string& path,
                    const std::map<std::string, at::Tensor>& tensors,
                    const std::map<std::string, std::string>& metadata);

}  // namespace lowtide::tensor
