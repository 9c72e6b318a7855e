#include "plugin/checkpoints/single_file/component_maps.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr std::pair<std::string_view, std::string_view> kUNetEnds[] = {
    {"conv_in", "input_blocks.0.0"},
    {"time_embedding.linear_1", "time_embed.0"},
    {"time_embedding.linear_2", "time_embed.2"},
    {"time_embedding.cond_proj", "time_embed.cond_proj"},
    {"add_embedding.linear_1", "label_emb.0.0"},
    {"add_embedding.linear_2", "label_emb.0.2"},
    {"conv_norm_out", "out.0"},
    {"conv_out", "out.2"},
};

constexpr std::pair<std::string_view, std::string_view> kResnetParts[] = {
    {"norm1", "in_layers.0"},
    {"conv1", "in_layers.2"},
    {"norm2", "out_layers.0"},
    {"conv2", "out_layers.3"},
    {"time_emb_proj", "emb_layers.1"},
    {"conv_shortcut", "skip_connection"},
};

constexpr std::pair<std::string_view, std::string_view> kAutoencoderParts[] = {
    {"mid_block.attentions.0.group_norm", "mid.attn_1.norm"},
    {"mid_block.attentions.0.to_q", "mid.attn_1.q"},
    {"mid_block.attentions.0.to_k", "mid.attn_1.k"},
    {"mid_block.attentions.0.to_v", "mid.attn_1.v"},
    {"mid_block.attentions.0.to_out.0", "mid.attn_1.proj_out"},
    {"mid_block.attentions.0", "mid.attn_1"},
    {"mid_block.resnets.0", "mid.block_1"},
    {"mid_block.resnets.1", "mid.block_2"},
    {"conv_shortcut", "nin_shortcut"},
    {"conv_norm_out", "norm_out"},
};

constexpr std::pair<std::string_view, std::string_view> kOpenClipParts[] = {
    {"embeddings.token_embedding.weight", "token_embedding.weight"},
    {"embeddings.position_embedding.weight", "positional_embedding"},
    {"final_layer_norm.", "ln_final."},
    {"text_projection.weight", "text_projection"},
    {"encoder.layers.", "transformer.resblocks."},
    {"layer_norm1", "ln_1"},
    {"layer_norm2", "ln_2"},
    {"mlp.fc1", "mlp.c_fc"},
    {"mlp.fc2", "mlp.c_proj"},
    {"self_attn.out_proj", "attn.out_proj"},
    {"self_attn.q_proj.weight", "attn.in_proj_weight[q]"},
    {"self_attn.k_proj.weight", "attn.in_proj_weight[k]"},
    {"self_attn.v_proj.weight", "attn.in_proj_weight[v]"},
    {"self_attn.q_proj.bias", "attn.in_proj_bias[q]"},
    {"self_attn.k_proj.bias", "attn.in_proj_bias[k]"},
    {"self_attn.v_proj.bias", "attn.in_proj_bias[v]"},
};

std::string joinedFrom(const std::vector<std::string>& parts, size_t from) {
    return join(std::span(parts).subspan(std::min(from, parts.size())), ".");
}

/// "norm1.weight" of a resnet, or "proj_in.weight" of an attention, in LDM's words.
std::string insideUnit(bool isResnet, const std::string& name) {
    if (!isResnet) {
        return name;
    }
    const size_t dot = name.find('.');
    for (const auto& [ours, theirs] : kResnetParts) {
        if (std::string_view(name).substr(0, dot) == ours) {
            return std::string(theirs) + name.substr(dot);
        }
    }
    return name;
}

/// "down_blocks.<block>.<kind>.<unit>.<rest>", or the same with up_blocks.
std::string unetBlockName(const std::vector<std::string>& parts, const LdmUNetLayout& layout) {
    const int64_t block = std::stoll(parts[1]);
    const std::string& kind = parts[2];
    const int64_t unit = std::stoll(parts[3]);
    const int64_t first = (layout.layers + 1) * block;
    const bool isResnet = kind == "resnets";
    const std::string rest = joinedFrom(parts, 4);
    const std::string slot = isResnet ? ".0." : ".1.";
    if (parts[0] == "down_blocks") {
        if (kind == "downsamplers") {
            return "input_blocks." + std::to_string(first + layout.layers + 1) + ".0.op." +
                   parts.back();
        }
        return "input_blocks." + std::to_string(first + unit + 1) + slot +
               insideUnit(isResnet, rest);
    }
    if (kind == "upsamplers") {
        const bool behindAttention = layout.attentionUpBlocks.contains(block);
        return "output_blocks." + std::to_string(first + layout.layers) +
               (behindAttention ? ".2." : ".1.") + "conv." + parts.back();
    }
    return "output_blocks." + std::to_string(first + unit) + slot + insideUnit(isResnet, rest);
}

