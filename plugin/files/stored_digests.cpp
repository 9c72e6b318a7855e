#include "plugin/files/stored_digests.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::files {

namespace {

constexpr CacheTable::Form kDigests = {
    .file = "hashes.json", .member = "files", .format = 1, .largest = kMiB};
constexpr size_t kMostDigests = 1000;
constexpr size_t kDigits = 64;

Json identityJson(const FileIdentity& identity) {
    return {identity.size, identity.modifiedNanoseconds, identity.inode};
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

StoredDigests::StoredDigests(std::string folder)
    : isOn_(!folder.empty()), table_(std::move(folder), kDigests) {}

/// Entries are found by hashes of paths.
std::optional<std::string> StoredDigests::find(const std::string& path,
                                               const FileIdentity& identity) const {
    try {
        const Json entries = table_.entries();
        const Json entry =
            entries.is_object() ? entries.value(sha256Hex(path), Json()) : Json::object();
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
    if (!isOn_) {
        return;
    }
    try {
        table_.change([&](Json& entries) {
            try {
                forgetOldest(entries);
                entries[sha256Hex(path)] = {{"identity", identityJson(identity)},
                                            {"sha256", digest},
                                            {"number", nextNumber(entries)}};
            } catch (const std::exception&) {  // not readable: nothing in it can be kept
                entries = {
                    {sha256Hex(path),
                     {{"identity", identityJson(identity)}, {"sha256", digest}, {"number", 1}}}};
            }
        });
    } catch (const std::exception& error) {
        log(Level::Warning, std::string("a hash is not stored: ") + error.what());
    }
}

}  // namespace lowtide::files
