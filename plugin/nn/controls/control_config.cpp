#include "plugin/nn/controls/control_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kMostHintLevels = 8;
constexpr int64_t kPictureChannels = 3;

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
        throw Error(
            ErrorKind::Corrupt,
            reader.what() + ": " + kKey + " has " + std::to_string(stated->size()) + " entries",
            "get the config.json of the ControlNet again");
    }
    return integersInRange(reader, kKey, stated->front(), stated->size(), 1, kMostChannels);
}

bool takesBgr(const JsonReader& reader) {
    const std::string order = reader.text("controlnet_conditioning_channel_order").value_or("rgb");
    if (order != "rgb" && order != "bgr") {
        throw Error(ErrorKind::Unsupported,
                    reader.what() + ": controlnet_conditioning_channel_order is " +
                        quotedName(order) + ", only rgb and bgr are built",
                    "choose another ControlNet");
    }
    return order == "bgr";
}

}  // namespace

ControlConfig readControlConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "ControlNetModel");
    const int64_t channels = reader.integer("conditioning_channels").value_or(kPictureChannels);
    if (channels != kPictureChannels) {
        throw Error(ErrorKind::Unsupported,
                    what + ": conditioning_channels is " + std::to_string(channels) +
                        ", only pictures of 3 channels are built",
                    "choose another ControlNet");
    }
    return {.unet = readUNet2DConfig(asUNet(json), what),
            .hintChannels = hintChannelsIn(reader),
            .takesBgr = takesBgr(reader),
            .poolsGlobally = reader.boolean("global_pool_conditions").value_or(false)};
}

}  // namespace lowtide::models
