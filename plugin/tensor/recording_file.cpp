#include "plugin/tensor/recording_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/element_type.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <vector>

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
                    const RecordedTensors& tensors,
                    const std::map<std::string, std::string>& metadata) {
    std::map<std::string, files::TensorBytes> content;
    for (const auto& [key, value] : tensors) {
        content.emplace(key, bytesOf(key, value));
    }
    files::writeSafetensors(path, content, metadata);
}

RecordedTensors readRecording(const std::string& path) {
    const files::InputFile file(path);
    RecordedTensors tensors;
    for (const auto& [key, info] : files::readSafetensorsHeader(file).tensors) {
        std::vector<std::byte> bytes(static_cast<size_t>(info.bytes));
        file.read(bytes, info.offset);
        const auto options = at::TensorOptions(residency::scalarTypeOf(info.type));
        tensors.emplace(key, recordCopy(at::from_blob(bytes.data(), info.shape, options)));
    }
    return tensors;
}

}  // namespace lowtide::tensor
