#include "plugin/executor/profile_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::executor {

namespace {

/// Raised when the meaning of a number in the file changes.
constexpr int64_t kProfilesFormat = 1;
constexpr const char* kProfilesFile = "device_profiles.json";
constexpr Bytes kLargestProfiles = kMiB;
constexpr size_t kMostProfiles = 16;  ///< machines that share a folder, versions, thread counts

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

FoundProfile ProfileStore::find(const memory::ProfileKey& key) const {
    std::error_code failure;
    if (folder_.empty() || !std::filesystem::exists(path(), failure)) {
        return {};
    }
    const std::string unused = "the measured speeds of " + key.device + " are not used: ";
    try {
        const std::vector<memory::MeasuredProfile> all = readAll();
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

void ProfileStore::requireWritable() const {
    if (folder_.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no folder to keep measured speeds in",
                    "set HOME, or LOWTIDE_CACHE to a folder");
    }
    files::makeFolders(folder_);
    files::OutputFile probe(path());  // never committed: it goes with this scope
    probe.write(" ");
}

void ProfileStore::store(const memory::MeasuredProfile& measured) const {
    requireWritable();
    std::vector<memory::MeasuredProfile> all;
    try {
        all = readAll();
    } catch (const Error&) {
        all.clear();  // absent or not readable: nothing in it can be kept
    }
    std::erase_if(all, [&](const auto& other) { return other.key == measured.key; });
    all.push_back(measured);
    Json profiles = Json::array();
    for (size_t i = all.size() - std::min(all.size(), kMostProfiles); i < all.size(); ++i) {
        profiles.push_back(memory::toJson(all[i]));
    }
    files::writeFileAtomically(path(),
                               Json{{"format", kProfilesFormat}, {"profiles", profiles}}.dump(
                                   2, ' ', false, Json::error_handler_t::replace) +
                                   "\n");
}

std::string ProfileStore::path() const {
    return (std::filesystem::path(folder_) / kProfilesFile).string();
}

std::vector<memory::MeasuredProfile> ProfileStore::readAll() const {
    const std::string what = kProfilesFile;
    const Json json = parseJson(files::InputFile(path()).readAll(kLargestProfiles), what);
    const JsonReader reader(json, what);
    if (reader.integer("format") != kProfilesFormat) {
        throw Error(ErrorKind::Corrupt,
                    what + " was written by another version of this program",
                    "measure again: lowtide calibrate");
    }
    const Json* profiles = reader.member("profiles");
    if (!profiles || !profiles->is_array()) {
        throw Error(ErrorKind::Corrupt,
                    what + ": there are no profiles",
                    "measure again: lowtide calibrate");
    }
    std::vector<memory::MeasuredProfile> all;
    for (const Json& profile : *profiles) {
        all.push_back(memory::readMeasuredProfile(profile, what));
    }
    return all;
}

}  // namespace lowtide::executor
