#include "plugin/checkpoints/adapters/adapter_base.hpp"

#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

/// A family that a part of its modules' names tells, with '.' for '_'.
struct NamedFamily {
    std::string_view part;
    std::string_view name;
    const AdapterMarks* marks = nullptr;  ///< null: it is not built
};

constexpr std::pair<std::string_view, std::string_view> kNotBuilt[] = {
    {"joint.blocks.", "SD 3"},
    {"motion.modules.", "AnimateDiff"},
};

std::string dotted(std::string name) {
    std::replace(name.begin(), name.end(), '_', '.');
    return name;
}

/// Of a module as a file or a tree spells it. Those that are not built first: relatives of families
/// have names of theirs too.
std::optional<NamedFamily> familyNamedBy(const std::string& spelled) {
    const std::string module = dotted(spelled);
    const std::string afterDot = "." + spelled;  // parts say so where a name begins
    std::optional<NamedFamily> found;
    const auto look = [&](std::span<const std::pair<std::string_view, std::string_view>> names) {
        for (const auto& [part, family] : names) {
            const std::string& name = part.find('_') == part.npos ? module : afterDot;
            if (!found && name.find(part) != name.npos) {
                found = NamedFamily{part, family};
            }
        }
    };
    look(kNotBuilt);
    for (const Family* family : families()) {
        look(family->adapters.relatives);
    }
    if (found) {
        return found;
    }
    for (const Family* family : families()) {
        for (const std::string_view part : family->adapters.parts) {
            if (module.find(part) != module.npos) {
                return NamedFamily{part, family->adapters.name, &family->adapters};
            }
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

template <class Names>
bool endsInOneOf(std::string_view name, const Names& ends) {
    return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) {
        return name.ends_with(end);
    });
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
        base.isOwnContext = !isOfUNet;
        const NamedWidth* known = published(&AdapterMarks::ownContexts, shape[1]);
        base.isBuilt = base.isBuilt &&
                       (isOfUNet || shape[1] < kNarrowestPublished || (known && known->isBuilt));
    }
}

