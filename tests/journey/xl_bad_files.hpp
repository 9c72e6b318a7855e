#pragma once

#include "tests/fixtures/tensor_file.hpp"

#include <QStringList>

#include <functional>
#include <vector>

namespace lowtide::testing {

/// What somebody chooses as a checkpoint of Stable Diffusion XL, and what must be reported of it.
struct BadFile {
    const char* row;
    std::function<void(TensorFile&)> change;  ///< of sdxl_1.safetensors (xlFileFolder())
    QStringList expected;                     ///< key, what is needed, what was seen
};

/// Files of another kind, files that lack an encoder or have another one, and denoisers that are
/// given another number of sizes.
[[nodiscard]] std::vector<BadFile> badXlFiles();

}  // namespace lowtide::testing
