#include "plugin/executor/profile_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <utility>

namespace lowtide::executor {

namespace {

constexpr size_t kMostProfiles = 16;  ///< machines that share a folder, versions, thread counts
constexpr files::CacheTable::Form kProfiles = {.file = "device_profiles.json",
                                               .member = "profiles",
                                               .format = 1,
                                               .largest = kMiB,
                                               .mostEntries = kMostProfiles};

std::string adviceFor(const std::string& device) {
    return "measure again: lowtide calibrate --device " + device;
}

/// What differs between a stored key and the one of now, in words.
std::string difference(const memory::ProfileKey& stored, const memory::ProfileKey& now) {
    const auto differ = [](const std::string& what, const auto& before, const auto& after) {
        return what + " was " + quotedName(before) + " and is " + quotedName(after);
    };
    if (stored.name != now.name) {
        return differ("the device", stored.name, now.name);
    }
    if (stored.processor != now.processor) {
        return differ("the processor", stored.processor, now.processor);
    }
    if (stored.numerics != now.numerics) {
        return differ("the build", stored.numerics, now.numerics);
    }
    return differ("the version", stored.version, now.version);
}

}  // namespace

ProfileStore::ProfileStore(std::string folder) : table_(std::move(folder), kProfiles) {}

FoundProfile ProfileStore::find(const memory::ProfileKey& key) const {
    const std::string unused = "the measured speeds of " + key.device + " are not used: ";
    try {
        std::optional<memory::DeviceProfile> profile;
        std::optional<memory::ProfileKey> other;
        for (const Json& entry : table_.entries()) {
            const auto measured = memory::readMeasuredProfile(entry, kProfiles.file);
            if (measured.key == key) {
                profile = profile ? profile : measured.profile;
            } else if (measured.key.device == key.device) {
                other = measured.key;
            }
        }
        if (profile) {
            return {.profile = profile, .problem = {}};
        }
        return {.profile = std::nullopt,
                .problem = other ? unused + difference(*other, key) + "; " + adviceFor(key.device)
                                 : std::string()};
    } catch (const Error& error) {
        return {.profile = std::nullopt,
                .problem = unused + error.message().str() + "; " + adviceFor(key.device)};
    }
}

void ProfileStore::store(const memory::MeasuredProfile& measured, const StopToken& stop) const {
    table_.put(
        memory::toJson(measured),
        [&](const Json& other) {
            return memory::readMeasuredProfile(other, kProfiles.file).key == measured.key;
        },
        stop);
}

}  // namespace lowtide::executor