/// Relatives have its names and its width, and read more than a latent.
void readLatentWidth(const AdapterMarks& marks, std::optional<int64_t> width, AdapterBase& base) {
    if (width && *width != marks.latentWidth) {
        base.family =
            std::string(marks.name) + " with a picture beside the latent (control or fill)";
        base.isBuilt = false;
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

std::string AdapterBase::text() const {
    if (!family.empty()) {
        return family;
    }
    if (contextWidth) {
        return nameOfWidth(isOwnContext ? &AdapterMarks::ownContexts : &AdapterMarks::contexts,
                           *contextWidth,
                           "networks with a context");
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
        const auto named = isDenoiser ? familyNamedBy(layer.module) : std::nullopt;
        if (named && (base.family.empty() || (marks && base.isBuilt && !named->marks))) {
            base.family = named->name;
            base.isBuilt = named->marks != nullptr;
            marks = named->marks;
        }
        if (marks && base.isBuilt && endsInOneOf(module, marks->wholeModules)) {
            readWidth(*marks, columnsOf(layer, file.what), base);
        }
        if (marks && base.isBuilt && endsInOneOf(module, marks->latentModules)) {
            readLatentWidth(*marks, columnsOf(layer, file.what), base);
        }
    }
    return base;
}

AdapterBase baseOf(const memory::ComponentTree& tree) {
    AdapterBase base;
    for (const memory::Weight& weight : tree.weights) {
        if (weight.shape.size() == 2 && weight.name.ends_with("attn2.to_k.weight")) {
            base.contextWidth = weight.shape[1];
            base.isOwnContext = weight.name.starts_with("blocks.");
            return base;
        }
        if (weight.shape.size() == 2 && weight.name.ends_with("self_attn.q_proj.weight")) {
            base.textWidth = weight.shape[1];
            return base;
        }
        if (const auto named = familyNamedBy(weight.name)) {
            base.family = named->name;
            return base;
        }
    }
    return base;
}

namespace {

/// Of layers as people know them.
constexpr std::pair<std::string_view, std::string_view> kKindNames[] = {
    {"low_rank", "LoRA"},
    {"hadamard", "LoHa"},
    {"kronecker", "LoKr"},
    {"scale", "(IA)3"},
    {"difference", "full differences"},
};

constexpr std::pair<std::string_view, std::string_view> kComponentNames[] = {
    {kAdapterDenoiser, "UNet"},
    {kAdapterText, "text encoder"},
    {kAdapterText2, "text encoder 2"},
    {kAdapterText3, "text encoder 3"},
    {kAdapterText4, "text encoder 4"},
    {kAdapterT5, "T5"},
    {kAdapterDenoiser2, "low-noise model"},
};

/// "a, b and c".
std::string inOneSentence(const std::vector<std::string>& parts) {
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
}

/// Those of `names` that `has`, in their order.
template <class Names, class Has>
std::vector<std::string> namesWhere(const Names& names, Has&& has) {
    std::vector<std::string> found;
    for (const auto& [key, name] : names) {
        if (has(key)) {
            found.emplace_back(name);
        }
    }
    return found;
}

bool isDora(const AdapterLayer& layer) {
    return layer.factors.contains("dora_scale") || layer.factors.contains("magnitude");
}

/// LoCon: low-rank changes of convolutions with kernels.
bool isConvolution(const AdapterLayer& layer) {
    const auto down = layer.factors.find("down");
    return down != layer.factors.end() &&
           (layer.factors.contains("mid") ||
            (down->second.place.shape.size() > 2 && down->second.place.shape.back() > 1));
}

std::string rankText(const AdapterFile& file) {
    std::set<int64_t> ranks;
    for (const AdapterLayer& layer : file.layers) {
        if (layer.rank) {
            ranks.insert(*layer.rank);
        }
    }
    if (ranks.empty()) {
        return "";
    }
    const std::string least = std::to_string(*ranks.begin());
    return ranks.size() == 1 ? ", rank " + least
                             : ", ranks " + least + " to " + std::to_string(*ranks.rbegin());
}

}  // namespace

bool looksLikeAdapter(const WeightMap& file) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [](const auto& tensor) {
        return isOfAdapter(tensor.first);
    });
}

std::string kindsOf(const AdapterFile& file) {
    const auto any = [&](auto&& is) {
        return std::any_of(file.layers.begin(), file.layers.end(), is);
    };
    std::vector<std::string> kinds = namesWhere(kKindNames, [&](std::string_view kind) {
        return any([&](const AdapterLayer& layer) { return layer.kind == kind; });
    });
    if (kinds.front() == "LoRA") {
        kinds.front() = any(isConvolution) ? "LoCon" : "LoRA";
    }
    if (any(isDora)) {
        kinds.front() = "DoRA (" + kinds.front() + ")";
    }
    return inOneSentence(kinds);
}

std::string whatAdapterIs(const AdapterFile& file) {
    std::set<std::tuple<std::string_view, std::string_view>> modules;
    for (const AdapterLayer& layer : file.layers) {
        modules.emplace(layer.component, layer.module);
    }
    const AdapterBase base = baseOf(file);
    std::vector<std::string> components =
        namesWhere(kComponentNames, [&](std::string_view component) {
            return std::any_of(modules.begin(), modules.end(), [&](const auto& module) {
                return std::get<0>(module) == component;
            });
        });
    if (base.hasDenoiser && !base.isKnown() && !base.isUNet) {
        components.front() = "denoiser";
    }
    const std::string whose = base.text();
    return kindsOf(file) + (whose.empty() ? "" : " for " + whose) + rankText(file) + ", " +
           inOneSentence(components) + ", " + std::to_string(modules.size()) +
           (modules.size() == 1 ? " layer" : " layers");
}

std::string whatAdapterIs(const WeightFileHeader& header) {
    return whatAdapterIs(readAdapterHeader(header));
}

}  // namespace lowtide::models
