#include "plugin/checkpoints/network.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::models {

namespace {

/// Published widths of the text encoders that families read, by the start of their classes.
struct EncoderWidths {
    std::string_view classStart;
    const char* setting;  ///< that states the width
    std::span<const int64_t> widths;
};

constexpr int64_t kClipWidths[] = {768, 1024, 1280};  ///< L, H, bigG
constexpr int64_t kXxlWidths[] = {4096};
constexpr int64_t kLlamaWidths[] = {4096};  ///< 3.1 8B
constexpr int64_t kQwenWidths[] = {2560};   ///< 3 4B

constexpr EncoderWidths kEncoderWidths[] = {{"CLIPText", "hidden_size", kClipWidths},
                                            {"T5", "d_model", kXxlWidths},
                                            {"UMT5", "d_model", kXxlWidths},
                                            {"Llama", "hidden_size", kLlamaWidths},
                                            {"Qwen3", "hidden_size", kQwenWidths}};

void refuseUnreadText(const OpenedNetwork& opened, const std::string& owner) {
    const auto* read = std::find_if(
        std::begin(kEncoderWidths), std::end(kEncoderWidths), [&](const EncoderWidths& each) {
            return opened.className.starts_with(each.classStart);
        });
    if (read == std::end(kEncoderWidths)) {
        return;
    }
    const auto width = JsonReader(opened.settings, opened.what).integer(read->setting);
    if (width && !mayBeOneOf(read->widths, *width)) {
        std::vector<std::string> widths;
        for (const int64_t each : read->widths) {
            widths.push_back(std::to_string(each));
        }
        throw Error(ErrorKind::Unsupported,
                    owner + " is a " + opened.className + " that is " + std::to_string(*width) +
                        " wide; models that are built here read one that is " +
                        join(widths, " or ") + " wide",
                    "choose the text encoder of your model");
    }
}

}  // namespace

const Network* networkOf(std::string_view className) {
    const auto known =
        std::find_if(networks().begin(), networks().end(), [&](const Network* network) {
            return std::count(network->classes.begin(), network->classes.end(), className) > 0;
        });
    return known == networks().end() ? nullptr : *known;
}

std::string ofNetworks(std::string_view Network::*text, bool (Network::*isMeant)() const) {
    std::vector<std::string> texts;
    for (const Network* network : networks()) {
        if ((network->*isMeant)()) {
            texts.emplace_back(network->*text);
        }
    }
    return join(texts, ", ");
}

void openNetwork(Checkpoint& checkpoint, const std::string& component) {
    const std::string className = checkpoint.componentClass(component);
    const Network* known = networkOf(className);
    if (!known) {
        return;
    }
    const std::string file = component + "/config.json";
    const std::string& owner = checkpoint.nameOf(component);
    const OpenedNetwork opened{.settings = checkpoint.readJson(file),
                               .what = owner + "/" + file,
                               .weights = checkpoint.weights(component, known->stem),
                               .className = className};
    refuseUnreadText(opened, owner);
    known->open(opened);
}

}  // namespace lowtide::models
