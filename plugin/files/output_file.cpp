#include "plugin/files/output_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/os.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

namespace lowtide::files {

namespace {

Message folderText(const std::string& path) {
    const std::string folder = folderOf(path);
    return folder == "." ? message("the current folder")
                         : message("the folder {}", quotedName(lastPart(folder)));
}

Message failedTo(Attempt attempt, const std::string& name) {
    return attempt == Attempt::Write ? message("cannot write {}", quotedName(name))
                                     : message("cannot make the folder {}", quotedName(name));
}

/// What a user can change by choosing another folder; empty for a fault of the machine.
Message reasonOfPath(const std::string& path, std::error_code code) {
    if (code == std::errc::no_such_file_or_directory) {
        return message("{} does not exist", folderText(path));
    }
    if (code == std::errc::not_a_directory) {
        return message("{} is not a folder", folderText(path));
    }
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        return message("there is no permission to write in {}", folderText(path));
    }
    if (code == std::errc::read_only_file_system) {
        return message("{} is on a disk that can only be read", folderText(path));
    }
    if (code == std::errc::is_a_directory) {
        return message("a folder has that name");
    }
    if (code == std::errc::file_exists) {
        return message("something that is not a folder has that name");
    }
    if (code == std::errc::filename_too_long) {
        return message("the name is too long");
    }
    if (code == std::errc::too_many_symbolic_link_levels) {
        return message("{} is a link that leads nowhere", folderText(path));
    }
    return {};
}

bool isFull(std::error_code code) {
    return code == std::errc::no_space_on_device || code == std::errc::file_too_large ||
           code == std::error_code(EDQUOT, std::generic_category());
}

}  // namespace

WriteError writeError(Attempt attempt, const std::string& path, std::error_code code) {
    const Message failed = failedTo(attempt, lastPart(path));
    if (isFull(code)) {
        return {ErrorKind::Device,
                message("{}: the disk is full", failed),
                message("free some space, or choose a folder on another disk")};
    }
    const Message reason = reasonOfPath(path, code);
    if (reason.empty()) {
        return {ErrorKind::Device,
                message("{}: {}", failed, code.message()),
                message("check the disk, or choose another folder")};
    }
    return {ErrorKind::InvalidInput,
            message("{}: {}", failed, reason),
            message("choose another folder")};
}

Error noSpaceError(const std::string& path, Bytes bytes, Bytes free) {
    return {
        ErrorKind::Device,
        message("{} takes {}, the disk of {} has {} free",
                quotedName(lastPart(path)),
                formatBytes(bytes),
                folderText(path),
                formatBytes(free)),
        message("free {} there, or choose a folder on another disk", formatBytes(bytes - free))};
}

std::optional<Bytes> freeBytesAt(const std::string& path) {
    return os::freeBytes(folderOf(path));
}

void requireSpace(const std::string& path, Bytes bytes, const FreeBytes& freeBytes) {
    const std::optional<Bytes> free = freeBytes(path);
    if (free && *free < bytes) {
        throw noSpaceError(path, bytes, *free);
    }
}

namespace {

/// File systems take names up to 255 bytes; this leaves space for what a temporary name adds.
constexpr size_t kMaxNameInTemporary = 200;
/// Two of 2^64 random names in one folder meet never; a few tries cover a bad source of randomness.
constexpr int kNameTries = 8;

std::string randomHex() {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::random_device source;
    std::string text;
    for (int word = 0; word < 2; ++word) {
        uint32_t bits = source();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4) {
            text += kHexDigits[bits & 15];
        }
    }
    return text;
}

std::string temporarySibling(const std::string& path) {
    const std::string name = lastPart(path).substr(0, kMaxNameInTemporary);
    return (std::filesystem::path(folderOf(path)) / ("." + name + "." + randomHex() + ".tmp"))
        .string();
}

void requireName(Attempt attempt, const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        throw Error(ErrorKind::InvalidInput,
                    message("{}: that is not a usable name", failedTo(attempt, path)),
                    message("choose another name"));
    }
}

