#include "plugin/files/write_error.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/path_parts.hpp"

#include <cerrno>

namespace lowtide::files {

namespace {

std::string folderText(const std::string& path) {
    const std::string folder = folderOf(path);
    return folder == "." ? "the current folder" : "the folder " + quotedName(lastPart(folder));
}

/// What a person can change by choosing another place; empty for a fault of the machine.
std::string reasonOfPlace(const std::string& path, std::error_code code) {
    if (code == std::errc::no_such_file_or_directory) {
        return folderText(path) + " does not exist";
    }
    if (code == std::errc::not_a_directory) {
        return folderText(path) + " is not a folder";
    }
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        return "there is no permission to write in " + folderText(path);
    }
    if (code == std::errc::read_only_file_system) {
        return folderText(path) + " is on a disk that can only be read";
    }
    if (code == std::errc::is_a_directory) {
        return "a folder has that name";
    }
    if (code == std::errc::file_exists) {
        return "something that is not a folder has that name";
    }
    if (code == std::errc::filename_too_long) {
        return "the name is too long";
    }
    if (code == std::errc::too_many_symbolic_link_levels) {
        return folderText(path) + " is a link that leads nowhere";
    }
    return {};
}

bool isFull(std::error_code code) {
    return code == std::errc::no_space_on_device || code == std::errc::file_too_large ||
           code == std::error_code(EDQUOT, std::generic_category());
}

}  // namespace

WriteError writeError(std::string_view action, const std::string& path, std::error_code code) {
    const std::string failed =
        "cannot " + std::string(action) + " " + quotedName(lastPart(path)) + ": ";
    if (isFull(code)) {
        return {ErrorKind::Device,
                failed + "the disk is full",
                "free some space, or choose a folder on another disk"};
    }
    const std::string reason = reasonOfPlace(path, code);
    if (reason.empty()) {
        return {
            ErrorKind::Device, failed + code.message(), "check the disk, or choose another folder"};
    }
    return {ErrorKind::InvalidInput, failed + reason, "choose another folder"};
}

Error noRoomError(const std::string& path, Bytes bytes, Bytes free) {
    return {ErrorKind::Device,
            quotedName(lastPart(path)) + " takes " + formatBytes(bytes) + ", the disk of " +
                folderText(path) + " has " + formatBytes(free) + " free",
            "free " + formatBytes(bytes - free) + " there, or choose a folder on another disk"};
}

}  // namespace lowtide::files
