#include "plugin/memory/memory_budget.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::memory {

namespace {

[[noreturn]] void refuseBudget(std::string_view text) {
    throw Error(ErrorKind::InvalidInput,
                "the memory budget " + quotedName(text) + " is no size, nor sizes of devices",
                "write a size such as 6GiB or 800MiB, or one for each device such as "
                "cuda:0=20GiB,cpu=8GiB",
                "memory_budget");
}

[[noreturn]] void refuseTwice(std::string_view text) {
    throw Error(ErrorKind::InvalidInput,
                "the memory budget " + quotedName(text) + " has two sizes of one device",
                "give each device one size, by its name alone",
                "memory_budget");
}

Bytes budgetSize(std::string_view text, std::string_view size) {
    const std::optional<Bytes> bytes = parseBytes(size);
    if (!bytes) {
        refuseBudget(text);
    }
    return *bytes;
}

}  // namespace

std::optional<Bytes> MemoryBudget::of(const DeviceSpec& device, bool isMain) const {
    const auto own = devices.find(device.id());
    return own != devices.end() ? std::optional(own->second) : isMain ? main : std::nullopt;
}

MemoryBudget parseMemoryBudget(std::string_view text) {
    MemoryBudget budget;
    for (const std::string& part : split(text, ',')) {
        const size_t equals = part.find('=');
        const bool isOfMain = equals == part.npos;
        const Bytes bytes = budgetSize(text, isOfMain ? part : part.substr(equals + 1));
        if (isOfMain && budget.main) {
            refuseTwice(text);
        } else if (isOfMain) {
            budget.main = bytes;
            continue;
        }
        const DeviceSpec device = parseDeviceSpec(part.substr(0, equals));
        if (device != DeviceSpec{.kind = device.kind, .index = device.index} ||
            !budget.devices.emplace(device.id(), bytes).second) {
            refuseTwice(text);
        }
    }
    return budget;
}

bool isMemoryBudget(std::string_view text) {
    try {
        static_cast<void>(parseMemoryBudget(text));
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::string withMain(std::string_view stated, std::string_view main, std::string_view size) {
    const auto isOf = [](const std::string& device, std::string_view id) {
        try {
            return parseDeviceSpec(device).id() == id;
        } catch (const Error&) {
            return false;  // the check names what is wrong with it
        }
    };
    std::string text(size);
    for (const std::string& part : split(stated, ',')) {
        const size_t equals = part.find('=');
        if (equals != part.npos && !isOf(part.substr(0, equals), main)) {
            text += (text.empty() ? "" : ",") + trim(part);
        }
    }
    return text;
}

std::string toText(const MemoryBudget& budget) {
    std::string text = budget.main ? std::to_string(*budget.main) : std::string();
    for (const auto& [device, bytes] : budget.devices) {
        text += (text.empty() ? "" : ",") + device + "=" + std::to_string(bytes);
    }
    return text;
}

}  // namespace lowtide::memory
