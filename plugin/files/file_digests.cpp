#include "plugin/files/file_digests.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/readable_bytes.hpp"
#include "plugin/files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
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

/// Entries are numbered in the order in which they were put; -1: not by us.
int64_t numberOf(const Json& entry) {
    const auto number = entry.is_object() ? entry.find("number") : entry.end();
    return number != entry.end() && number->is_number_integer() ? number->get<int64_t>() : -1;
}

/// Makes space for one more: the entries that were put first go.
void forgetOldest(Json& entries) {
    while (entries.size() >= kMostDigests) {
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
        most = std::max(most, numberOf(entry));
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
                        const std::string& digest,
                        const StopToken& stop) {
    if (!isOn_) {
        return;
    }
    try {
        table_.change(
            [&](Json& entries) {
                forgetOldest(entries);
                entries[sha256Hex(path)] = {{"identity", identityJson(identity)},
                                            {"sha256", digest},
                                            {"number", nextNumber(entries)}};
            },
            stop);
    } catch (const std::exception& error) {
        log(Level::Warning, std::string("a hash is not stored: ") + error.what());
    }
}

namespace {

/// How often who waits looks at its stop token.
constexpr auto kStopPoll = std::chrono::milliseconds(10);

struct Digest {
    FileIdentity identity;
    std::string text;
    bool isStored = false;  ///< in the file, too
};

struct DigestKey {
    std::string path;
    DigestedPart part;

    auto operator<=>(const DigestKey&) const = default;

    /// No path has a zero byte.
    [[nodiscard]] std::string storedName() const {
        return part == DigestedPart::All
                   ? path
                   : path + '\0' + (part == DigestedPart::Tensors ? "tensors" : "sample");
    }
};

/// The first byte behind the header of a .safetensors file, whose length begins it.
Bytes tensorsBegin(const InputFile& file) {
    const Bytes size = file.identity().size;
    if (!toLower(file.name()).ends_with(".safetensors") || size < kLengthBytes) {
        return 0;
    }
    std::array<std::byte, kLengthBytes> length{};
    file.read(length, 0);
    const uint64_t header = ByteCursor(length, file.name()).number(kLengthBytes);
    const auto behind = static_cast<uint64_t>(size - kLengthBytes);
    return kLengthBytes + static_cast<Bytes>(std::min(header, behind));
}

std::string digestOfPart(const DigestKey& key, const StopToken& stop) {
    constexpr Bytes kSampleBytes = 64 * kKiB;
    const InputFile file(key.path);
    const Bytes size = file.identity().size;
    if (key.part == DigestedPart::Sample) {
        return sha256OfRange(file, std::min(kMiB, size), std::min(kMiB + kSampleBytes, size), stop);
    }
    const Bytes begin = key.part == DigestedPart::Tensors ? tensorsBegin(file) : 0;
    return sha256OfRange(file, begin, size, stop);
}

}  // namespace

struct FileDigests::State {
    explicit State(std::string folder) : stored(std::move(folder)) {}

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<DigestKey> asked;  ///< the first one is being read
    std::map<DigestKey, Digest> known;
    std::deque<std::pair<DigestKey, Digest>> unstored;
    std::map<DigestKey, Error> failed;  ///< reported once, to whoever waits
    bool isClosing = false;
    bool isRead = false;  ///< nothing more comes to be stored
    StopSource closing;
    StoredDigests stored;
    std::thread reading;
    std::thread storing;  ///< may wait for another process; nobody waits for it

    [[nodiscard]] bool isAsked(const DigestKey& key) const {
        return std::find(asked.begin(), asked.end(), key) != asked.end();
    }

    void ask(const DigestKey& key) {
        if (isClosing) {
            return;
        }
        asked.push_back(key);
        if (!reading.joinable()) {
            reading = std::thread([this] { readAll(); });
        }
        if (stored.isOn() && !storing.joinable()) {
            storing = std::thread([this] { storeAll(); });
        }
        changed.notify_all();
    }

    /// Notifies the thread by `isOver`, and joins it.
    void end(bool& isOver, std::thread& thread) {
        std::thread ending;
        {
            const std::lock_guard lock(mutex);
            isOver = true;
            ending = std::move(thread);
        }
        changed.notify_all();
        if (ending.joinable()) {
            ending.join();
        }
    }

    void readAll() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return isClosing || !asked.empty(); });
            if (isClosing) {
                return;
            }
            readNext(lock);
        }
    }

    void storeAll() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return isRead || !unstored.empty(); });
            if (unstored.empty()) {
                return;
            }
            storeNext(lock);
        }
    }

    void readNext(std::unique_lock<std::mutex>& lock) {
        const DigestKey key = asked.front();
        lock.unlock();
        std::optional<Digest> digest;
        std::optional<Error> failure;
        try {
            digest = read(key);
        } catch (const Error& error) {
            failure = error;
        } catch (const std::exception& error) {
            failure = Error(ErrorKind::Internal, Message(error.what()));
        }
        lock.lock();
        asked.pop_front();
        if (digest) {
            if (!digest->isStored && stored.isOn()) {
                unstored.emplace_back(key, *digest);
            }
            known.insert_or_assign(key, std::move(*digest));
        } else {
            failed.insert_or_assign(key, std::move(*failure));
        }
        changed.notify_all();
    }

    void storeNext(std::unique_lock<std::mutex>& lock) {
        const auto [key, digest] = std::move(unstored.front());
        unstored.pop_front();
        lock.unlock();
        try {
            stored.put(key.storedName(), digest.identity, digest.text, closing.token());
        } catch (const std::bad_alloc&) {  // without memory it is not stored
        }
        lock.lock();
    }

    Digest read(const DigestKey& key) {
        const FileIdentity identity = stampOfFile(key.path).identity;
        if (std::optional<std::string> text = stored.find(key.storedName(), identity)) {
            return {.identity = identity, .text = std::move(*text), .isStored = true};
        }
        Digest digest{.identity = identity, .text = digestOfPart(key, closing.token())};
        if (stampOfFile(key.path).identity != identity) {
            throw Error(ErrorKind::Corrupt,
                        message("a file changed while its hash was made"),
                        message("run again once it is written"));
        }
        return digest;
    }

    std::string waitFor(const DigestKey& key, const StopToken& stop) {
        std::unique_lock lock(mutex);
        failed.erase(key);
        bool mayBeOfBefore = isAsked(key);  // the file may have come since that reading began
        while (true) {
            const FileIdentity identity = stampOfFile(key.path).identity;
            const auto found = known.find(key);
            if (found != known.end() && found->second.identity == identity) {
                return found->second.text;
            }
            if (const auto failure = failed.find(key); failure != failed.end()) {
                const Error error = failure->second;
                failed.erase(failure);
                if (!mayBeOfBefore) {
                    throw error;
                }
                mayBeOfBefore = false;
            }
            if (found != known.end()) {  // of an earlier state of the file
                known.erase(found);
            }
            if (isClosing) {
                throw Error(ErrorKind::Cancelled,
                            message("the hash of a file was asked for after the end"));
            }
            if (!isAsked(key)) {
                ask(key);
            }
            changed.wait_for(lock, kStopPoll);
            stop.throwIfStopped();
        }
    }
};

FileDigests::FileDigests(std::string folder) : state_(std::make_unique<State>(std::move(folder))) {}

FileDigests::~FileDigests() {
    stop();
}

void FileDigests::stop() {
    state_->closing.cancel(CancelMode::Now);
    state_->end(state_->isClosing, state_->reading);
    state_->end(state_->isRead, state_->storing);
}

void FileDigests::begin(std::span<const std::string> paths, DigestedPart part) {
    const std::lock_guard lock(state_->mutex);
    for (const std::string& path : paths) {
        const DigestKey key{path, part};
        if (!state_->known.contains(key) && !state_->isAsked(key)) {
            state_->ask(key);
        }
    }
}

std::string FileDigests::of(std::span<const std::string> paths,
                            const StopToken& stop,
                            DigestedPart part) {
    begin(paths, part);
    std::string digests;
    for (const std::string& path : paths) {
        digests += state_->waitFor({path, part}, stop);
    }
    return paths.size() == 1 ? digests : sha256Hex(digests);
}

}  // namespace lowtide::files
