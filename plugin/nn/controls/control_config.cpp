#include "plugin/nn/controls/control_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kMostHintLevels = 8;
constexpr int64_t kConditioningChannels = 3;

/// The same settings as a UNet's, whose way up nobody asks for.
Json asUNet(Json json) {
    json["_class_name"] = "UNet2DConditionModel";
    Json up = Json::array();
    const auto down = json.find("down_block_types");
    if (down != json.end() && down->is_array()) {
        for (auto block = down->rbegin(); block != down->rend(); ++block) {
            up.push_back(*block == "CrossAttnDownBlock2D" ? "CrossAttnUpBlock2D" : "UpBlock2D");
        }
        json["up_block_types"] = std::move(up);
    }
    json["reverse_transformer_layers_per_block"] = 1;
    return json;
}

std::vector<int64_t> hintChannelsIn(const JsonReader& reader) {
    constexpr const char* kKey = "conditioning_embedding_out_channels";
    const std::vector<int64_t> usual = {16, 32, 96, 256};
    const auto stated = reader.integers(kKey);
    if (!stated) {
        return usual;
    }
    if (stated->empty() || stated->size() > kMostHintLevels) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} has {} entries", reader.what(), kKey, stated->size()),
                    message("get the config.json of the ControlNet again"));
    }
    return integersInRange(reader, kKey, stated->front(), stated->size(), 1, kMostChannels);
}

bool takesBgr(const JsonReader& reader) {
    const std::string order = reader.text("controlnet_conditioning_channel_order").value_or("rgb");
    if (order != "rgb" && order != "bgr") {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: controlnet_conditioning_channel_order is {}, only rgb and bgr are built",
                    reader.what(),
                    quotedName(order)),
            message("choose another ControlNet"));
    }
    return order == "bgr";
}

}  // namespace

ControlConfig readControlConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "ControlNetModel");
    const int64_t channels =
        reader.integer("conditioning_channels").value_or(kConditioningChannels);
    if (channels != kConditioningChannels) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: conditioning_channels is {}, only images of 3 channels are built",
                            what,
                            channels),
                    message("choose another ControlNet"));
    }
    return {.unet = readUNet2DConfig(asUNet(json), what),
            .hintChannels = hintChannelsIn(reader),
            .takesBgr = takesBgr(reader),
            .poolsGlobally = reader.boolean("global_pool_conditions").value_or(false)};
}

namespace {

constexpr size_t kMostHintBlocks = 16;
constexpr int64_t kXlSquare = 16;
constexpr int64_t kUsualSquare = 8;
constexpr int64_t kImageHint = 3;
constexpr const char* kAdapterPrefix = "adapter.";

[[noreturn]] void refuseAdapter(const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                problem,
                message("choose another T2I-Adapter: full_adapter, full_adapter_xl and "
                        "light_adapter are built"));
}

/// Source: diffusers FullAdapter, FullAdapterXL, LightAdapter.
std::vector<HintBlockSizes> blocksOf(const HintAdapterConfig& config,
                                     const std::vector<int64_t>& channels,
                                     bool isXl) {
    std::vector<HintBlockSizes> blocks;
    const int64_t first = config.isLight ? config.squareChannels() : channels.front();
    for (size_t i = 0; i < channels.size(); ++i) {
        const int64_t before = i == 0 ? first : channels[i - 1];
        if (isXl) {
            blocks.push_back({.in = i == 1 || i == 2 ? before : channels[i],
                              .out = channels[i],
                              .shrinks = i == 2});
        } else {
            blocks.push_back({.in = before, .out = channels[i], .shrinks = i > 0});
        }
    }
    if (config.isLight) {
        blocks.push_back({.in = channels.back(), .out = channels.back(), .shrinks = true});
    }
    return blocks;
}

/// A file's names as those of diffusers, without "adapter."; TencentARC's count resnets through.
class AdapterNames {
public:
    explicit AdapterNames(const WeightMap& file)
        : hasPrefix_(file.tensors.contains("adapter.body.0.resnets.0.block1.weight")),
          isLight_(file.tensors.contains(hasPrefix_ ? "adapter.body.0.out_conv.weight"
                                                    : "body.0.out_conv.weight")) {
        if (hasPrefix_ || isLight_) {
            resnets_ = countOf(file, [&](int64_t i) { return inFile(0, i, "block1.weight"); });
            return;
        }
        // Blocks of two, as all that were published: a file states no more.
        resnets_ = 2;
    }

    [[nodiscard]] bool isLight() const { return isLight_; }

    [[nodiscard]] int64_t resnets() const { return resnets_; }

    /// "body.<block>.resnets.<resnet>.<rest>", and other names as they are.
    [[nodiscard]] std::string operator()(std::string_view name) const {
        name.remove_prefix(std::string_view(kAdapterPrefix).size());
        const std::vector<std::string> parts = split(name, '.');
        if (hasPrefix_ || parts.front() != "body") {
            return (hasPrefix_ ? kAdapterPrefix : "") + std::string(name);
        }
        const int64_t block = std::stoll(parts[1]);
        if (parts[2] == "resnets") {
            return inFile(block, std::stoll(parts[3]), parts[4] + "." + parts.back());
        }
        const int64_t index = isLight_ ? block : block * resnets_;
        return "body." + std::to_string(index) + "." + parts[2] + "." + parts.back();
    }

