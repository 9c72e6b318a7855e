#pragma once

#include "plugin/checkpoints/convert/tensor_converter.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::models {

using TensorConverters = std::vector<std::unique_ptr<TensorConverter>>;

/// Writes a safetensors file with the names of the source; encoded layers get "weight_scale" and
/// "comfy_quant" as ComfyUI reads them. Metadata: license and modelspec of the source, and
/// "lowtide.storage". Errors: those of the converters and files::writeSafetensors().
void writeComfyFile(const std::string& path,
                    const StorageForm& form,
                    const ConvertSource& source,
                    const TensorConverters& tensors,
                    const StopToken& stop);

/// Writes a GGUF file with the names of the denoiser; flattened tensors have their shape in
/// "comfy.gguf.orig_shape.<name>". Metadata as above, and those that ComfyUI-GGUF asks for.
void writeGgufFile(const std::string& path,
                   const StorageForm& form,
                   const ConvertSource& source,
                   const TensorConverters& tensors,
                   const StopToken& stop);

}  // namespace lowtide::models
