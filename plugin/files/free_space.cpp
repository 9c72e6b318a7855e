#include "plugin/files/free_space.hpp"

#include "plugin/files/os.hpp"
#include "plugin/files/path_parts.hpp"
#include "plugin/files/write_error.hpp"

namespace lowtide::files {

std::optional<Bytes> freeBytesAt(const std::string& path) {
    return os::freeBytes(folderOf(path));
}

void requireRoom(const std::string& path, Bytes bytes, const FreeBytes& freeBytes) {
    const std::optional<Bytes> free = freeBytes(path);
    if (free && *free < bytes) {
        throw noRoomError(path, bytes, *free);
    }
}

}  // namespace lowtide::files
