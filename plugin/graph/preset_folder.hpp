#pragma once

#include "plugin/base/error.hpp"
#include "plugin/graph/preset.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::graph {

/// A file of a folder of presets. One that cannot be read is listed too, with the reason.
struct PresetFile {
    std::string id;  ///< the file's name without ".json"
    std::string path;
    Preset preset;
    std::optional<Error> refusal;

    /// The preset's title, or the id where it has none or cannot be read.
    [[nodiscard]] std::string title() const;
};

/// Reads a preset's file. Error{NotFound}, and those of parsePreset; they name the file.
[[nodiscard]] Preset readPreset(const std::string& path);
/// Likewise, with the reason in place of an error.
[[nodiscard]] PresetFile presetFileAt(const std::string& path);
/// The presets of a folder by id; empty where there is no such folder.
[[nodiscard]] std::vector<PresetFile> presetsOf(const std::string& folder);
/// The preset of that id or title (letter case does not matter) in the first folder that has it.
/// Error{NotFound} names the nearest one.
[[nodiscard]] PresetFile findPreset(std::string_view name, std::span<const std::string> folders);

}  // namespace lowtide::graph
