#pragma once

#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace lowtide::tests {

/// Reference values that a Python script computes with the real libraries. The script is called as
/// `$LOWTIDE_PYTHON script OUT.safetensors` once; its file is kept under the hash of the script in
/// $LOWTIDE_CACHE, or in the temporary folder. Throws Error when the values cannot be made: then
/// the test has failed, it is never skipped.
class PythonGolden {
public:
    explicit PythonGolden(const std::string& script);

    /// The tensor under `key`, in host memory of its own. Error{NotFound} names the key.
    [[nodiscard]] at::Tensor tensor(const std::string& key) const;
    [[nodiscard]] bool has(const std::string& key) const;
    /// A metadata text of the file.
    [[nodiscard]] std::string text(const std::string& key) const;

private:
    std::unique_ptr<files::InputFile> file_;
    files::SafetensorsHeader header_;
};

/// sqrt(sum (a - b)^2 / sum b^2); 0 when both are equal, also where both are 0.
[[nodiscard]] double relativeL2(const at::Tensor& a, const at::Tensor& b);

}  // namespace lowtide::tests
