#pragma once
// Intermediate values of a run, kept under their keys, and their safetensors file.

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::tensor {

/// Keeps copies of intermediate values under the keys of reference/README.md. Recording never
/// changes what executes.
class Recorder {
public:
    /// Starts a stage of a node: keys of the second node that runs the same `stage` get the prefix
    /// "<node>/". What the same stage of the same node recorded before is forgotten: it runs again.
    void beginStage(std::string_view stage, std::string_view node);
    /// Keeps a host copy of `value` under `key`; an undefined tensor is left out.
    void put(std::string_view key, const at::Tensor& value);
    /// Keeps it under "key.000", "key.001", ...
    void putNext(std::string_view key, const at::Tensor& value);

    [[nodiscard]] const std::map<std::string, at::Tensor>& tensors() const { return tensors_; }

private:
    void note(std::string key);

    std::string prefix_;
    std::map<std::string, std::string, std::less<>> stageOwners_;
    std::map<std::string, int, std::less<>> counts_;
    std::map<std::pair<std::string, std::string>, std::vector<std::string>>
        keys_;  ///< by stage, node
    std::vector<std::string>* stageKeys_ = nullptr;
    std::map<std::string, at::Tensor> tensors_;
};

/// A stage's view of the recorder: does nothing when recording is off.
class Record {
public:
    explicit Record(Recorder* recorder) : recorder_(recorder) {}

    [[nodiscard]] bool isOn() const { return recorder_ != nullptr; }

    void put(std::string_view key, const at::Tensor& value) const {
        if (recorder_) {
            recorder_->put(key, value);
        }
    }

    void putNext(std::string_view key, const at::Tensor& value) const {
        if (recorder_) {
            recorder_->putNext(key, value);
        }
    }

private:
    Recorder* recorder_;
};

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
