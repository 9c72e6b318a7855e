#pragma once
// The system calls of this library. One implementation per operating system: os_linux.cpp.

#include "plugin/files/input_file.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace lowtide::files::os {

enum class FileKind : uint8_t { Regular, Folder, Other };

struct FileStatus {
    FileKind kind = FileKind::Other;
    FileIdentity identity;
};

/// An open file. Owns the system's handle.
class Descriptor {
public:
    Descriptor() = default;

    explicit Descriptor(int handle) : handle_(handle) {}

    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;

    [[nodiscard]] int handle() const noexcept { return handle_; }

    [[nodiscard]] bool isOpen() const noexcept { return handle_ >= 0; }

    /// Closes now; some file systems report a failed write only here.
    std::error_code close() noexcept;

private:
    int handle_ = -1;
};

// Every function that can fail returns the system's error code, empty on success, in the generic
// category.

/// Opens what is there without waiting for it (a FIFO, a device); the caller checks its kind.
[[nodiscard]] std::error_code openForReading(const std::string& path, Descriptor& file);
/// Makes a new file for writing; std::errc::file_exists when the path is taken.
[[nodiscard]] std::error_code createForWriting(const std::string& path, Descriptor& file);
/// Opens an empty file, made where it is not there, and locks it until it is closed;
/// std::errc::resource_unavailable_try_again while somebody else has it.
[[nodiscard]] std::error_code openLocked(const std::string& path, Descriptor& file);
[[nodiscard]] std::error_code statusOf(const Descriptor& file, FileStatus& status);
[[nodiscard]] std::error_code statusOf(const std::string& path, FileStatus& status);
/// Reads up to target.size() bytes at `offset`; `count` is 0 at the end of the file.
[[nodiscard]] std::error_code readAt(const Descriptor& file,
                                     std::span<std::byte> target,
                                     Bytes offset,
                                     size_t& count);
/// Writes all bytes behind what was written before.
[[nodiscard]] std::error_code writeAll(const Descriptor& file, std::span<const std::byte> bytes);
/// Returns when the contents are on the disk.
[[nodiscard]] std::error_code flush(const Descriptor& file);
/// Returns when the entries of a folder are on the disk, where its file system can report that.
[[nodiscard]] std::error_code flushFolder(const std::string& path);
/// Gives `from` the name `to`, replacing a file of that name in one step.
[[nodiscard]] std::error_code replaceFile(const std::string& from, const std::string& to);
/// Gives `from` the name `to`; std::errc::file_exists when something has that name, which is kept.
[[nodiscard]] std::error_code renameToNew(const std::string& from, const std::string& to);
/// The same for file systems whose rename always replaces (NFS): an empty file claims the name
/// first.
[[nodiscard]] std::error_code claimAndRename(const std::string& from, const std::string& to);
void removeFile(const std::string& path) noexcept;
[[nodiscard]] std::error_code makeFolder(const std::string& path);
/// Of the folder's file system, for this user; nothing where it cannot be asked or has no size.
[[nodiscard]] std::optional<Bytes> freeBytes(const std::string& folder) noexcept;

/// Whether the file lies on a disk of this machine that remains there: true for the file systems
/// that are known to.
[[nodiscard]] bool isLocal(const Descriptor& file) noexcept;
[[nodiscard]] bool isLocal(const std::string& path) noexcept;
/// The rule behind isLocal, for a file system's type number.
[[nodiscard]] bool isLocalFileSystem(uint64_t type) noexcept;

/// Maps `size` bytes of a file read-only; nullptr when the system refuses, or when maps are guarded
/// and there are too many. `isTruncated` is set when a guarded map lost bytes that were read.
[[nodiscard]] const std::byte* map(const Descriptor& file,
                                   Bytes size,
                                   std::atomic<bool>& isTruncated) noexcept;
void unmap(const std::byte* address, Bytes size) noexcept;
/// As files::guardMaps(): for maps that are made from now on.
void guardMaps() noexcept;
/// Advice for whole pages of a map.
void willNeed(const std::byte* address, Bytes size) noexcept;
void dontNeed(const std::byte* address, Bytes size) noexcept;
[[nodiscard]] Bytes pageSize() noexcept;

}  // namespace lowtide::files::os