std::string withReversedUpBlock(const std::string& name, int64_t levels) {
    constexpr std::string_view kUp = "decoder.up_blocks.";
    if (!name.starts_with(kUp)) {
        return name;
    }
    const std::vector<std::string> parts = split(name, '.');
    return "decoder.up." + std::to_string(levels - 1 - std::stoll(parts[2])) + "." +
           joinedFrom(parts, 3);
}

}  // namespace

std::string ldmUNetName(std::string_view name, const LdmUNetLayout& layout) {
    const std::vector<std::string> parts = split(name, '.');
    for (const auto& [ours, theirs] : kUNetEnds) {
        if (name.starts_with(ours) && name.size() > ours.size() && name[ours.size()] == '.') {
            return std::string(theirs) + std::string(name.substr(ours.size()));
        }
    }
    const bool isResnet = parts.size() > 2 && parts[1] == "resnets";
    if (parts[0] == "mid_block" && parts.size() > 3) {
        const int64_t index = isResnet ? 2 * std::stoll(parts[2]) : 1;
        return "middle_block." + std::to_string(index) + "." +
               insideUnit(isResnet, joinedFrom(parts, 3));
    }
    return parts.size() > 4 ? unetBlockName(parts, layout) : std::string(name);
}

std::string ldmAutoencoderName(std::string_view name, int64_t levels) {
    static constexpr std::pair<std::string_view, std::string_view> kLevelParts[] = {
        {"down_blocks.", "down."},
        {".resnets.", ".block."},
        {".downsamplers.0.", ".downsample."},
        {".upsamplers.0.", ".upsample."},
    };
    return renamed(withReversedUpBlock(renamed(std::string(name), kAutoencoderParts), levels),
                   kLevelParts);
}

std::string openClipName(std::string_view name) {
    constexpr std::string_view kWrapper = "text_model.";
    if (name.starts_with(kWrapper)) {
        name.remove_prefix(kWrapper.size());
    }
    return renamed(std::string(name), kOpenClipParts);
}

namespace {

constexpr std::string_view kAutoencoderPrefixes[] = {
    "encoder.", "decoder.", "quant_conv.", "post_quant_conv."};
/// What of OpenCLIP's model is no part of the text encoder that is run.
constexpr std::string_view kExtraTextNames[] = {"logit_scale", "attn_mask"};
constexpr std::string_view kProjection = "text_projection";
constexpr std::string_view kFused[] = {".attn.in_proj_weight", ".attn.in_proj_bias"};

WeightMap emptyMap(const WeightMap& file, std::function<std::string(std::string_view)> name) {
    return {.what = file.what,
            .files = file.files,
            .tensors = {},
            .nameInFile = std::move(name),
            .settings = phrase("what its shapes imply"),
            .hint = phrase("get the checkpoint again, or choose another one")};
}

/// The tensors whose names begin with `prefix`.
auto rangeUnder(const WeightMap& file, std::string_view prefix) {
    const auto first = file.tensors.lower_bound(prefix);
    auto last = first;
    while (last != file.tensors.end() && last->first.starts_with(prefix)) {
        ++last;
    }
    return std::pair(first, last);
}

std::function<std::string(std::string_view)> withPrefix(std::string_view prefix) {
    return [prefix = std::string(prefix)](std::string_view name) {
        return prefix + std::string(name);
    };
}

/// [C, C, 1, 1] -> [C, C] for the weights of an attention.
void flattenConvolution(const std::string& name, Shape& shape) {
    const bool isAttention =
        name.find("mid.attn_1.") != name.npos || name.find("mid_block.attentions.0.") != name.npos;
    while (isAttention && shape.size() > 2 && shape.back() == 1) {
        shape.pop_back();
    }
}

void addRows(const std::string& name,
             const TensorLocation& location,
             const std::vector<NamedRows>& parts,
             WeightMap& map) {
    int64_t first = 0;
    for (const NamedRows& part : parts) {
        TensorLocation rows = location;
        rows.takeRows(0, first, part.count, map.what + ", " + quotedName(name));
        map.tensors.emplace(name + std::string(part.ending), std::move(rows));
        first += part.count;
    }
}

/// Query, key and value, which lie one behind the other.
void addThirds(const std::string& name, const TensorLocation& location, WeightMap& map) {
    const int64_t rows = location.shape[0] / 3;
    addRows(name, location, {{"[q]", rows}, {"[k]", rows}, {"[v]", rows}}, map);
}

TensorLocation transposedLocation(TensorLocation location) {
    std::swap(location.shape[0], location.shape[1]);
    location.isTransposed = true;
    return location;
}

bool isFused(const std::string& name, const TensorLocation& location) {
    return std::any_of(std::begin(kFused), std::end(kFused), [&](std::string_view ending) {
        return name.ends_with(ending) && !location.shape.empty() && location.shape[0] % 3 == 0;
    });
}

}  // namespace

