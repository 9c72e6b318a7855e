#pragma once

#include "plugin/checkpoints/quantised/layer_settings.hpp"

namespace lowtide::models {

/// All tensors of a GGUF file under its own names, quantised ones encoded, and its metadata's
/// texts. A tensor has the shape that "comfy.gguf.orig_shape.<name>" states, where converters
/// flattened it (ComfyUI-GGUF). Errors: those of files::readGgufHeader(); Error{Unsupported} names
/// a tensor whose type is not read, Error{Corrupt} one whose stated shape has not as many numbers.
struct GgufTensors {
    TensorPlaces tensors;
    FileMetadata metadata;
};

[[nodiscard]] GgufTensors openGguf(const files::InputFile& file);

}  // namespace lowtide::models
