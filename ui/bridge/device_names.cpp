#include "ui/bridge/device_names.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/device_spec.hpp"

namespace lowtide::ui {

namespace {

/// GiB of cards of everyday sizes; the memory panel takes any other.
constexpr int kCards[] = {4, 6, 8, 12, 24};

}  // namespace

std::vector<std::string> rehearsedCards() {
    std::vector<std::string> cards;
    for (const int size : kCards) {
        cards.push_back("fake:" + std::to_string(size) + "GiB");
    }
    return cards;
}

std::vector<std::string> deviceNames(const Json& devices) {
    std::vector<std::string> names;
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        const std::string name = device.value("id", std::string());
        if (!name.empty() && !name.starts_with("fake")) {
            names.push_back(name);
        }
    }
    const std::vector<std::string> cards = rehearsedCards();
    names.insert(names.end(), cards.begin(), cards.end());
    return names;
}

Bytes rehearsedBytes(const std::string& spec) {
    try {
        return memory::parseDeviceSpec(spec).capacity.value_or(0);
    } catch (const Error&) {
        return 0;  // the check names what is wrong with it
    }
}

}  // namespace lowtide::ui