/// Only a regular file may be replaced: a device or pipe of that name must survive.
void requireReplaceable(const std::string& path) {
    os::FileStatus status;
    if (path.back() == '/') {
        throw writeError(Attempt::Write, path, std::make_error_code(std::errc::is_a_directory));
    }
    if (os::statusOf(path, status)) {
        return;  // nothing there, or creating the file reports what is wrong
    }
    if (status.kind == os::FileKind::Folder) {
        throw writeError(Attempt::Write, path, std::make_error_code(std::errc::is_a_directory));
    }
    if (status.kind == os::FileKind::Other) {
        throw Error(
            ErrorKind::InvalidInput,
            message("cannot write {}: it is a device, pipe or socket", quotedName(lastPart(path))),
            message("choose the name of a regular file"));
    }
}

void makeOneFolder(const std::string& path) {
    os::FileStatus status;
    if (!os::statusOf(path, status) && status.kind == os::FileKind::Folder) {
        return;
    }
    const std::error_code code = os::makeFolder(path);
    if (!code) {
        return;
    }
    const bool madeMeanwhile = code == std::errc::file_exists && !os::statusOf(path, status) &&
                               status.kind == os::FileKind::Folder;
    if (!madeMeanwhile) {
        throw writeError(Attempt::MakeFolder, path, code);
    }
}

}  // namespace

struct OutputFile::State {
    std::string path;
    std::string temporary;
    os::Descriptor file;

    void check(std::error_code code) const {
        if (code) {
            throw writeError(Attempt::Write, path, code);
        }
    }
};

OutputFile::OutputFile(std::string path) : state_(std::make_unique<State>()) {
    requireName(Attempt::Write, path);
    requireReplaceable(path);
    state_->path = std::move(path);
    std::error_code code;
    for (int attempt = 0; attempt < kNameTries; ++attempt) {
        state_->temporary = temporarySibling(state_->path);
        code = os::createForWriting(state_->temporary, state_->file);
        if (code != std::errc::file_exists) {
            break;
        }
    }
    state_->check(code);
}

OutputFile::~OutputFile() {
    if (!state_->temporary.empty()) {
        os::removeFile(state_->temporary);
    }
}

const std::string& OutputFile::temporary() const {
    return state_->temporary;
}

void OutputFile::write(std::span<const std::byte> bytes) {
    LOWTIDE_ASSERT(state_->file.isOpen());
    state_->check(os::writeAll(state_->file, bytes));
}

void OutputFile::write(std::string_view text) {
    write(std::as_bytes(std::span(text)));
}

void OutputFile::commit() {
    end();
    state_->check(os::replaceFile(state_->temporary, state_->path));
    state_->temporary.clear();
    state_->check(os::flushFolder(folderOf(state_->path)));
}

std::string OutputFile::commitAsNew(const std::function<std::string()>& next) {
    end();
    std::error_code code = os::renameToNew(state_->temporary, state_->path);
    while (code == std::errc::file_exists) {
        state_->path = next();
        code = os::renameToNew(state_->temporary, state_->path);
    }
    state_->check(code);
    state_->temporary.clear();
    state_->check(os::flushFolder(folderOf(state_->path)));
    return state_->path;
}

void OutputFile::end() {
    LOWTIDE_ASSERT(state_->file.isOpen());
    state_->check(os::flush(state_->file));
    state_->check(state_->file.close());
}

void writeFileAtomically(const std::string& path, std::string_view bytes) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
}

std::string writeNewFile(const std::function<std::string()>& next, std::string_view bytes) {
    OutputFile file(next());
    file.write(bytes);
    return file.commitAsNew(next);
}

void makeFolders(const std::string& path) {
    requireName(Attempt::MakeFolder, path);
    std::filesystem::path made;
    for (const std::filesystem::path& part : std::filesystem::path(path)) {
        if (!part.empty()) {
            made /= part;
            makeOneFolder(made.string());
        }
    }
}

void writePieces(
    OutputFile& file, Bytes total, Bytes block, const FillPiece& fill, const StopToken& stop) {
    std::vector<std::byte> piece(static_cast<size_t>(std::min(total, kReadPiece / block * block)));
    for (Bytes offset = 0; offset < total; offset += static_cast<Bytes>(piece.size())) {
        stop.throwIfStopped();
        piece.resize(
            static_cast<size_t>(std::min(static_cast<Bytes>(piece.size()), total - offset)));
        fill(piece, offset);
        file.write(piece);
    }
}

}  // namespace lowtide::files
