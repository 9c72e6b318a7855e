#include "plugin/checkpoints/single_file/component_maps.hpp"

#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kAutoencoderPrefixes[] = {
    "encoder.", "decoder.", "quant_conv.", "post_quant_conv."};
/// What of OpenCLIP's model is no part of the text encoder that is run.
constexpr std::string_view kBesideText[] = {"logit_scale", "attn_mask"};
constexpr std::string_view kProjection = "text_projection";
constexpr std::string_view kFused[] = {".attn.in_proj_weight", ".attn.in_proj_bias"};

WeightMap emptyMap(const WeightMap& file, std::function<std::string(std::string_view)> name) {
    return {.what = file.what,
            .files = file.files,
            .tensors = {},
            .nameInFile = std::move(name),
            .settings = "what its shapes imply",
            .hint = "get the checkpoint again, or choose another one"};
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

/// Query, key and value, which lie one behind the other.
void addThirds(const std::string& name, const TensorPlace& place, WeightMap& map) {
    const int64_t rows = place.shape[0] / 3;
    int64_t first = 0;
    for (const char* part : {"[q]", "[k]", "[v]"}) {
        TensorPlace third = place;
        third.takeRows(0, first, rows, map.what + ", " + quotedName(name));
        map.tensors.emplace(name + part, std::move(third));
        first += rows;
    }
}

TensorPlace turnedPlace(TensorPlace place) {
    std::swap(place.shape[0], place.shape[1]);
    place.isTransposed = true;
    return place;
}

bool isFused(const std::string& name, const TensorPlace& place) {
    return std::any_of(std::begin(kFused), std::end(kFused), [&](std::string_view ending) {
        return name.ends_with(ending) && !place.shape.empty() && place.shape[0] % 3 == 0;
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
    map.hint = "get the file again, or choose another one";
    return map;
}

void splitThirds(WeightMap& map, std::string_view ending) {
    std::vector<std::pair<std::string, TensorPlace>> fused;
    for (const auto& [name, place] : map.tensors) {
        if (name.ends_with(ending) && !place.shape.empty() && place.shape[0] % 3 == 0) {
            fused.emplace_back(name, place);
        }
    }
    for (const auto& [name, place] : fused) {
        map.tensors.erase(name);
        addThirds(name, place, map);
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
    for (auto& [name, place] : map.tensors) {
        flattenConvolution(name, place.shape);
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
    const bool isWhole = use == OpenClipUse::WithProjection;
    WeightMap map =
        emptyMap(file, [start](std::string_view name) { return start + openClipName(name); });
    const int64_t layers = TensorView(file, withPrefix(start)).count([](const std::string& layer) {
        return "transformer.resblocks." + layer + ".ln_1.weight";
    });
    const std::string unused = start + "transformer.resblocks." + std::to_string(layers - 1) + ".";
    const auto [first, last] = rangeUnder(file, start);
    for (auto tensor = first; tensor != last; ++tensor) {
        const auto& [name, place] = *tensor;
        const std::string_view inside = std::string_view(name).substr(start.size());
        const bool isProjection = inside == kProjection;
        const bool isBeside = std::find(std::begin(kBesideText), std::end(kBesideText), inside) !=
                              std::end(kBesideText);
        if (isBeside || (!isWhole && (isProjection || name.starts_with(unused)))) {
            continue;
        }
        if (isFused(name, place)) {
            addThirds(name, place, map);
        } else if (isProjection && place.shape.size() == 2) {
            map.tensors.emplace(name, turnedPlace(place));
        } else {
            map.tensors.emplace(name, place);
        }
    }
    return map;
}

TensorView viewOf(const WeightMap& map) {
    return {map, map.nameInFile};
}

}  // namespace lowtide::models
