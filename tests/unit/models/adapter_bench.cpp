#include "tests/unit/models/adapter_bench.hpp"

#include "plugin/files/safetensors.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>

namespace lowtide::testing {

namespace {

template <class Bits>
std::string bytesOfBits(Bits bits) {
    std::string bytes(sizeof bits, '\0');
    std::memcpy(bytes.data(), &bits, sizeof bits);
    return bytes;
}

/// Of positive numbers that have few digits, 0, and what no number is.
uint16_t halfOf(double value) {
    if (value == 0) {
        return 0;
    }
    if (value != value || value == std::numeric_limits<double>::infinity()) {
        return value != value ? 0x7E00 : 0x7C00;
    }
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return static_cast<uint16_t>(((exponent + 14) << 10) |
                                 static_cast<int>((fraction * 2 - 1) * 1024));
}

std::string bytesOfNumber(const AdapterNumber& number) {
    switch (number.type) {
        case DType::F64:
            return bytesOfBits(number.value);
        case DType::F32:
            return bytesOfBits(static_cast<float>(number.value));
        case DType::BF16:
            return bytesOfBits(static_cast<uint16_t>(
                std::bit_cast<uint32_t>(static_cast<float>(number.value)) >> 16));
        case DType::F16:
            return bytesOfBits(halfOf(number.value));
        case DType::I64:
            return bytesOfBits(static_cast<int64_t>(number.value));
        case DType::U8:
        case DType::Bool:
            return bytesOfBits(static_cast<uint8_t>(number.value));
        default:
            throw std::runtime_error("numbers of this type are not written");
    }
}

AdapterShapes joinedShapes(std::vector<AdapterShapes> parts) {
    AdapterShapes all;
    for (AdapterShapes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

AdapterShapes layerShapes(const std::string& name, int64_t out, int64_t in) {
    return {{name + ".weight", {out, in}}, {name + ".bias", {out}}};
}

}  // namespace

models::WeightFileHeader headerOf(const AdapterShapes& shapes,
                                  const std::map<std::string, std::string>& metadata) {
    models::WeightFileHeader header{
        .map = {.what = "\"f.safetensors\"", .files = {{.path = "f"}}, .tensors = {}},
        .metadata = {metadata.begin(), metadata.end()}};
    int64_t offset = 0;
    for (const auto& [name, shape] : shapes) {
        header.map.tensors.emplace(name, models::TensorLocation{.offset = offset, .shape = shape});
        offset += elementCount(shape).value() * sizeOf(DType::F32);
    }
    return header;
}

void writeAdapter(const std::string& path,
                  const AdapterShapes& shapes,
                  const std::map<std::string, AdapterNumber>& numbers) {
    std::map<std::string, std::string> bytes;
    std::map<std::string, files::TensorBytes> tensors;
    for (const auto& [name, shape] : shapes) {
        bytes[name].resize(static_cast<size_t>(elementCount(shape).value() * sizeOf(DType::F32)));
        tensors[name] = {DType::F32, shape, std::as_bytes(std::span(bytes[name]))};
    }
    for (const auto& [name, number] : numbers) {
        for (int64_t i = 0; i < elementCount(number.shape).value(); ++i) {
            bytes[name] += bytesOfNumber(number);
        }
        tensors[name] = {number.type, number.shape, std::as_bytes(std::span(bytes[name]))};
    }
    files::writeSafetensors(path, tensors);
}

void writeLora(const std::string& path, const std::string& weight, const Shape& shape) {
    constexpr int64_t kRank = 4;
    constexpr double kDown = 0.1;
    constexpr double kUp = 0.5;
    const std::string layer = "unet." + weight.substr(0, weight.rfind('.'));
    writeAdapter(path,
                 {},
                 {{layer + ".lora_A.weight", {DType::F32, kDown, {kRank, shape.at(1)}}},
                  {layer + ".lora_B.weight", {DType::F32, kUp, {shape.at(0), kRank}}}});
}

memory::ComponentTree treeOf(const std::string& role,
                             const std::string& network,
                             const AdapterShapes& weights) {
    memory::ComponentTree tree;
    tree.id = role;
    tree.role = role;
    tree.network = network;
    for (const auto& [name, shape] : weights) {
        const auto id = static_cast<memory::WeightId>(tree.weights.size());
        tree.storages.push_back({.key = name, .elementCount = elementCount(shape).value()});
        tree.weights.push_back({.name = name, .storage = id, .shape = shape});
        tree.leaves.push_back({.name = name, .weights = {id}});
    }
    return tree;
}

memory::ComponentTree piecesOfUNet(int64_t contextWidth) {
    const std::string block = "down_blocks.0.attentions.0.";
    const std::string layer = block + "transformer_blocks.0.";
    AdapterShapes shapes =
        joinedShapes({{{"conv_in.weight", {320, 4, 3, 3}},
                       {"conv_in.bias", {320}},
                       {"down_blocks.0.resnets.0.conv1.weight", {320, 320, 3, 3}},
                       {"down_blocks.0.resnets.1.conv1.weight", {320, 320, 3, 3}},
                       {"down_blocks.0.resnets.0.norm1.weight", {320}},
                       {"down_blocks.0.resnets.0.norm1.bias", {320}},
                       {block + "proj_in.weight", {320, 320, 1, 1}},
                       {"down_blocks.0.downsamplers.0.conv.weight", {320, 320, 3, 3}}},
                      layerShapes(layer + "attn1.to_out.0", 320, 320)});
    for (const char* part : {"q", "k", "v"}) {
        shapes.push_back({layer + "attn1.to_" + part + ".weight", {320, 320}});
        const int64_t in = *part == 'q' ? 320 : contextWidth;
        shapes.push_back({layer + "attn2.to_" + part + ".weight", {320, in}});
    }
    return treeOf("denoiser", "UNet2DConditionModel", shapes);
}

memory::ComponentTree pieceOfText(const std::string& wrapper, int64_t width) {
    const std::string layer = wrapper + "encoder.layers.0.";
    std::vector<AdapterShapes> parts = {
        {{wrapper + "embeddings.token_embedding.weight", {49408, width}},
         {"text_projection.weight", {width, width}}},
        layerShapes(layer + "mlp.fc1", 4 * width, width)};
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
        parts.push_back(layerShapes(layer + "self_attn." + part, width, width));
    }
    return treeOf("text_encoder", "CLIPTextModel", joinedShapes(std::move(parts)));
}

AdapterShapes loraOf(const std::string& layer, int64_t out, int64_t in, int64_t rank) {
    return {{layer + ".lora_A.weight", {rank, in}}, {layer + ".lora_B.weight", {out, rank}}};
}

}  // namespace lowtide::testing
