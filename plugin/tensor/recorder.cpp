#include "plugin/tensor/recorder.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/transfer.hpp"
#include "plugin/tensor/value_codecs.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <vector>

namespace lowtide::tensor {

void Recorder::beginStage(std::string_view stage, std::string_view node) {
    const auto [owner, isFirst] = stageOwners_.try_emplace(std::string(stage), node);
    prefix_ = owner->second == node ? std::string() : std::string(node) + "/";
    stageKeys_ = &keys_[{std::string(stage), std::string(node)}];
    for (const std::string& key : *stageKeys_) {
        tensors_.erase(key);
        counts_.erase(key);
    }
    stageKeys_->clear();
}

void Recorder::note(std::string key) {
    if (stageKeys_) {
        stageKeys_->push_back(std::move(key));
    }
}

void Recorder::put(std::string_view key, const at::Tensor& value) {
    if (value.defined()) {
        tensors_.insert_or_assign(prefix_ + std::string(key), recordCopy(value));
        note(prefix_ + std::string(key));
    }
}

void Recorder::putNext(std::string_view key, const at::Tensor& value) {
    int& count = counts_[prefix_ + std::string(key)];
    note(prefix_ + std::string(key));
    put(std::string(key) + "." + zeroPadded(static_cast<uint64_t>(count), 3), value);
    ++count;
}

namespace {

files::TensorBytes bytesOf(const std::string& key, const at::Tensor& value) {
    LOWTIDE_ASSERT(value.is_cpu() && value.is_contiguous());
    const std::optional<DType> type = elementTypeOf(value.scalar_type());
    if (!type) {
        throw Error(
            ErrorKind::Unsupported,
            message(
                "the recorded tensor \"{}\" has the element type {}, which a recording cannot hold",
                key,
                c10::toString(value.scalar_type())));
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
