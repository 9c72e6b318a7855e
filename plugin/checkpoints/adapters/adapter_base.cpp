#include "plugin/checkpoints/adapters/adapter_base.hpp"

#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "plugin/checkpoints/adapters/layer_parts.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/published_widths.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace lowtide::models {

namespace {

/// A family that a part of its modules' names tells, with '.' for '_'.
struct NamedFamily {
    std::string_view part;
    std::string_view name;
    const AdapterMarks* marks = nullptr;  ///< null: it is not built
};

constexpr std::pair<std::string_view, std::string_view> kNotBuilt[] = {
    {"double.blocks.", "Flux"},
    {"single.transformer.blocks.", "Flux"},
    {"single.blocks.", "Flux"},
    {"joint.blocks.", "SD 3"},
    {"motion.modules.", "AnimateDiff"},
};

std::optional<NamedFamily> familyNamedBy(const std::string& module) {
    for (const Family* family : families()) {
        for (const std::string_view part : family->adapters.parts) {
            if (module.find(part) != module.npos) {
                return NamedFamily{part, family->adapters.name, &family->adapters};
            }
        }
    }
    for (const auto& [part, name] : kNotBuilt) {
        if (module.find(part) != module.npos) {
            return NamedFamily{part, name};
        }
    }
    return std::nullopt;
}

/// Of a UNet's cross attentions, and of transformers that read a text as wide as the network.
constexpr std::string_view kContextModules[] = {"attn2.to.k",
                                                "attn2.to.v",
                                                "attn2.to.kv",
                                                "attn2.processor.to.k",
                                                "attn2.processor.to.v",
                                                "cross.attn.k",
                                                "cross.attn.v"};
constexpr std::string_view kTextModules[] = {
    "self.attn.q.proj", "self.attn.k.proj", "self.attn.v.proj", "mlp.fc1", "mlp.c.fc"};

/// Modules of a UNet, in diffusers' words and LDM's.
constexpr std::string_view kUNetModules[] = {
    "down.blocks.", "up.blocks.", "mid.block.", "input.blocks.", "output.blocks.", "middle.block."};
/// Modules of CLIP's encoders; language models have layers without an encoder.
constexpr std::string_view kClipModules[] = {"encoder.layers.", "resblocks."};

template <class Names>
bool hasOneOf(std::string_view name, const Names& parts) {
    return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
        return name.find(part) != name.npos;
    });
}

std::string dotted(std::string name) {
    std::replace(name.begin(), name.end(), '_', '.');
    return name;
}

template <class Names>
bool endsInOneOf(std::string_view name, const Names& ends) {
    return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) {
        return name.ends_with(end);
    });
}

/// Of all families: `widths` of their adapters.
const NamedWidth* published(std::vector<NamedWidth> AdapterMarks::*widths, int64_t width) {
    for (const Family* family : families()) {
        for (const NamedWidth& each : family->adapters.*widths) {
            if (each.width == width) {
                return &each;
            }
        }
    }
    return nullptr;
}

std::string nameOfWidth(std::vector<NamedWidth> AdapterMarks::*widths,
                        int64_t width,
                        const char* what) {
    if (const NamedWidth* known = published(widths, width)) {
        return std::string(known->name);
    }
    return std::string(what) + " " + std::to_string(width) + " wide";
}

/// The columns of a layer's change.
std::optional<int64_t> columnsOf(const AdapterLayer& layer, const std::string& what) {
    if (layer.kind == "scale" || layer.isBias) {
        return std::nullopt;
    }
    const Shape shape = changeShapeOf(layer, what);
    return shape.size() < 2 ? std::nullopt : std::optional(shape[1]);
}

/// Other networks have modules of those names: the width counts in a UNet, which may have any, and
/// where it is the network's own.
void readContext(const AdapterLayer& layer,
                 bool isOfUNet,
                 const std::string& what,
                 AdapterBase& base) {
    const bool isOfBlocks =
        layer.module.starts_with("blocks") || layer.module.starts_with("transformer.blocks");
    if (layer.kind == "scale" || layer.isBias || !(isOfUNet || isOfBlocks)) {
        return;
    }
    const Shape shape = changeShapeOf(layer, what);
    if (shape.size() >= 2 && (isOfUNet || shape[0] == shape[1])) {
        base.contextWidth = shape[1];
        const NamedWidth* known = published(&AdapterMarks::contexts, shape[1]);
        base.isBuilt = base.isBuilt &&
                       (isOfUNet || shape[1] < kNarrowestPublished || (known && known->isBuilt));
    }
}

/// Others may have its names, and another width.
void readWidth(const AdapterMarks& marks, std::optional<int64_t> width, AdapterBase& base) {
    if (width && !mayBeOneOf(marks.widths, *width)) {
        base.family =
            "networks like " + std::string(marks.name) + ", " + std::to_string(*width) + " wide";
        base.isBuilt = false;
    }
}

}  // namespace

std::string AdapterBase::text() const {
    if (!family.empty()) {
        return family;
    }
    if (contextWidth) {
        return nameOfWidth(&AdapterMarks::contexts, *contextWidth, "networks with a context");
    }
    return textWidth ? nameOfWidth(&AdapterMarks::texts, *textWidth, "networks with a text encoder")
                     : "";
}

AdapterBase baseOf(const AdapterFile& file) {
    AdapterBase base;
    const AdapterMarks* marks = nullptr;  ///< of the family that a name told
    for (const AdapterLayer& layer : file.layers) {
        const std::string module = dotted(layer.module);
        const bool isDenoiser = layer.component.starts_with(kAdapterDenoiser);
        const bool isClip = layer.component == kAdapterText || layer.component == kAdapterText2;
        const bool isOfUNet = isDenoiser && hasOneOf(module, kUNetModules);
        base.hasDenoiser = base.hasDenoiser || isDenoiser;
        base.isUNet = base.isUNet || isOfUNet;
        if (isDenoiser && !base.contextWidth && endsInOneOf(module, kContextModules)) {
            readContext(layer, isOfUNet, file.what, base);
        } else if (isClip && !base.textWidth && hasOneOf(module, kClipModules) &&
                   endsInOneOf(module, kTextModules)) {
            base.textWidth = columnsOf(layer, file.what);
        }
        const auto named = isDenoiser ? familyNamedBy(module) : std::nullopt;
        if (named && base.family.empty()) {
            base.family = named->name;
            base.isBuilt = named->marks != nullptr;
            marks = named->marks;
        }
        if (marks && base.isBuilt && endsInOneOf(module, marks->wholeModules)) {
            readWidth(*marks, columnsOf(layer, file.what), base);
        }
    }
    return base;
}

AdapterBase baseOf(const memory::ComponentTree& tree) {
    AdapterBase base;
    for (const memory::Weight& weight : tree.weights) {
        if (weight.shape.size() == 2 && weight.name.ends_with("attn2.to_k.weight")) {
            base.contextWidth = weight.shape[1];
            return base;
        }
        if (weight.shape.size() == 2 && weight.name.ends_with("self_attn.q_proj.weight")) {
            base.textWidth = weight.shape[1];
            return base;
        }
        if (const auto named = familyNamedBy(dotted(weight.name))) {
            base.family = named->name;
            return base;
        }
    }
    return base;
}

}  // namespace lowtide::models
