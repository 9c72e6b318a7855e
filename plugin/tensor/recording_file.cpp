#include "plugin/tensor/recording_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/tensor/element_type.hpp"

#include <ATen/ATen.h>

#include <optional>

namespace lowtide::tensor {

namespace {

files::TensorBytes bytesOf(const std::string& key, const at::Tensor& value) {
    LOWTIDE_ASSERT(value.is_cpu() && value.is_contiguous());
    const std::optional<DType> type = elementTypeOf(value.scalar_type());
    if (!type) {
        throw Error(ErrorKind::Unsupported,
                    "the recorded tensor \"" + key + "\" has the element type " +
                        c10::toString(value.scalar_type()) + ", which a recording cannot hold");
    }
    return {.type = *type,
            .shape = value.sizes().vec(),
            .bytes = {static_cast<const std::byte*>(value.const_data_ptr()), value.nbytes()}};
}

}  // namespace

void writeRecording(const std::string& path,
                    const std::map<std::string, at::Tensor>& tensors,
                    const std::map<std::string, std::string>& metadata) {
    std::map<std::string, files::TensorBytes> content;
    for (const auto& [key, value] : tensors) {
        content.emplace(key, bytesOf(key, value));
    }
    files::writeSafetensors(path, content, metadata);
}

}  // namespace lowtide::tensor