bool hasUnder(const WeightMap& file, std::string_view prefix) {
    const auto first = file.tensors.lower_bound(prefix);
    return first != file.tensors.end() && first->first.starts_with(prefix);
}

WeightMap wholeMap(const WeightMap& file, std::function<std::string(std::string_view)> nameInFile) {
    return mapUnder(file, "", std::move(nameInFile));
}

WeightMap mapUnder(const WeightMap& file,
                   std::string_view prefix,
                   std::function<std::string(std::string_view)> nameInFile) {
    WeightMap map = emptyMap(file, std::move(nameInFile));
    const auto [first, last] = rangeUnder(file, prefix);
    map.tensors.insert(first, last);
    map.hint = phrase("get the file again, or choose another one");
    return map;
}

void splitRows(WeightMap& map, const std::string& name, const std::vector<NamedRows>& parts) {
    const auto whole = map.tensors.extract(name);
    LOWTIDE_ASSERT(!whole.empty());
    addRows(name, whole.mapped(), parts, map);
}

void splitThirds(WeightMap& map, std::string_view ending) {
    std::vector<std::pair<std::string, TensorLocation>> fused;
    for (const auto& [name, location] : map.tensors) {
        if (name.ends_with(ending) && !location.shape.empty() && location.shape[0] % 3 == 0) {
            fused.emplace_back(name, location);
        }
    }
    for (const auto& [name, location] : fused) {
        map.tensors.erase(name);
        addThirds(name, location, map);
    }
}

WeightMap unetMap(const WeightMap& file, std::string_view prefix, const LdmUNetLayout& layout) {
    WeightMap map = emptyMap(file, [start = std::string(prefix), layout](std::string_view name) {
        return start + ldmUNetName(name, layout);
    });
    const auto [first, last] = rangeUnder(file, prefix);
    map.tensors.insert(first, last);
    return map;
}

WeightMap autoencoderMap(const WeightMap& file, std::string_view prefix) {
    const std::string start(prefix);
    WeightMap map = emptyMap(file, withPrefix(prefix));
    for (const std::string_view part : kAutoencoderPrefixes) {
        const auto [first, last] = rangeUnder(file, start + std::string(part));
        map.tensors.insert(first, last);
    }
    for (auto& [name, location] : map.tensors) {
        flattenConvolution(name, location.shape);
    }
    if (!hasUnder(map, start + "encoder.down_blocks.")) {
        const auto named = [start](int64_t levels) {
            return [=](std::string_view name) { return start + ldmAutoencoderName(name, levels); };
        };
        map.nameInFile = named(autoencoderLevels(TensorView(map, named(0))));
    }
    return map;
}

WeightMap textMap(const WeightMap& file, std::string_view prefix) {
    WeightMap map = emptyMap(file, withPrefix(prefix));
    const auto [first, last] = rangeUnder(file, prefix);
    map.tensors.insert(first, last);
    return map;
}

WeightMap openClipMap(const WeightMap& file, std::string_view prefix, OpenClipUse use) {
    const std::string start(prefix);
    const bool isComplete = use == OpenClipUse::WithProjection;
    WeightMap map =
        emptyMap(file, [start](std::string_view name) { return start + openClipName(name); });
    const int64_t layers = TensorView(file, withPrefix(start)).count([](const std::string& layer) {
        return "transformer.resblocks." + layer + ".ln_1.weight";
    });
    const std::string unused = start + "transformer.resblocks." + std::to_string(layers - 1) + ".";
    const auto [first, last] = rangeUnder(file, start);
    for (auto tensor = first; tensor != last; ++tensor) {
        const auto& [name, location] = *tensor;
        const std::string_view inside = std::string_view(name).substr(start.size());
        const bool isProjection = inside == kProjection;
        const bool isExtra =
            std::find(std::begin(kExtraTextNames), std::end(kExtraTextNames), inside) !=
            std::end(kExtraTextNames);
        if (isExtra || (!isComplete && (isProjection || name.starts_with(unused)))) {
            continue;
        }
        if (isFused(name, location)) {
            addThirds(name, location, map);
        } else if (isProjection && location.shape.size() == 2) {
            map.tensors.emplace(name, transposedLocation(location));
        } else {
            map.tensors.emplace(name, location);
        }
    }
    return map;
}

TensorView viewOf(const WeightMap& map) {
    return {map, map.nameInFile};
}

}  // namespace lowtide::models
