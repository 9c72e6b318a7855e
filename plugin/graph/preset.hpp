#pragma once
// A graph that is saved to begin with: what it needs, how it looks, and the presets of a folder.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::graph {

/// The `preset.version` that is written.
inline constexpr int64_t kPresetVersion = 1;
/// The key of a document that makes it a preset.
inline constexpr const char* kPresetKey = "preset";

/// Files that a preset names, by the parameter that names them: "checkpoint" -> "builtin:mini".
using RequiredFiles = std::map<std::string, std::vector<std::string>>;

/// A graph that is saved to begin with: what it is, what it needs, how it looks.
struct Preset {
    Document document;  ///< without the key "preset"
    std::string title;
    std::string description;
    std::vector<std::string> tags;
    RequiredFiles files;
    std::string deviceMemory;  ///< the least of a GPU on which it fits: "8GiB"; empty: any
    std::string family;        ///< of its model files, as they are recognised; empty: any
    std::string thumbnail;     ///< a PNG in base64; empty: none
    Json extra = Json::object();
};

/// Errors: Error{Corrupt} when the text is no graph with a key "preset", or one of its values has
/// a wrong shape; Error{Unsupported} names both numbers when it is of a newer version.
[[nodiscard]] Preset parsePreset(std::string_view text);
/// As toText(Document): keys sorted, two spaces of indent. Error{InvalidInput} when a text in it is
/// not UTF-8.
[[nodiscard]] std::string toText(const Preset& preset);

/// The files that the graph's nodes name, each once; those of nodes that are not known here are not
/// seen.
[[nodiscard]] RequiredFiles requiredFiles(const Document& document, const Catalog& catalog);
/// The graph with each relative file that lies in `from` named as a graph in `to` names it:
/// relative where it lies below that folder, else (and for an empty `to`) with its full path. Names
/// of other files are kept.
[[nodiscard]] Document rebased(Document document,
                               const Catalog& catalog,
                               const std::string& from,
                               const std::string& to);
/// The same with full paths alone, so that the graph can leave `folder`.
[[nodiscard]] Document anchored(Document document,
                                const Catalog& catalog,
                                const std::string& folder);

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
/// Within a folder of presets: those of earlier versions, which are found and no longer listed.
inline constexpr const char* kEarlierPresets = "earlier";
/// The preset of that id or title (letter case does not matter) in the first folder that has it,
/// else among the earlier ones of each. Error{NotFound} names the nearest one.
[[nodiscard]] PresetFile findPreset(std::string_view name, std::span<const std::string> folders);

}  // namespace lowtide::graph
