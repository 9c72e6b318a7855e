#include "plugin/files/os.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace lowtide::files::os {

namespace {

/// File systems where a mapped page cannot vanish with a network, a daemon or a pulled cable. What
/// is not listed counts as not local: reading it costs a copy, mapping it can cost the process.
constexpr std::array<uint64_t, 13> kLocalTypes = {
    EXT4_SUPER_MAGIC,  // ext2 and ext3 have the same number
    BTRFS_SUPER_MAGIC,
    XFS_SUPER_MAGIC,
    TMPFS_MAGIC,
    RAMFS_MAGIC,
    OVERLAYFS_SUPER_MAGIC,
    F2FS_SUPER_MAGIC,
    NILFS_SUPER_MAGIC,
    REISERFS_SUPER_MAGIC,
    SQUASHFS_MAGIC,
    EROFS_SUPER_MAGIC_V1,
    0x2FC12FC1,  // ZFS
    0xCA451A4E,  // bcachefs
};

/// The kernel transfers at most 0x7ffff000 bytes a call.
constexpr size_t kMaxTransfer = 1u << 30;

std::error_code lastError() {
    return {errno, std::generic_category()};
}

std::error_code check(int result) {
    return result < 0 ? lastError() : std::error_code();
}

/// Runs a call again while signals interrupt it.
template <class Call>
auto retried(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

std::error_code openWith(const std::string& path, int flags, Descriptor& file) {
    constexpr mode_t kMode = 0666;
    const int handle = retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kMode); });
    if (handle < 0) {
        return lastError();
    }
    file = Descriptor(handle);
    return {};
}

FileStatus statusFrom(const struct stat& info) {
    FileStatus status;
    status.kind = S_ISREG(info.st_mode)   ? FileKind::Regular
                  : S_ISDIR(info.st_mode) ? FileKind::Folder
                                          : FileKind::Other;
    status.identity = {
        .size = info.st_size,
        .modifiedNanoseconds = info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec,
        .inode = info.st_ino};
    return status;
}

/// Some file systems cannot flush (EINVAL, ENOTSUP): then nothing more can be done than was done.
std::error_code flushHandle(int handle) {
    const std::error_code code = check(retried([&] { return ::fsync(handle); }));
    const bool cannot =
        code == std::errc::invalid_argument || code == std::errc::operation_not_supported;
    return cannot ? std::error_code() : code;
}

/// The maps whose lost bytes read as zero. A signal handler reads it, so it is of the process and
/// made of atomics alone.
struct GuardedMaps {
    struct Entry {
        std::atomic<uintptr_t> begin = 0;  ///< 0: free; 1: being filled
        std::atomic<uintptr_t> end = 0;
        std::atomic<std::atomic<bool>*> isTruncated = nullptr;
    };

    bool add(const void* address, Bytes size, std::atomic<bool>& isTruncated) noexcept {
        for (Entry& entry : entries) {
            uintptr_t free = 0;
            if (entry.begin.compare_exchange_strong(free, 1)) {
                const auto begin = reinterpret_cast<uintptr_t>(address);
                entry.end = begin + static_cast<uintptr_t>(alignUp(size, static_cast<Bytes>(page)));
                entry.isTruncated = &isTruncated;
                entry.begin = begin;
                return true;
            }
        }
        return false;
    }

    void remove(const void* address) noexcept {
        for (Entry& entry : entries) {
            if (entry.begin == reinterpret_cast<uintptr_t>(address)) {
                entry.end = 0;
                entry.begin = 0;
            }
        }
    }

    static constexpr size_t kMost = 1024;
    std::array<Entry, kMost> entries;
    const uintptr_t page = static_cast<uintptr_t>(pageSize());
    std::atomic<bool> isOn = false;

    struct sigaction before {};
};

GuardedMaps guarded;

/// Puts zeros in the place of what the file lost. Only calls that are allowed in a handler, and
/// mmap, which is a system call without a lock of the C library.
bool replaceWithZeros(uintptr_t address) noexcept {
    for (GuardedMaps::Entry& entry : guarded.entries) {
        const uintptr_t begin = entry.begin;
        const uintptr_t end = entry.end;
        std::atomic<bool>* isTruncated = entry.isTruncated;
        // The entry may have passed to another map meanwhile.
        if (begin <= 1 || entry.begin != begin || address < begin || address >= end) {
            continue;
        }
        const uintptr_t page = address / guarded.page * guarded.page;
        void* position = reinterpret_cast<void*>(page);
        constexpr int kFlags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        if (::mmap(position, end - page, PROT_READ, kFlags, -1, 0) == MAP_FAILED) {
            return false;
        }
        *isTruncated = true;
        return true;
    }
    return false;
}

/// What is not about our maps goes to the handler that was there before us.
void passOn(int signal, siginfo_t* info, void* context, bool isFault) noexcept {
    const struct sigaction& before = guarded.before;
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL || (before.sa_handler == SIG_IGN && isFault)) {
        ::sigaction(signal, &before, nullptr);
        if (!isFault) {
            ::raise(signal);
        }  // else the access is tried again and ends the program
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    }
}

void onBusError(int signal, siginfo_t* info, void* context) noexcept {
    const int error = errno;
    const bool isFault = info->si_code > 0;  // else a process sent it, and there is no address
    if (!isFault || !replaceWithZeros(reinterpret_cast<uintptr_t>(info->si_addr))) {
        passOn(signal, info, context, isFault);
    }
    errno = error;
}

void advise(const std::byte* address, Bytes size, int advice) noexcept {
    ::madvise(const_cast<std::byte*>(address), static_cast<size_t>(size), advice);
}

}  // namespace

