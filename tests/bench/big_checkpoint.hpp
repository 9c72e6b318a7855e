#pragma once

#include <QString>

namespace lowtide::testing {

/// The checkpoint of that size which big_checkpoint.py makes, in `folder` of the cache folder; made
/// when it is not there. Throws std::runtime_error when it cannot be.
[[nodiscard]] QString bigCheckpoint(const QString& size, const QString& folder);
/// The same of xl_checkpoint.py: a folder with model.safetensors, Stable Diffusion XL.
[[nodiscard]] QString bigXlCheckpoint(const QString& folder);

}  // namespace lowtide::testing
