#include "plugin/tensor/recording_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/safetensors.hpp"

#include <ATen/ATen.h>

#include <optional>

namespace lowtide::tensor {

namespace {

std::optional<DType> fileType(at::ScalarType type) {
    switch (type) {
        case at::kDouble:
            return DType::F64;
        case at::kFloat:
            return DType::F32;
        case at::kHalf:
            return DType::F16;
        case at::kBFloat16:
            return DType::BF16;
        case at::kLong:
            return DType::I64;
        case at::kInt:
            return DType::I32;
        case at::kByte:
            return DType::U8;
        case at::kBool:
            return DType::Bool;
        default:
            return std::nullopt;
    }
}

files::TensorBytes bytesOf(const std::string& key, const at::Tensor& value) {
    LOWTIDE_ASSERT(value.is_cpu() && value.is_contiguous());
    const std::optional<DType> type = fileType(value.scalar_type());
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
