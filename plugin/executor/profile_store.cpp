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

std::vector<memory::MeasuredProfile> profilesIn(const Json& entries) {
    if (entries.is_object()) {
        throw Error(ErrorKind::Corrupt, std::string(kProfiles.file) + ": there are no profiles");
    }
    std::vector<memory::MeasuredProfile> all;
    for (const Json& entry : entries) {
        all.push_back(memory::readMeasuredProfile(entry, kProfiles.file));
    }
    return all;
}

/// All but those of a key; none where one cannot be read.
Json profilesBeside(const Json& entries, const memory::ProfileKey& key) {
    Json kept = Json::array();
    try {
        for (const memory::MeasuredProfile& other : profilesIn(entries)) {
            if (!(other.key == key)) {
                kept.push_back(memory::toJson(other));
            }
        }
        return kept;
    } catch (const Error&) {
        return Json::array();
    }
}

}  // namespace

ProfileStore::ProfileStore(std::string folder) : table_(std::move(folder), kProfiles) {}

FoundProfile ProfileStore::find(const memory::ProfileKey& key) const {
    const std::string unused = "the measured speeds of " + key.device + " are not used: ";
    try {
        const std::vector<memory::MeasuredProfile> all = profilesIn(table_.entries());
        const memory::MeasuredProfile* other = nullptr;
        for (const memory::MeasuredProfile& measured : all) {
            if (measured.key == key) {
                return {.profile = measured.profile, .problem = {}};
            }
            other = measured.key.device == key.device ? &measured : other;
        }
        return {.profile = std::nullopt,
                .problem = other
                               ? unused + difference(other->key, key) + "; " + adviceFor(key.device)
                               : std::string()};
    } catch (const Error& error) {
        return {.profile = std::nullopt,
                .problem = unused + error.message() + "; " + adviceFor(key.device)};
    }
}

void ProfileStore::store(const memory::MeasuredProfile& measured) const {
    table_.change([&](Json& entries) {
        entries = profilesBeside(entries, measured.key);
        entries.push_back(memory::toJson(measured));
    });
}

}  // namespace lowtide::executor