    [[nodiscard]] int64_t blockCount(const WeightMap& file) const {
        return countOf(file, [&](int64_t i) { return inFile(i, 0, "block1.weight"); });
    }

private:
    template <class NameOf>
    static int64_t countOf(const WeightMap& file, NameOf nameOf) {
        int64_t count = 0;
        while (count < static_cast<int64_t>(kMostHintBlocks) &&
               file.tensors.contains(nameOf(count))) {
            ++count;
        }
        return count;
    }

    [[nodiscard]] std::string inFile(int64_t block, int64_t resnet, const std::string& rest) const {
        const std::string number = std::to_string(block);
        if (hasPrefix_) {
            return kAdapterPrefix + ("body." + number) + ".resnets." + std::to_string(resnet) +
                   "." + rest;
        }
        return isLight_ ? "body." + number + ".body." + std::to_string(resnet) + "." + rest
                        : "body." + std::to_string(block * resnets_ + resnet) + "." + rest;
    }

    bool hasPrefix_;
    bool isLight_;
    int64_t resnets_ = 0;
};

/// What squares of a hint the first layer reads, by its channels.
void fillSquares(HintAdapterConfig& config, int64_t channels, const std::string& what) {
    for (const int64_t square : {kUsualSquare, kXlSquare}) {
        for (const int64_t hint : {kImageHint, int64_t{1}}) {
            if (channels == hint * square * square) {
                config.squarePixels = square;
                config.hintChannels = hint;
                return;
            }
        }
    }
    refuseAdapter(
        message("{}: its first layer reads {} channels, which are no squares of 8 or 16 pixels of "
                "an image",
                what,
                channels));
}

}  // namespace

HintAdapterConfig readHintAdapterConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "T2IAdapter");
    const std::string type = reader.text("adapter_type").value_or("full_adapter");
    const bool isXl = type == "full_adapter_xl";
    if (!isXl && type != "full_adapter" && type != "light_adapter") {
        refuseAdapter(message("{}: adapter_type is {}", what, quotedName(type)));
    }
    HintAdapterConfig config{.isLight = type == "light_adapter"};
    config.hintChannels = integerInRange(reader, "in_channels", kImageHint, 1, kImageHint);
    config.squarePixels =
        integerInRange(reader, "downscale_factor", isXl ? kXlSquare : kUsualSquare, 1, 64);
    config.resnets = integerInRange(reader, "num_res_blocks", 2, 1, kMostLayers);
    const auto channels =
        reader.integers("channels").value_or(std::vector<int64_t>{320, 640, 1280, 1280});
    if (channels.empty() || channels.size() > kMostHintBlocks || config.hintChannels == 2) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: channels has {} entries, in_channels is {}",
                            what,
                            channels.size(),
                            config.hintChannels),
                    message("get the config.json of the T2I-Adapter again"));
    }
    (void)integersInRange(reader, "channels", channels.front(), channels.size(), 4, kMostChannels);
    config.firstChannels = config.isLight ? 0 : channels.front();
    config.blocks = blocksOf(config, channels, isXl);
    return config;
}

bool isHintAdapter(const WeightMap& file) {
    for (const char* name : {"adapter.body.0.resnets.0.block1.weight",
                             "body.0.block1.weight",
                             "body.0.body.0.block1.weight"}) {
        if (file.tensors.contains(name)) {
            return true;
        }
    }
    return false;
}

HintAdapterFile hintAdapterIn(const WeightMap& file) {
    const AdapterNames names(file);
    const TensorView view(file, names);
    HintAdapterConfig config{.isLight = names.isLight(), .resnets = names.resnets()};
    const std::string first =
        config.isLight ? "adapter.body.0.in_conv.weight" : "adapter.conv_in.weight";
    fillSquares(config, view.size(first, 1), file.what);
    config.firstChannels = config.isLight ? 0 : view.size(first, 0);
    std::vector<int64_t> channels;
    for (int64_t i = 0; i < names.blockCount(file); ++i) {
        const std::string block = "adapter.body." + std::to_string(i);
        channels.push_back(view.size(
            block + (config.isLight ? ".out_conv.weight" : ".resnets.0.block1.weight"), 0));
    }
    if (config.isLight) {
        channels.pop_back();  // the last block is as wide as the one before
    }
    if (channels.empty()) {
        refuseAdapter(message("{} has one block alone", file.what));
    }
    config.blocks = blocksOf(config, channels, config.squarePixels == kXlSquare);
    WeightMap weights = file;
    weights.nameInFile = names;
    weights.settings = message("what its shapes imply");
    weights.hint = message("get the T2I-Adapter again, or choose another one");
    return {.weights = std::move(weights), .config = std::move(config)};
}

}  // namespace lowtide::models
