#pragma once

#include "ui/bridge/preset_store.hpp"

namespace lowtide::ui {

/// The entry of a file in a folder of presets.
[[nodiscard]] PresetEntry entryOf(const graph::PresetFile& file,
                                  bool isBuiltin,
                                  const IsThere& isThere);
/// At most 256 pixels a side, as a preset keeps it; empty for a null picture.
[[nodiscard]] std::string thumbnailText(const QImage& picture);

}  // namespace lowtide::ui
