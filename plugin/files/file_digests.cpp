#include "plugin/files/file_digests.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/stored_digests.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace lowtide::files {

namespace {

/// How often who waits looks at its stop token.
constexpr auto kStopPoll = std::chrono::milliseconds(10);

struct Digest {
    FileIdentity identity;
    std::string text;
};

}  // namespace

struct FileDigests::State {
    explicit State(std::string folder) : stored(std::move(folder)) {}

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> asked;  ///< paths, the first one is being read
    std::map<std::string, Digest> known;
    std::map<std::string, Error> failed;  ///< told once, to who waits
    bool isClosing = false;
    StopSource closing;
    StoredDigests stored;
    std::thread thread;

    [[nodiscard]] bool isAsked(const std::string& path) const {
        return std::find(asked.begin(), asked.end(), path) != asked.end();
    }

    void ask(const std::string& path) {
        asked.push_back(path);
        if (!thread.joinable()) {
            thread = std::thread([this] { work(); });
        }
        changed.notify_all();
    }

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return isClosing || !asked.empty(); });
            if (isClosing) {
                return;
            }
            const std::string path = asked.front();
            lock.unlock();
            std::optional<Digest> digest;
            std::optional<Error> failure;
            try {
                digest = read(path);
            } catch (const Error& error) {
                failure = error;
            } catch (const std::exception& error) {
                failure = Error(ErrorKind::Internal, error.what());
            }
            lock.lock();
            asked.pop_front();
            if (digest) {
                known.insert_or_assign(path, std::move(*digest));
            } else {
                failed.insert_or_assign(path, std::move(*failure));
            }
            changed.notify_all();
        }
    }

    Digest read(const std::string& path) {
        const FileIdentity identity = stampOfFile(path).identity;
        if (std::optional<std::string> text = stored.find(path, identity)) {
            return {identity, std::move(*text)};
        }
        Digest digest{identity, sha256OfFile(path, closing.token())};
        if (stampOfFile(path).identity != identity) {
            throw Error(ErrorKind::Corrupt,
                        "a file changed while its hash was made",
                        "run again once it is written");
        }
        stored.put(path, identity, digest.text);
        return digest;
    }

    std::string waitFor(const std::string& path, const StopToken& stop) {
        std::unique_lock lock(mutex);
        failed.erase(path);
        bool mayBeOfBefore = isAsked(path);  // the file may have come since that reading began
        while (true) {
            const FileIdentity identity = stampOfFile(path).identity;
            const auto found = known.find(path);
            if (found != known.end() && found->second.identity == identity) {
                return found->second.text;
            }
            if (const auto failure = failed.find(path); failure != failed.end()) {
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
            if (!isAsked(path)) {
                ask(path);
            }
            changed.wait_for(lock, kStopPoll);
            stop.throwIfStopped();
        }
    }
};

FileDigests::FileDigests(std::string folder) : state_(std::make_unique<State>(std::move(folder))) {}

FileDigests::~FileDigests() {
    state_->closing.cancel(CancelMode::Now);
    {
        const std::lock_guard lock(state_->mutex);
        state_->isClosing = true;
    }
    state_->changed.notify_all();
    if (state_->thread.joinable()) {
        state_->thread.join();
    }
}

void FileDigests::begin(std::span<const std::string> paths) {
    const std::lock_guard lock(state_->mutex);
    for (const std::string& path : paths) {
        if (!state_->known.contains(path) && !state_->isAsked(path)) {
            state_->ask(path);
        }
    }
}

std::string FileDigests::of(std::span<const std::string> paths, const StopToken& stop) {
    begin(paths);
    std::string digests;
    for (const std::string& path : paths) {
        digests += state_->waitFor(path, stop);
    }
    return paths.size() == 1 ? digests : sha256Hex(digests);
}

}  // namespace lowtide::files
