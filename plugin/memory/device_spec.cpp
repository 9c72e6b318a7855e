#include "plugin/memory/device_spec.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/device_kind.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

namespace lowtide::memory {

namespace {

constexpr std::array<std::string_view, kAllocationKindCount> kKindNames = {
    "arena", "staging", "wire", "activation"};

[[noreturn]] void refuseDevice(std::string_view text, const Message& why) {
    throw Error(ErrorKind::InvalidInput,
                message("device {}: {}", quotedName(text), why),
                message("write {}", deviceForms()),
                "device");
}

Bytes sizeIn(std::string_view text, std::string_view size) {
    const std::optional<Bytes> bytes = parseBytes(size);
    if (!bytes || *bytes == 0) {
        refuseDevice(text, message("{} is no size", quotedName(size)));
    }
    return *bytes;
}

int64_t numberIn(std::string_view text, std::string_view digits, const Message& what) {
    int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [rest, failure] = std::from_chars(digits.data(), end, number);
    if (failure != std::errc() || rest != end || number < 1) {
        refuseDevice(text, message("{} is no number of {}", quotedName(digits), what));
    }
    return number;
}

/// "3" or "3-5".
FailingAllocation numbersIn(std::string_view text, std::string_view numbers) {
    constexpr Phrase kWhat = phrase("an allocation");
    const size_t dash = std::min(numbers.find('-', 1), numbers.size());
    FailingAllocation failing{.kind = std::nullopt,
                              .number = numberIn(text, numbers.substr(0, dash), kWhat)};
    if (dash < numbers.size()) {
        failing.last = numberIn(text, numbers.substr(dash + 1), kWhat);
        if (failing.last <= failing.number) {
            refuseDevice(text, message("{} does not go up", quotedName(numbers)));
        }
    }
    return failing;
}

/// "100", "arena:3" or "arena:3-5".
FailingAllocation failureIn(std::string_view text, std::string_view value) {
    const size_t colon = value.find(':');
    if (colon == value.npos) {
        return numbersIn(text, value);
    }
    const auto kind = std::find(kKindNames.begin(), kKindNames.end(), value.substr(0, colon));
    if (kind == kKindNames.end()) {
        refuseDevice(text,
                     message("{} is no kind of allocation", quotedName(value.substr(0, colon))));
    }
    FailingAllocation failing = numbersIn(text, value.substr(colon + 1));
    failing.kind = static_cast<AllocationKind>(kind - kKindNames.begin());
    return failing;
}

/// "1" of "fake:1,8GiB": a plain number beyond the indices of a rehearsed kind is a size.
std::optional<int> indexIn(std::string_view text, const DeviceKind& kind, std::string_view option) {
    int index = 0;
    const char* end = option.data() + option.size();
    const auto [rest, failure] = std::from_chars(option.data(), end, index);
    const bool isNumber = failure == std::errc() && rest == end && index >= 0;
    if (isNumber && index < kind.most) {
        return index;
    }
    if (kind.isRehearsed && (!isNumber || index >= kMostOfKind)) {
        return std::nullopt;
    }
    refuseDevice(text, message("{} is no device number", quotedName(option)));
}

void readRehearsed(DeviceSpec& spec, std::string_view text, std::span<const std::string> options) {
    for (const std::string& option : options) {
        if (option.starts_with("spill=")) {
            spec.spill = sizeIn(text, std::string_view(option).substr(6));
        } else if (option.starts_with("fail=")) {
            spec.failAt = failureIn(text, std::string_view(option).substr(5));
        } else if (option.starts_with("lost=")) {
            spec.lostAt = numberIn(text, std::string_view(option).substr(5), message("a call"));
        } else if (!spec.capacity) {
            spec.capacity = sizeIn(text, option);
        } else {
            refuseDevice(text, message("{} is not understood", quotedName(option)));
        }
    }
}

}  // namespace

std::string_view nameOf(AllocationKind kind) noexcept {
    return kKindNames[static_cast<size_t>(kind)];
}

std::string DeviceSpec::id() const {
    return deviceKind(kind).idOf(index);
}

DeviceSpec parseDeviceSpec(std::string_view text) {
    const std::string clean = trim(text);
    const size_t colon = clean.find(':');
    DeviceSpec spec;
    spec.kind = clean.substr(0, colon);
    const DeviceKind* kind = findDeviceKind(spec.kind);
    if (!kind) {
        refuseDevice(text, message("there is no such kind of device"));
    }
    if (colon == std::string::npos) {
        return spec;
    }
    const std::string behind = clean.substr(colon + 1);
    if (behind.empty()) {
        refuseDevice(text, message("nothing follows the colon"));
    }
    if (kind->most == 1) {
        refuseDevice(text, message("it takes no options"));
    }
    const std::vector<std::string> options =
        kind->isRehearsed ? split(behind, ',') : std::vector<std::string>{behind};
    const std::optional<int> index = indexIn(text, *kind, options.front());
    spec.index = index.value_or(0);
    readRehearsed(spec, text, std::span(options).subspan(index ? 1 : 0));
    return spec;
}

std::string toText(const DeviceSpec& spec) {
    std::string text = spec.id();
    const auto add = [&](const std::string& option) {
        text += (text.find(':') == text.npos ? ":" : ",") + option;
    };
    if (spec.capacity) {
        add(std::to_string(*spec.capacity) + (*spec.capacity < kMostOfKind ? "B" : ""));
    }
    if (spec.spill) {
        add("spill=" + std::to_string(*spec.spill));
    }
    if (spec.failAt) {
        add("fail=" + (spec.failAt->kind ? std::string(nameOf(*spec.failAt->kind)) + ":" : "") +
            std::to_string(spec.failAt->number) +
            (spec.failAt->last > 0 ? "-" + std::to_string(spec.failAt->last) : ""));
    }
    if (spec.lostAt) {
        add("lost=" + std::to_string(*spec.lostAt));
    }
    return text;
}

namespace {

[[noreturn]] void refuseBudget(std::string_view text) {
    throw Error(ErrorKind::InvalidInput,
                message("the memory budget {} is no size, nor sizes of devices", quotedName(text)),
                message("write a size such as 6GiB or 800MiB, or one for each device such as "
                        "cuda:0=20GiB,cpu=8GiB"),
                "memory_budget");
}

[[noreturn]] void refuseTwice(std::string_view text) {
    throw Error(ErrorKind::InvalidInput,
                message("the memory budget {} has two sizes of one device", quotedName(text)),
                message("give each device one size, by its name alone"),
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
