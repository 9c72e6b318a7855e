#include "ui/bridge/device_names.hpp"

#include "plugin/base/json.hpp"

#include <iterator>

namespace lowtide::ui {

namespace {

/// Cards of everyday sizes; the memory panel takes any other.
constexpr const char* kRehearsed[] = {"fake:4GiB", "fake:8GiB", "fake:12GiB", "fake:24GiB"};

}  // namespace

std::vector<std::string> deviceNames(const Json& devices) {
    std::vector<std::string> names;
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        const std::string name = device.value("id", std::string());
        if (!name.empty() && !name.starts_with("fake")) {
            names.push_back(name);
        }
    }
    names.insert(names.end(), std::begin(kRehearsed), std::end(kRehearsed));
    return names;
}

}  // namespace lowtide::ui
