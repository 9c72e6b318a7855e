#pragma once
// SHA-256 of files, read once in the background, and what is kept of them on disk.

#include "plugin/base/stop_token.hpp"
#include "plugin/files/cache_table.hpp"
#include "plugin/files/input_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lowtide::files {

/// The file of FileDigests. What cannot be read or written is reported in the log and does without.
class StoredDigests {
public:
    /// Empty: nothing is stored.
    explicit StoredDigests(std::string folder);

    [[nodiscard]] bool isOn() const noexcept { return isOn_; }

    /// What is stored for the file at `path` as it is now; empty: nothing.
    [[nodiscard]] std::optional<std::string> find(const std::string& path,
                                                  const FileIdentity& identity) const;
    /// `stop` ends a wait for another process that changes the file; the digest is not stored then.
    void put(const std::string& path,
             const FileIdentity& identity,
             const std::string& digest,
             const StopToken& stop = {});

private:
    bool isOn_;
    CacheTable table_;
};

/// Which bytes of a file a digest is of.
enum class DigestedPart : uint8_t {
    All,
    Tensors,  ///< of a .safetensors file those behind its header, of others all
    Sample    ///< 64 KiB behind the first MiB, or as many of them as there are
};

/// SHA-256 of files, each read once, by a thread of its own: a large file takes seconds. A digest
/// is kept by the path and its identity (size, time of change, inode), in memory and in one file on
/// disk, where paths stand as hashes; another thread writes it. Thread-safe.
class FileDigests {
public:
    /// Keeps them in "hashes.json" of `folder`, which is made with the first one; empty: in memory
    /// alone.
    explicit FileDigests(std::string folder = {});
    ~FileDigests();
    FileDigests(const FileDigests&) = delete;
    FileDigests& operator=(const FileDigests&) = delete;

    /// Stops what is being read, stores what was read, and joins the threads. From then on of()
    /// throws Error{Cancelled} for what is not known. Before the process ends: OpenSSL takes its
    /// tables down then, and a thread that still hashes crashes.
    void stop();

    /// Begins to read those that are not known, behind what is read already.
    void begin(std::span<const std::string> paths, DigestedPart part = DigestedPart::All);
    /// Identity of a network's files: the SHA-256 of a single one, as sha256sum prints it, else
    /// that of the digests of all in their order. Waits for what is not known; Error{Cancelled}
    /// ends the waiting, the reading goes on for who asks next. Error{Corrupt} when a file changes
    /// meanwhile, and errors of InputFile.
    [[nodiscard]] std::string of(std::span<const std::string> paths,
                                 const StopToken& stop = {},
                                 DigestedPart part = DigestedPart::All);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lowtide::files
