#include "plugin/models/adapters/adapter_base.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/models/adapters/adapter_key.hpp"
#include "plugin/models/adapters/layer_parts.hpp"
#include "plugin/models/published_widths.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::pair<int64_t, const char*> kContextWidths[] = {{768, "SD 1.x"},
                                                              {1024, "SD 2.x"},
                                                              {2048, "SDXL"},
                                                              {1280, "the SDXL refiner"},
                                                              {1536, "WAN 1.3B"},
                                                              {5120, "WAN 14B"},
                                                              {3072, "WAN 2.2 5B"}};
constexpr int64_t kWanWidths[] = {1536, 5120};
constexpr int64_t kZImageWidths[] = {3840};
constexpr std::pair<int64_t, const char*> kTextWidths[] = {
    {768, "the text encoder of SD 1.x and SDXL"},
    {1024, "the text encoder of SD 2.x"},
    {1280, "the second text encoder of SDXL"}};

/// A family that a part of its modules' names tells, with '.' for '_'.
struct NamedFamily {
    std::string_view part;
    const char* name;
    bool isBuilt = false;
};

constexpr const char* kZImage = "Z-Image";

constexpr NamedFamily kFamilies[] = {
    {"double.stream.blocks.", "HiDream-I1", true},
    {"single.stream.blocks.", "HiDream-I1", true},
    {"noise.refiner.", kZImage, true},
    {"context.refiner.", kZImage, true},
    {".attention.qkv", kZImage, true},
    {".attention.to.", kZImage, true},
    {".feed.forward.w", kZImage, true},
    {"double.blocks.", "Flux"},
    {"single.transformer.blocks.", "Flux"},
    {"single.blocks.", "Flux"},
    {"joint.blocks.", "SD 3"},
    {"motion.modules.", "AnimateDiff"},
};

const NamedFamily* familyNamedBy(const std::string& module) {
    const auto* named =
        std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const NamedFamily& each) {
            return module.find(each.part) != module.npos;
        });
    return named == std::end(kFamilies) ? nullptr : named;
}

/// Of a UNet's cross attentions and of WAN's, which read a text as wide as the network.
constexpr std::string_view kContextModules[] = {"attn2.to.k",
                                                "attn2.to.v",
                                                "attn2.to.kv",
                                                "attn2.processor.to.k",
                                                "attn2.processor.to.v",
                                                "cross.attn.k",
                                                "cross.attn.v"};
constexpr std::string_view kTextModules[] = {
    "self.attn.q.proj", "self.attn.k.proj", "self.attn.v.proj", "mlp.fc1", "mlp.c.fc"};

/// Of Z-Image, and of networks that have its names and another width: they read all its channels.
constexpr std::string_view kZImageModules[] = {"attention.qkv",
                                               "attention.to.q",
                                               "attention.to.k",
                                               "attention.to.v",
                                               "attn.to.q",
                                               "attn.to.k",
                                               "attn.to.v",
                                               "feed.forward.w1",
                                               "feed.forward.w3"};

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

template <class Widths>
std::string nameOfWidth(const Widths& widths, int64_t width, const char* what) {
    const auto* known = std::find_if(std::begin(widths), std::end(widths), [&](const auto& each) {
        return each.first == width;
    });
    if (known != std::end(widths)) {
        return known->second;
    }
    std::string name = what;
    name += " " + std::to_string(width) + " wide";
    return name;
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
/// in WAN, where it is the network's own.
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
        base.isBuilt = base.isBuilt && (isOfUNet || mayBeOneOf(kWanWidths, shape[1]));
    }
}

/// Lumina 2, whose names Z-Image has, is 2304 wide.
void readZImage(std::optional<int64_t> width, AdapterBase& base) {
    if (width && !mayBeOneOf(kZImageWidths, *width)) {
        base.family = "networks like Z-Image, " + std::to_string(*width) + " wide";
        base.isBuilt = false;
    }
}

}  // namespace

std::string AdapterBase::text() const {
    if (!family.empty()) {
        return family;
    }
    if (contextWidth) {
        return nameOfWidth(kContextWidths, *contextWidth, "networks with a context");
    }
    return textWidth ? nameOfWidth(kTextWidths, *textWidth, "networks with a text encoder") : "";
}

AdapterBase baseOf(const AdapterFile& file) {
    AdapterBase base;
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
        const NamedFamily* named = isDenoiser ? familyNamedBy(module) : nullptr;
        if (named && base.family.empty()) {
            base.family = named->name;
            base.isBuilt = named->isBuilt;
        }
        if (base.family == kZImage && endsInOneOf(module, kZImageModules)) {
            readZImage(columnsOf(layer, file.what), base);
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
        if (const NamedFamily* named = familyNamedBy(dotted(weight.name))) {
            base.family = named->name;
            return base;
        }
    }
    return base;
}

}  // namespace lowtide::models
