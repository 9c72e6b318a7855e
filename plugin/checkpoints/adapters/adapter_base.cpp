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

/// A family that is recognised by a part of its modules' names, with '.' for '_'.
struct NamedFamily {
    std::string_view part;
    Message name;
    const AdapterMarks* marks = nullptr;  ///< null: it is not built
};

constexpr std::pair<std::string_view, Phrase> kNotBuilt[] = {
    {"joint.blocks.", phrase("SD 3")},
    {"motion.modules.", phrase("AnimateDiff")},
};

std::string dotted(std::string name) {
    std::replace(name.begin(), name.end(), '_', '.');
    return name;
}

/// Of a module as a file or a tree spells it. Those that are not built first: relatives of families
/// have names of theirs too.
std::optional<NamedFamily> familyNamedBy(const std::string& spelled) {
    const std::string module = dotted(spelled);
    const std::string afterDot = "." + spelled;  // parts begin with it where a name must begin
    std::optional<NamedFamily> found;
    const auto look = [&](std::span<const std::pair<std::string_view, Phrase>> names) {
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
                return NamedFamily{
                    part, Message(std::string(family->adapters.name)), &family->adapters};
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

Message nameOfWidth(std::vector<NamedWidth> AdapterMarks::*widths,
                    int64_t width,
                    const Message& otherwise) {
    const NamedWidth* known = published(widths, width);
    return known ? Message(known->name) : otherwise;
}

/// The columns of a layer's delta.
std::optional<int64_t> columnsOf(const AdapterLayer& layer, const std::string& what) {
    if (layer.kind == "scale" || layer.isBias) {
        return std::nullopt;
    }
    const Shape shape = deltaShapeOf(layer, what);
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
    const Shape shape = deltaShapeOf(layer, what);
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
            message("{} with an image alongside the latent (control or fill)", marks.name);
        base.isBuilt = false;
    }
}

/// Others may have its names, and another width.
void readWidth(const AdapterMarks& marks, std::optional<int64_t> width, AdapterBase& base) {
    if (width && !mayBeOneOf(marks.widths, *width)) {
        base.family = message("networks like {}, {} wide", marks.name, *width);
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

Message AdapterBase::text() const {
    if (!family.empty()) {
        return family;
    }
    if (contextWidth) {
        return nameOfWidth(isOwnContext ? &AdapterMarks::ownContexts : &AdapterMarks::contexts,
                           *contextWidth,
                           message("networks with a context {} wide", *contextWidth));
    }
    return textWidth ? nameOfWidth(&AdapterMarks::texts,
                                   *textWidth,
                                   message("networks with a text encoder {} wide", *textWidth))
                     : Message();
}

AdapterBase baseOf(const AdapterFile& file) {
    AdapterBase base;
    const AdapterMarks* marks = nullptr;  ///< of the family that a name revealed
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

/// Names of layers as users know them.
constexpr std::pair<std::string_view, Phrase> kKindNames[] = {
    {"low_rank", phrase("LoRA")},
    {"hadamard", phrase("LoHa")},
    {"kronecker", phrase("LoKr")},
    {"scale", phrase("(IA)3")},
    {"difference", phrase("full differences")},
};

constexpr std::pair<std::string_view, Phrase> kComponentNames[] = {
    {kAdapterDenoiser, phrase("UNet")},
    {kAdapterText, phrase("text encoder")},
    {kAdapterText2, phrase("text encoder 2")},
    {kAdapterText3, phrase("text encoder 3")},
    {kAdapterText4, phrase("text encoder 4")},
    {kAdapterT5, phrase("T5")},
    {kAdapterDenoiser2, phrase("low-noise model")},
};

/// "a, b and c".
Message inOneSentence(const std::vector<Message>& parts) {
    if (parts.size() < 2) {
        return joined(parts, ", ");
    }
    const std::span<const Message> all(parts);
    return message("{} and {}", joined(all.first(all.size() - 1), ", "), all.back());
}

/// Those of `names` that `has`, in their order.
template <class Names, class Has>
std::vector<Message> namesWhere(const Names& names, Has&& has) {
    std::vector<Message> found;
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

/// LoCon: low-rank deltas of convolutions with kernels.
bool isConvolution(const AdapterLayer& layer) {
    const auto down = layer.factors.find("down");
    return down != layer.factors.end() &&
           (layer.factors.contains("mid") ||
            (down->second.location.shape.size() > 2 && down->second.location.shape.back() > 1));
}

/// Empty: none of its layers has one.
Message rankText(const AdapterFile& file) {
    std::set<int64_t> ranks;
    for (const AdapterLayer& layer : file.layers) {
        if (layer.rank) {
            ranks.insert(*layer.rank);
        }
    }
    if (ranks.empty()) {
        return {};
    }
    return ranks.size() == 1 ? message("rank {}", *ranks.begin())
                             : message("ranks {} to {}", *ranks.begin(), *ranks.rbegin());
}

}  // namespace

bool looksLikeAdapter(const WeightMap& file) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [](const auto& tensor) {
        return isOfAdapter(tensor.first);
    });
}

Message kindsOf(const AdapterFile& file) {
    const auto any = [&](auto&& is) {
        return std::any_of(file.layers.begin(), file.layers.end(), is);
    };
    std::vector<Message> kinds = namesWhere(kKindNames, [&](std::string_view kind) {
        return any([&](const AdapterLayer& layer) { return layer.kind == kind; });
    });
    if (kinds.front() == "LoRA") {
        kinds.front() = any(isConvolution) ? phrase("LoCon") : phrase("LoRA");
    }
    if (any(isDora)) {
        kinds.front() = message("DoRA ({})", kinds.front());
    }
    return inOneSentence(kinds);
}

Message whatAdapterIs(const AdapterFile& file) {
    std::set<std::tuple<std::string_view, std::string_view>> modules;
    for (const AdapterLayer& layer : file.layers) {
        modules.emplace(layer.component, layer.module);
    }
    const AdapterBase base = baseOf(file);
    std::vector<Message> components = namesWhere(kComponentNames, [&](std::string_view component) {
        return std::any_of(modules.begin(), modules.end(), [&](const auto& module) {
            return std::get<0>(module) == component;
        });
    });
    if (base.hasDenoiser && !base.isKnown() && !base.isUNet) {
        components.front() = phrase("denoiser");
    }
    const Message kinds = kindsOf(file);
    const Message whose = base.text();
    std::vector<Message> reported = {whose.empty() ? kinds : message("{} for {}", kinds, whose)};
    if (Message ranks = rankText(file); !ranks.empty()) {
        reported.push_back(std::move(ranks));
    }
    reported.push_back(inOneSentence(components));
    const auto count = static_cast<int64_t>(modules.size());
    reported.push_back(plural(count, "{} layer", "{} layers", count));
    return joined(reported, ", ");
}

Message whatAdapterIs(const WeightFileHeader& header) {
    return whatAdapterIs(readAdapterHeader(header));
}

}  // namespace lowtide::models
