#include "nodes/engine/controls.hpp"

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>

namespace lowtide::nodes {

Bytes Controls::bytesOn(std::string_view deviceId) const {
    Bytes bytes = 0;
    for (const ControlEntry& entry : entries_) {
        bytes += tensor::bytesOn(entry.hint, deviceId);
    }
    return bytes;
}

memory::WireRef Controls::onHost() const {
    std::vector<ControlEntry> entries = entries_;
    for (ControlEntry& entry : entries) {
        entry.hint = entry.hint.defined() ? tensor::spill(entry.hint) : entry.hint;
    }
    return std::make_shared<const Controls>(std::move(entries));
}

std::optional<std::string> Controls::specKey() const {
    Json key = Json::array();
    for (const ControlEntry& entry : entries_) {
        const ControlSettings& settings = entry.settings;
        key.push_back({roleOf(entry),
                       toJson(settings.influence),
                       settings.mode,
                       settings.isInverted,
                       entry.hintShape});
    }
    return key.dump();
}

std::vector<std::shared_ptr<const models::ControlNet>> Controls::nets() const {
    std::vector<std::shared_ptr<const models::ControlNet>> nets;
    for (const ControlEntry& entry : entries_) {
        if (std::find(nets.begin(), nets.end(), entry.net) == nets.end()) {
            nets.push_back(entry.net);
        }
    }
    return nets;
}

std::string Controls::roleOf(const ControlEntry& entry) const {
    const auto all = nets();
    const auto found = std::find(all.begin(), all.end(), entry.net);
    LOWTIDE_ASSERT(found != all.end());
    return models::controlRole(static_cast<size_t>(found - all.begin()));
}

std::string describedControl(const ControlEntry& entry) {
    const ControlSettings& settings = entry.settings;
    const char* mode = settings.mode == ControlMode::Guess    ? "ControlNet is more important"
                       : settings.mode == ControlMode::Prompt ? "My prompt is more important"
                                                              : "Balanced";
    return "Weight: " + formatNumber(settings.influence.strength) +
           ", Guidance Start: " + formatNumber(settings.influence.start) +
           ", Guidance End: " + formatNumber(settings.influence.end) + ", Control Mode: " + mode;
}

const Controls* controlsIn(const memory::WireRef& value) {
    const auto* controls = dynamic_cast<const Controls*>(meantBy(value).get());
    if (value && !controls) {
        throw Error(ErrorKind::InvalidInput,
                    message("the input control is no control"),
                    message("connect a node Apply ControlNet"),
                    "control");
    }
    return controls;
}

}  // namespace lowtide::nodes
