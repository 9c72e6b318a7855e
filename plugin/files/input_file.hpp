#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace lowtide::files {

/// What distinguishes one state of a file from another without reading it.
struct FileIdentity {
    Bytes size = 0;
    int64_t modifiedNanoseconds = 0;
    uint64_t inode = 0;

    bool operator==(const FileIdentity&) const = default;
};

/// Size of one read; cancel is polled between two of them.
inline constexpr Bytes kReadPiece = 16 * kMiB;

/// A file opened for reading. Thread-safe. Messages name the file by the name it was opened under,
/// without folders.
class InputFile {
public:
    /// Error{NotFound}, Error{Corrupt} (a folder, a device, no permission) or Error{Device} (too
    /// many open files) with the name and what to do. Never waits for what is no regular file.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] const std::string& path() const;
    /// The last part of the path.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] const FileIdentity& identity() const;
    /// The identity that the path has now; differs from identity() when the file was changed,
    /// replaced or removed.
    [[nodiscard]] FileIdentity identityNow() const;
    /// Whether the open file itself is as it was when it was opened, in size and time of change;
    /// replacing or removing its path changes nothing.
    [[nodiscard]] bool isUnchanged() const;
    /// Whether bytes of the map were read that the file had lost (they read as zero then); only
    /// where guardMaps() was called, else such a read ends the program.
    [[nodiscard]] bool isTruncated() const;
    /// On a local file system, where mapping is safe (network, FUSE, removable: pread).
    [[nodiscard]] bool isLocal() const;

    /// Reads exactly [offset, offset + target.size()), in pieces of kReadPiece. Error{Corrupt} when
    /// the file ends early or cannot be read, Error{Cancelled}.
    void read(std::span<std::byte> target, Bytes offset, const StopToken& stop = {}) const;
    /// The whole file. Error{Corrupt} when it is larger than `limit`.
    [[nodiscard]] std::string readAll(Bytes limit) const;

    /// Maps the whole file read-only, once. nullptr when it is not local, is empty or the system
    /// has no address space for the map: then read() it. The map lives as long as the file.
    [[nodiscard]] const std::byte* map() const;
    /// Advice for a range of the map: bring it in soon (rounded outward to whole pages), or let its
    /// pages go (rounded inward: a page that a neighbour uses too is kept). Without a map nothing
    /// happens.
    void willNeed(Bytes offset, Bytes count) const noexcept;
    void dontNeed(Bytes offset, Bytes count) const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// What is known of a regular file without opening it.
struct FileStamp {
    FileIdentity identity;
    bool isLocal = false;  ///< as InputFile::isLocal()
};

/// Error{NotFound}, Error{Corrupt} as InputFile.
[[nodiscard]] FileStamp stampOfFile(const std::string& path);

/// From now on files that are cut off while they are mapped do not end the program: what is lost
/// reads as zero and isTruncated() reports it. Installs the process's handler of SIGBUS, which
/// passes on what is not about our maps; for programs of our own and hosts that ask for it
/// (decision 0012).
void guardMaps();

/// SHA-256 of the bytes from `begin` to `end` as 64 hexadecimal digits.
[[nodiscard]] std::string sha256OfRange(const InputFile& file,
                                        Bytes begin,
                                        Bytes end,
                                        const StopToken& stop = {});
/// The same of a whole file.
[[nodiscard]] std::string sha256OfFile(const std::string& path, const StopToken& stop = {});

}  // namespace lowtide::files
