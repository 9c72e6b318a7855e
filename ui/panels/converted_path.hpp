#pragma once

#include "ui/bridge/conversion.hpp"

#include <QString>

namespace lowtide::ui {

/// A path beside the source that is free: "dream_f8.safetensors" of "dream.safetensors", of a
/// folder "dream_unet_f8.safetensors".
[[nodiscard]] QString convertedPath(const QString& source, const StorageChoice& choice);
/// The path with the ending of the choice in place of that of another one.
[[nodiscard]] QString withEndingOf(const StorageChoice& choice, const QString& path);

}  // namespace lowtide::ui
