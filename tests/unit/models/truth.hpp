#pragma once

#include "tests/fixtures/tensor_file.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace lowtide::testing {

/// Values that a script of this folder computes with the real networks, once for its content:
/// `script REFERENCE CHECKPOINTS FOLDER NAME` makes FOLDER/NAME.safetensors. Throws
/// std::runtime_error when they cannot be made: then the test has failed.
class Truth {
public:
    /// `checkpoints`: a folder of golden checkpoints; empty: those of goldenFolder().
    Truth(const std::string& script, const std::string& name, std::string checkpoints = {});

    /// The folder of a checkpoint that the script read.
    [[nodiscard]] std::string checkpoint(const std::string& name) const {
        return checkpoints_ + "/" + name;
    }

    /// Another file of the folder.
    [[nodiscard]] std::string text(const std::string& fileName) const;

    [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }

    /// f32 or int64, in host memory of its own.
    [[nodiscard]] at::Tensor tensor(const std::string& key) const;
    /// Why `ours` does not agree (design, section 5); empty when it does.
    [[nodiscard]] std::string disagreement(const std::string& key, const at::Tensor& ours) const;

private:
    std::string checkpoints_;
    std::string folder_;
    TensorFile values_;
};

/// Why `ours` does not agree with a tensor of a file (design, section 5); empty when it does.
[[nodiscard]] std::string disagreement(const TensorFile& reference,
                                       const std::string& key,
                                       const at::Tensor& ours);
/// A tensor of a file or a recording.
[[nodiscard]] at::Tensor tensorIn(const TensorFile& file, const std::string& key);
/// The folder of a golden checkpoint, by its name there: "sd15_1", "sdxl_1", "refiner_0".
[[nodiscard]] std::string goldenCheckpoint(const std::string& name);

}  // namespace lowtide::testing
