#pragma once
// What a host may know of the plugin: descriptions of nodes, ports and parameters,
// images. C++20 and the standard library only. Ids are permanent, labels are free to change.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide {

/// Layout version of everything in host_api that crosses between host and plugin; host and plugin
/// must have the same.
inline constexpr uint32_t kAbi = 2;

/// A parameter value. Seeds are uint64_t and survive whole; other integers are int64_t.
using Scalar = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string>;

/// An 8-bit image, interleaved rows of `channels` (1, 3 or 4) bytes, first row on top.
struct Image8 {
    int widthPixels = 0;
    int heightPixels = 0;
    int channels = 3;
    std::shared_ptr<const uint8_t[]> pixels;

    [[nodiscard]] size_t byteCount() const {
        return static_cast<size_t>(widthPixels) * static_cast<size_t>(heightPixels) *
               static_cast<size_t>(channels);
    }
};

enum class ParamKind : uint8_t { Bool, Int, Float, Text, Choice, File, Folder, Seed };

struct ChoiceDesc {
    std::string id;
    std::string label;
};

/// One parameter of a node. `id` is its key on disk. Hard limits (min, max) are refused by
/// validation, soft ones only shape the editor.
struct ParamDesc {
    std::string id;
    std::string label;
    std::string tooltip;
    std::string unit;
    ParamKind kind = ParamKind::Float;
    Scalar defaultValue;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> softMin;
    std::optional<double> softMax;
    std::optional<double> step;
    std::vector<ChoiceDesc> choices;
    bool multiline = false;
    bool advanced = false;
    bool cosmetic = false;  ///< never part of a result key
};

/// One input or output. `type` is a wire type ("MODEL", "CONDITIONING", "LATENT", "IMAGE") or "*".
struct PortDesc {
    std::string id;
    std::string label;
    std::string tooltip;
    std::string type;
    bool optional = false;
};

/// A node type as a user sees it; immutable once published.
struct NodeDesc {
    std::string id;
    std::string label;
    std::string category;
    std::string tooltip;
    uint32_t version = 1;
    bool output = false;      ///< pulled when the graph runs (save, preview)
    bool sideEffect = false;  ///< writes something outside the graph
    bool control = false;     ///< passes its value through and acts on memory
    std::vector<std::string> aliases;
    /// Patterns of the roles that a memory policy of this node may name: "denoiser", or with "*" at
    /// the end all roles that begin so ("text_encoder*"). The model decides which there are.
    std::vector<std::string> components;
    std::vector<PortDesc> inputs;
    std::vector<PortDesc> outputs;
    std::vector<ParamDesc> params;
};

}  // namespace lowtide
