#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace lowtide::tensor {

/// Recorded tensors by their keys (Recorder).
using RecordedTensors = std::map<std::string, at::Tensor>;

/// Writes recorded tensors as one safetensors file, atomically: sorted keys, nothing that depends
/// on device, time or path. Tensors are on the host and contiguous, as Recorder keeps them. Errors:
/// Error{InvalidInput} when the folder cannot be written; Error{Unsupported} names a key whose
/// element type safetensors does not have.
void writeRecording(const std::string& path,
                    const RecordedTensors& tensors,
                    const std::map<std::string, std::string>& metadata);

/// What was written, in memory of its own that no allocator of ATen counts. Errors of
/// files::readSafetensorsHeader.
[[nodiscard]] RecordedTensors readRecording(const std::string& path);

}  // namespace lowtide::tensor
