#include "plugin/files/input_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/os.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace lowtide::files {

namespace {

[[noreturn]] void refuseToOpen(const std::string& name, std::error_code code) {
    const bool absent =
        code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory ||
        code == std::errc::too_many_symbolic_link_levels || code == std::errc::filename_too_long;
    if (absent) {
        throw Error(ErrorKind::NotFound,
                    message("the file {} was not found", quotedName(name)),
                    message("check the path; it may have been moved or renamed"));
    }
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        throw Error(ErrorKind::Corrupt,
                    message("the file {} may not be read: permission denied", quotedName(name)),
                    message("give yourself the right to read it"));
    }
    if (code == std::errc::too_many_files_open ||
        code == std::errc::too_many_files_open_in_system) {
        throw Error(
            ErrorKind::Device,
            message("the file {} cannot be opened: too many files are open", quotedName(name)),
            message("close other programs or raise the limit (ulimit -n)"));
    }
    throw Error(ErrorKind::Corrupt,
                message("the file {} cannot be opened: {}", quotedName(name), code.message()));
}

void requireRegular(const std::string& name, os::FileKind kind) {
    if (kind == os::FileKind::Folder) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is a folder, a file is needed", quotedName(name)),
                    message("choose a file inside it"));
    }
    if (kind != os::FileKind::Regular) {
        throw Error(
            ErrorKind::Corrupt,
            message("{} is a device, pipe or socket, a regular file is needed", quotedName(name)));
    }
}

}  // namespace

struct InputFile::State {
    std::string path;
    std::string name;
    os::Descriptor file;
    FileIdentity identity;
    bool local = false;
    std::once_flag mapOnce;
    std::atomic<const std::byte*> map = nullptr;
    std::atomic<bool> isTruncated = false;

    ~State() {
        if (const std::byte* address = map.load()) {
            os::unmap(address, identity.size);
        }
    }
};

InputFile::InputFile(const std::string& path) : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->name = lastPart(path);
    if (path.empty()) {
        throw Error(
            ErrorKind::NotFound, message("no file name was given"), message("choose a file"));
    }
    if (path.find('\0') != std::string::npos) {
        refuseToOpen(state_->name, std::make_error_code(std::errc::no_such_file_or_directory));
    }
    if (const std::error_code code = os::openForReading(path, state_->file)) {
        os::FileStatus status;
        if (!os::statusOf(path, status)) {
            requireRegular(state_->name, status.kind);  // a socket cannot even be opened
        }
        refuseToOpen(state_->name, code);
    }
    os::FileStatus status;
    if (const std::error_code code = os::statusOf(state_->file, status)) {
        refuseToOpen(state_->name, code);
    }
    requireRegular(state_->name, status.kind);
    state_->identity = status.identity;
    state_->local = os::isLocal(state_->file);
}

InputFile::~InputFile() = default;

const std::string& InputFile::path() const {
    return state_->path;
}

std::string InputFile::name() const {
    return state_->name;
}

const FileIdentity& InputFile::identity() const {
    return state_->identity;
}

FileIdentity InputFile::identityNow() const {
    os::FileStatus status;
    return os::statusOf(state_->path, status) ? FileIdentity{} : status.identity;
}

bool InputFile::isUnchanged() const {
    os::FileStatus status;
    return !isTruncated() && !os::statusOf(state_->file, status) &&
           status.identity == state_->identity;
}

bool InputFile::isTruncated() const {
    return state_->isTruncated;
}

bool InputFile::isLocal() const {
    return state_->local;
}

void InputFile::read(std::span<std::byte> target, Bytes offset, const StopToken& stop) const {
    LOWTIDE_ASSERT(offset >= 0);
    while (!target.empty()) {
        stop.throwIfStopped();
        size_t count = 0;
        const auto piece = target.first(std::min<size_t>(target.size(), kReadPiece));
        if (const std::error_code code = os::readAt(state_->file, piece, offset, count)) {
            throw Error(ErrorKind::Corrupt,
                        message("the file {} cannot be read at byte {}: {}",
                                quotedName(state_->name),
                                offset,
                                code.message()),
                        message("check the disk, or copy the file again"));
        }
        if (count == 0) {
            throw Error(ErrorKind::Corrupt,
                        message("the file {} ends at byte {}, {} more bytes were expected",
                                quotedName(state_->name),
                                offset,
                                target.size()),
                        message("the file is incomplete: copy or download it again"));
        }
        target = target.subspan(count);
        offset += static_cast<Bytes>(count);
    }
}

std::string InputFile::readAll(Bytes limit) const {
    if (state_->identity.size > limit) {
        throw Error(ErrorKind::Corrupt,
                    message("the file {} is {} large, at most {} are read",
                            quotedName(state_->name),
                            formatBytes(state_->identity.size),
                            formatBytes(limit)));
    }
    std::string bytes(static_cast<size_t>(state_->identity.size), '\0');
    read(std::as_writable_bytes(std::span(bytes)), 0);
    return bytes;
}

const std::byte* InputFile::map() const {
    std::call_once(state_->mapOnce, [this] {
        if (state_->local && state_->identity.size > 0) {
            state_->map = os::map(state_->file, state_->identity.size, state_->isTruncated);
        }
    });
    return state_->map;
}

void InputFile::willNeed(Bytes offset, Bytes count) const noexcept {
    const std::byte* address = state_->map;
    const Bytes page = os::pageSize();
    const Bytes begin = std::max<Bytes>(offset, 0) / page * page;
    const Bytes end = std::min(offset + count, state_->identity.size);
    if (address && begin < end) {
        os::willNeed(address + begin, end - begin);
    }
}

void InputFile::dontNeed(Bytes offset, Bytes count) const noexcept {
    const std::byte* address = state_->map;
    const Bytes page = os::pageSize();
    const Bytes begin = alignUp(std::max<Bytes>(offset, 0), page);
    // Behind the last byte nobody shares the last page.
    const Bytes size = state_->identity.size;
    const Bytes end = offset + count >= size ? alignUp(size, page) : (offset + count) / page * page;
    if (address && begin < end) {
        os::dontNeed(address + begin, end - begin);
    }
}

FileStamp stampOfFile(const std::string& path) {
    os::FileStatus status;
    if (const std::error_code code = os::statusOf(path, status)) {
        refuseToOpen(lastPart(path), code);
    }
    requireRegular(lastPart(path), status.kind);
    return {.identity = status.identity, .isLocal = os::isLocal(path)};
}

void guardMaps() {
    os::guardMaps();
}

std::string sha256OfRange(const InputFile& file, Bytes begin, Bytes end, const StopToken& stop) {
    std::vector<std::byte> piece(static_cast<size_t>(std::min(end - begin, kReadPiece)));
    Hasher hasher;
    for (Bytes offset = begin; offset < end; offset += kReadPiece) {
        const auto part =
            std::span(piece).first(static_cast<size_t>(std::min(kReadPiece, end - offset)));
        file.read(part, offset, stop);
        hasher.addRaw(part);
    }
    return hasher.hexDigest();
}

std::string sha256OfFile(const std::string& path, const StopToken& stop) {
    const InputFile file(path);
    return sha256OfRange(file, 0, file.identity().size, stop);
}

}  // namespace lowtide::files