Descriptor::~Descriptor() {
    close();
}

Descriptor::Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
}

std::error_code Descriptor::close() noexcept {
    const int handle = std::exchange(handle_, -1);
    return handle < 0 ? std::error_code() : check(::close(handle));
}

std::error_code openForReading(const std::string& path, Descriptor& file) {
    return openWith(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, file);
}

std::error_code createForWriting(const std::string& path, Descriptor& file) {
    return openWith(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, file);
}

std::error_code openLocked(const std::string& path, Descriptor& file) {
    Descriptor opened;
    const std::error_code code = openWith(path, O_RDWR | O_CREAT | O_NOFOLLOW, opened);
    if (code) {
        return code;
    }
    if (retried([&] { return ::flock(opened.handle(), LOCK_EX | LOCK_NB); }) < 0) {
        return lastError();
    }
    file = std::move(opened);
    return {};
}

std::error_code statusOf(const Descriptor& file, FileStatus& status) {
    struct stat info {};

    const std::error_code code = check(::fstat(file.handle(), &info));
    status = statusFrom(info);
    return code;
}

std::error_code statusOf(const std::string& path, FileStatus& status) {
    struct stat info {};

    const std::error_code code = check(::stat(path.c_str(), &info));
    status = statusFrom(info);
    return code;
}

std::error_code readAt(const Descriptor& file,
                       std::span<std::byte> target,
                       Bytes offset,
                       size_t& count) {
    const ssize_t got = retried([&] {
        return ::pread(file.handle(), target.data(), std::min(target.size(), kMaxTransfer), offset);
    });
    count = got < 0 ? 0 : static_cast<size_t>(got);
    return got < 0 ? lastError() : std::error_code();
}

std::error_code writeAll(const Descriptor& file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = retried([&] {
            return ::write(file.handle(), bytes.data(), std::min(bytes.size(), kMaxTransfer));
        });
        if (put < 0) {
            return lastError();
        }
        bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return {};
}

std::error_code flush(const Descriptor& file) {
    return flushHandle(file.handle());
}

std::error_code flushFolder(const std::string& path) {
    Descriptor folder;
    const std::error_code code = openWith(path, O_RDONLY | O_DIRECTORY, folder);
    if (code == std::errc::permission_denied) {
        return {};  // a folder that may be written but not listed
    }
    return code ? code : flushHandle(folder.handle());
}

std::error_code replaceFile(const std::string& from, const std::string& to) {
    return check(::rename(from.c_str(), to.c_str()));
}

std::error_code renameToNew(const std::string& from, const std::string& to) {
    const std::error_code code =
        check(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
    const bool isUnknown = code == std::errc::invalid_argument ||
                           code == std::errc::function_not_supported ||
                           code == std::errc::operation_not_supported;
    return isUnknown ? claimAndRename(from, to) : code;
}

std::error_code claimAndRename(const std::string& from, const std::string& to) {
    Descriptor claim;
    std::error_code code = createForWriting(to, claim);
    if (code) {
        return code;
    }
    code = replaceFile(from, to);
    if (code) {
        removeFile(to);
    }
    return code;
}

void removeFile(const std::string& path) noexcept {
    ::unlink(path.c_str());
}

std::error_code makeFolder(const std::string& path) {
    constexpr mode_t kMode = 0777;
    return check(::mkdir(path.c_str(), kMode));
}

std::optional<Bytes> freeBytes(const std::string& folder) noexcept {
    struct statvfs info {};

    const bool isKnown = retried([&] { return ::statvfs(folder.c_str(), &info); }) == 0;
    return isKnown && info.f_blocks > 0 ? std::optional(static_cast<Bytes>(info.f_bavail) *
                                                        static_cast<Bytes>(info.f_frsize))
                                        : std::nullopt;
}

bool isLocal(const Descriptor& file) noexcept {
    struct statfs info {};

    if (retried([&] { return ::fstatfs(file.handle(), &info); }) < 0) {
        return false;
    }
    return isLocalFileSystem(static_cast<uint32_t>(info.f_type));
}

bool isLocal(const std::string& path) noexcept {
    struct statfs info {};

    return retried([&] { return ::statfs(path.c_str(), &info); }) == 0 &&
           isLocalFileSystem(static_cast<uint32_t>(info.f_type));
}

bool isLocalFileSystem(uint64_t type) noexcept {
    return std::find(kLocalTypes.begin(), kLocalTypes.end(), type) != kLocalTypes.end();
}

const std::byte* map(const Descriptor& file, Bytes size, std::atomic<bool>& isTruncated) noexcept {
    void* address =
        ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_SHARED, file.handle(), 0);
    if (address == MAP_FAILED) {
        return nullptr;
    }
    if (guarded.isOn && !guarded.add(address, size, isTruncated)) {
        ::munmap(address, static_cast<size_t>(size));
        return nullptr;
    }
    return static_cast<const std::byte*>(address);
}

void guardMaps() noexcept {
    static const bool isInstalled = [] {
        struct sigaction action {};

        action.sa_sigaction = &onBusError;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &guarded.before) == 0;
    }();
    guarded.isOn = isInstalled;
}

void unmap(const std::byte* address, Bytes size) noexcept {
    guarded.remove(address);
    ::munmap(const_cast<std::byte*>(address), static_cast<size_t>(size));
}

void willNeed(const std::byte* address, Bytes size) noexcept {
    advise(address, size, MADV_WILLNEED);
}

void dontNeed(const std::byte* address, Bytes size) noexcept {
    advise(address, size, MADV_DONTNEED);
}

Bytes pageSize() noexcept {
    return ::sysconf(_SC_PAGESIZE);
}

}  // namespace lowtide::files::os
