#include "plugin/checkpoints/network.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::models {

namespace {

void refuseUnreadText(const OpenedNetwork& opened,
                      const Network& network,
                      const std::string& owner) {
    if (!network.isTextEncoder()) {
        return;
    }
    const auto width = JsonReader(opened.settings, opened.what).integer(network.widthSetting);
    if (width && !mayBeOneOf(network.widths, *width)) {
        std::vector<Message> widths;
        for (const int64_t each : network.widths) {
            widths.push_back(message("{}", each));
        }
        throw Error(
            ErrorKind::Unsupported,
            message(
                "{} is a {} that is {} wide; models that are built here read one that is {} wide",
                owner,
                opened.className,
                *width,
                joined(widths, " or ")),
            message("choose the text encoder of your model"));
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
    refuseUnreadText(opened, *known, owner);
    known->open(opened);
}

}  // namespace lowtide::models
