#include "plugin/files/stored_digests.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::files {

namespace {

constexpr int64_t kDigestsFormat = 1;
constexpr const char* kDigestsFile = "hashes.json";
constexpr Bytes kLargestDigestsFile = kMiB;
constexpr size_t kMostDigests = 1000;
constexpr size_t kDigits = 64;

std::string digestsPath(const std::string& folder) {
    return (std::filesystem::path(folder) / kDigestsFile).string();
}

Json identityJson(const FileIdentity& identity) {
    return {identity.size, identity.modifiedNanoseconds, identity.inode};
}

/// From hashes of paths to entries; empty where there is no file.
Json storedEntries(const std::string& folder) {
    std::error_code failure;
    if (!std::filesystem::exists(digestsPath(folder), failure)) {
        return Json::object();
    }
    const Json json =
        parseJson(InputFile(digestsPath(folder)).readAll(kLargestDigestsFile), kDigestsFile);
    const JsonReader reader(json, kDigestsFile);
    const Json* files = reader.member("files");
    if (reader.integer("format") != kDigestsFormat || !files || !files->is_object()) {
        throw Error(ErrorKind::Corrupt,
                    std::string(kDigestsFile) + " was written by another version of this program");
    }
    return *files;
}

/// Room for one more: the entries that were put first go.
void forgetOldest(Json& entries) {
    while (entries.size() >= kMostDigests) {
        const auto numberOf = [](const Json& entry) {
            const auto number = entry.is_object() ? entry.find("number") : entry.end();
            return number != entry.end() && number->is_number_integer() ? number->get<int64_t>()
                                                                        : int64_t{-1};
        };
        auto oldest = entries.begin();
        for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
            oldest = numberOf(*entry) < numberOf(*oldest) ? entry : oldest;
        }
        entries.erase(oldest);
    }
}

int64_t nextNumber(const Json& entries) {
    int64_t most = 0;
    for (const Json& entry : entries) {
        most = std::max(most, entry.value("number", int64_t{0}));
    }
    return most + 1;
}

}  // namespace

std::optional<std::string> StoredDigests::find(const std::string& path,
                                               const FileIdentity& identity) const {
    if (folder_.empty()) {
        return std::nullopt;
    }
    try {
        const Json entries = storedEntries(folder_);
        const Json entry = entries.value(sha256Hex(path), Json());
        if (!entry.is_object() || entry.value("identity", Json()) != identityJson(identity)) {
            return std::nullopt;
        }
        std::string digest = entry.value("sha256", std::string());
        return digest.size() == kDigits ? std::optional(std::move(digest)) : std::nullopt;
    } catch (const std::exception& error) {
        log(Level::Warning, std::string("stored hashes are not used: ") + error.what());
        return std::nullopt;
    }
}

void StoredDigests::put(const std::string& path,
                        const FileIdentity& identity,
                        const std::string& digest) {
    if (folder_.empty()) {
        return;
    }
    try {
        Json entries = Json::object();
        try {
            entries = storedEntries(folder_);
            forgetOldest(entries);
            entries[sha256Hex(path)] = {{"identity", identityJson(identity)},
                                        {"sha256", digest},
                                        {"number", nextNumber(entries)}};
        } catch (const std::exception&) {  // not readable: nothing in it can be kept
            entries = {{sha256Hex(path),
                        {{"identity", identityJson(identity)}, {"sha256", digest}, {"number", 1}}}};
        }
        makeFolders(folder_);
        writeFileAtomically(digestsPath(folder_),
                            Json{{"format", kDigestsFormat}, {"files", entries}}.dump() + "\n");
    } catch (const std::exception& error) {
        log(Level::Warning, std::string("a hash is not stored: ") + error.what());
    }
}

}  // namespace lowtide::files
