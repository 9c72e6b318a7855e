#include "plugin/tensor/recorder.hpp"

#include "plugin/base/text.hpp"
#include "plugin/tensor/crossing.hpp"

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

}  // namespace lowtide::tensor
