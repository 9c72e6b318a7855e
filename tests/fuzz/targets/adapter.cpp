#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace lowtide::fuzz::adapter_target {

namespace {

using namespace models;

constexpr std::initializer_list<ErrorKind> kRefusals = {
    ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::InvalidInput};

/// What names begin with, as one letter, so that an input is short.
constexpr std::pair<char, std::string_view> kBeginnings[] = {
    {'K', "lora_unet_down_blocks_0_attentions_0_proj_in"},
    {'S', "lora_unet_input_blocks_1_1_transformer_blocks_0_attn2_to_k"},
    {'P', "unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1."},
    {'T', "text_encoder.text_model.encoder.layers.0.self_attn."},
    {'O', "transformer.resblocks.0.attn."},
    {'=', ""},
};

Shape adapterShape(std::string_view text) {
    Shape shape;
    for (const std::string& part : split(trim(text), ',')) {
        int64_t size = 0;
        std::from_chars(part.data(), part.data() + part.size(), size);
        shape.push_back(std::max<int64_t>(size, 0));
    }
    return shape.size() == 1 && shape[0] == 0 ? Shape{} : shape;
}

/// "K.alpha", "P.to_q.lora_A.weight 4,8" are tensors, "#key text" metadata. Readers of files give
/// no tensor whose bytes cannot be counted.
WeightFileHeader headerIn(std::string_view text) {
    WeightFileHeader header{.map = {.what = "\"f\"", .files = {{.path = "f"}}, .tensors = {}},
                            .metadata = {}};
    for (const std::string& line : split(text, '\n')) {
        const size_t space = std::min(line.find(' '), line.size());
        if (line.empty() || !isValidUtf8(line)) {
            continue;
        }
        if (line.front() == '#') {
            header.metadata.emplace(line.substr(1, std::max<size_t>(space, 1) - 1),
                                    line.substr(space));
        }
        for (const auto& [letter, beginning] : kBeginnings) {
            const Shape shape = adapterShape(std::string_view(line).substr(space));
            if (line.front() == letter && elementCount(shape).value_or(1LL << 60) < (1LL << 50)) {
                header.map.tensors.emplace(std::string(beginning) + line.substr(1, space - 1),
                                           TensorLocation{.shape = shape});
            }
        }
    }
    return header;
}

memory::ComponentTree networkOf(const char* role,
                                const char* network,
                                const std::vector<std::pair<std::string, Shape>>& weights) {
    memory::ComponentTree tree;
    tree.id = role;
    tree.role = role;
    tree.network = network;
    for (const auto& [name, shape] : weights) {
        tree.weights.push_back({.name = name, .shape = shape});
    }
    return tree;
}

const std::vector<memory::ComponentTree>& networks() {
    const std::string block = "down_blocks.0.attentions.0.";
    const std::string layer = block + "transformer_blocks.0.";
    const std::string text = "encoder.layers.0.self_attn.";
    static const std::vector<memory::ComponentTree> all = {
        networkOf("denoiser",
                  "UNet2DConditionModel",
                  {{"down_blocks.0.resnets.0.conv1.weight", {8, 8, 3, 3}},
                   {"down_blocks.0.resnets.1.conv1.weight", {8, 8, 3, 3}},
                   {block + "proj_in.weight", {8, 8, 1, 1}},
                   {block + "proj_in.bias", {8}},
                   {layer + "attn1.to_q.weight", {8, 8}},
                   {layer + "attn1.to_k.weight", {8, 8}},
                   {layer + "attn1.to_v.weight", {8, 8}},
                   {layer + "attn1.to_out.0.weight", {8, 8}},
                   {layer + "attn2.to_k.weight", {8, 6}}}),
        networkOf("text_encoder",
                  "CLIPTextModel",
                  {{text + "q_proj.weight", {4, 4}},
                   {text + "k_proj.weight", {4, 4}},
                   {text + "v_proj.weight", {4, 4}},
                   {text + "v_proj.bias", {4}}})};
    return all;
}

/// Each tensor is listed once: a factor, a number of one layer, or reported as unread.
void checkLayers(const AdapterFile& file, const WeightMap& map) {
    std::set<std::string> used(file.unread.begin(), file.unread.end());
    require(used.size() == file.unread.size(), "no tensor is unread twice");
    size_t dropped = 0;
    for (const AdapterLayer& layer : file.layers) {
        require(!layer.kind.empty() && !layer.component.empty() && !layer.module.empty() &&
                    !layer.factors.empty() && missingFactors(layer).empty(),
                "a layer is whole");
        require(!layer.rank || *layer.rank >= 1, "a rank is one at least");
        require(std::isfinite(layer.scale()), "a scale is a number");
        require(!deltaShapeOf(layer, file.what).empty(), "a delta has a shape");
        for (const auto& [name, factor] : layer.factors) {
            require(used.insert(factor.key).second, "a tensor is one factor");
            require(map.tensors.contains(factor.key), "a factor is a tensor of the file");
        }
        const bool isWithWeight = layer.isBias;  // its alpha is that of its weight
        if (!layer.alphaKey.empty() && !isWithWeight) {
            require(used.insert(layer.alphaKey).second, "an alpha is that of one layer");
        }
        if (!layer.onInputKey.empty()) {
            used.insert(layer.onInputKey);
        }
        dropped += layer.kind == "kronecker" && !layer.rank ? 1 : 0;
    }
    require(used.size() <= map.tensors.size() && used.size() + dropped >= map.tensors.size(),
            "every tensor is listed once");
}

void checkBinding(const AdapterFile& file, const memory::ComponentTree& tree) {
    AdapterBinding binding;
    if (!takes(kRefusals, [&] { binding = bindAdapter(file, tree.role, tree, "c"); })) {
        return;
    }
    std::set<memory::WeightId> changed;
    for (const BoundLayer& bound : binding.layers) {
        require(bound.weight < tree.weights.size() && changed.insert(bound.weight).second,
                "a weight is changed once");
        const Shape& shape = tree.weights[bound.weight].shape;
        require(fitsWeight(bound.layer, deltaShapeOf(bound.layer, file.what), shape),
                "a delta fits its weight");
        for (const auto& [name, factor] : bound.layer.factors) {
            require(elementCount(factor.location.shape).value_or(0) > 0, "a factor has numbers");
        }
    }
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const WeightFileHeader header =
        headerIn({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    AdapterFile file;
    if (!takes(kRefusals, [&] { file = readAdapterHeader(header); })) {
        return false;
    }
    checkLayers(file, header.map);
    require(looksLikeAdapter(header.map), "what is read as an adapter looks like one");
    require(isValidUtf8(whatAdapterIs(file).str()), "what it is is a text");
    std::vector<AdapterTarget> targets;
    for (const memory::ComponentTree& tree : networks()) {
        checkBinding(file, tree);
        targets.push_back({tree.role, &tree});
    }
    (void)takes(kRefusals, [&] { (void)bindWholeAdapter(file, targets, "c"); });
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("adapter", runInput);

}  // namespace lowtide::fuzz::adapter_target
