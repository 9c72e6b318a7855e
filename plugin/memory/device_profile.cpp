#include "plugin/memory/device_profile.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::memory {

namespace {

/// A number of a profile: its name in JSON and what a device can have.
struct Speed {
    const char* key;
    double DeviceProfile::*value;
    double least;
    double most;
};

constexpr std::array<Speed, 8> kSpeeds = {{
    {"copy_bytes_per_second", &DeviceProfile::copyBytesPerSecond, 1e3, 1e15},
    {"converted_bytes_per_second", &DeviceProfile::convertedBytesPerSecond, 0, 1e15},
    {"mapped_bytes_per_second", &DeviceProfile::mappedBytesPerSecond, 0, 1e15},
    {"pinned_bytes_per_second", &DeviceProfile::pinnedBytesPerSecond, 0, 1e15},
    {"copy_overhead_seconds", &DeviceProfile::copyOverhead, 0, 10},
    {"compute_of_copies", &DeviceProfile::computeOfCopies, 0, 1},
    {"flops_per_second", &DeviceProfile::flopsPerSecond, 1e3, 1e21},
    {"leaf_overhead_seconds", &DeviceProfile::leafOverhead, 0, 10},
}};

[[noreturn]] void refuseProfile(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("measure again: lowtide calibrate"));
}

std::string requiredText(const JsonReader& reader, const char* key) {
    const std::optional<std::string> text = reader.text(key);
    if (!text || text->empty()) {
        refuseProfile(reader.what(), message("{} is missing", key));
    }
    return *text;
}

/// "2026-11-21": it is printed, so nothing else may stand there.
std::string dayOf(const JsonReader& reader) {
    constexpr std::string_view kForm = "dddd-dd-dd";
    std::string day = requiredText(reader, "measured_on");
    bool isDay = day.size() == kForm.size();
    for (size_t i = 0; isDay && i < day.size(); ++i) {
        isDay = kForm[i] == 'd' ? day[i] >= '0' && day[i] <= '9' : day[i] == kForm[i];
    }
    if (!isDay) {
        refuseProfile(reader.what(), message("measured_on is no day"));
    }
    return day;
}

}  // namespace

Seconds DeviceProfile::copySeconds(Bytes bytes, Bytes converted) const {
    const double conversion =
        convertedBytesPerSecond > 0 ? convertedBytesPerSecond : copyBytesPerSecond;
    return copyOverhead + static_cast<double>(bytes - converted) / copyBytesPerSecond +
           static_cast<double>(converted) / conversion;
}

Seconds DeviceProfile::pinnedSeconds(Bytes bytes) const {
    return pinnedBytesPerSecond > 0
               ? copyOverhead + static_cast<double>(bytes) / pinnedBytesPerSecond
               : copySeconds(bytes, 0);
}

Seconds DeviceProfile::mappedSeconds(Bytes bytes) const {
    return mappedBytesPerSecond > 0 ? static_cast<double>(bytes) / mappedBytesPerSecond
                                    : copySeconds(bytes, 0);
}

Seconds DeviceProfile::leafSeconds(double flops, DType compute, Bytes weights) const {
    const double half = compute == DType::F16    ? f16FlopsPerSecond
                        : compute == DType::BF16 ? bf16FlopsPerSecond
                                                 : 0;
    const double read =
        memoryBytesPerSecond > 0 ? static_cast<double>(weights) / memoryBytesPerSecond : 0;
    return leafOverhead + std::max(flops / (half > 0 ? half : flopsPerSecond), read);
}

DeviceProfile DeviceProfile::paced(double pace) const {
    DeviceProfile slower = *this;
    slower.leafOverhead *= pace;
    for (double DeviceProfile::*rate : {&DeviceProfile::flopsPerSecond,
                                        &DeviceProfile::f16FlopsPerSecond,
                                        &DeviceProfile::bf16FlopsPerSecond,
                                        &DeviceProfile::memoryBytesPerSecond}) {
        slower.*rate /= pace;
    }
    return slower;
}

DeviceProfile estimatedProfile(std::string_view kind) {
    return deviceKind(kind).estimatedProfile();
}

Json toJson(const DeviceProfile& profile) {
    Json json = Json::object();
    for (const Speed& speed : kSpeeds) {
        json[speed.key] = profile.*speed.value;
    }
    return json;
}

Json toJson(const MeasuredProfile& measured) {
    const ProfileKey& key = measured.key;
    return {{"device", key.device},
            {"name", key.name},
            {"processor", key.processor},
            {"numerics", key.numerics},
            {"version", key.version},
            {"measured_on", measured.profile.measuredOn},
            {"speeds", toJson(measured.profile)}};
}

MeasuredProfile readMeasuredProfile(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    MeasuredProfile measured{.key = {.device = requiredText(reader, "device"),
                                     .name = requiredText(reader, "name"),
                                     .processor = requiredText(reader, "processor"),
                                     .numerics = requiredText(reader, "numerics"),
                                     .version = requiredText(reader, "version")},
                             .profile = {.measuredOn = dayOf(reader)}};
    const Json* speeds = reader.member("speeds");
    if (!speeds) {
        refuseProfile(what, message("speeds is missing"));
    }
    const JsonReader numbers(*speeds, what);
    for (const Speed& speed : kSpeeds) {
        const std::optional<double> value = numbers.number(speed.key);
        if (!value || !std::isfinite(*value) || *value < speed.least || *value > speed.most) {
            refuseProfile(what, message("{} is no speed of a device", speed.key));
        }
        measured.profile.*speed.value = *value;
    }
    return measured;
}

}  // namespace lowtide::memory
