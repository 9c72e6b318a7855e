#include "plugin/files/path_parts.hpp"

namespace lowtide::files {

namespace {

std::string withoutSlashes(const std::string& path) {
    const size_t last = path.find_last_not_of('/');
    return last == std::string::npos ? path.substr(0, 1) : path.substr(0, last + 1);
}

}  // namespace

std::string lastPart(const std::string& path) {
    const std::string whole = withoutSlashes(path);
    const size_t slash = whole.rfind('/');
    return slash == std::string::npos || whole == "/" ? whole : whole.substr(slash + 1);
}

std::string folderOf(const std::string& path) {
    const std::string whole = withoutSlashes(path);
    const size_t slash = whole.rfind('/');
    return slash == std::string::npos ? "." : withoutSlashes(whole.substr(0, slash + 1));
}

}  // namespace lowtide::files
