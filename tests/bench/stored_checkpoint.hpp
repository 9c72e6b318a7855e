#pragma once

#include <QString>

namespace lowtide::testing {

/// The checkpoint of bigXlCheckpoint() in `folder` with its denoiser stored as `lowtide convert
/// --storage` writes it; of f16 the checkpoint itself. Made when it is not there, which takes
/// minutes, and kept in `folder`. Throws std::runtime_error when it cannot be made.
[[nodiscard]] QString storedXlCheckpoint(const QString& folder, const QString& storage);

}  // namespace lowtide::testing
