#include "plugin/files/paths.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>

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

namespace {

/// Bytes of the UTF-8 character that begins there; 0: none does.
size_t characterAt(std::string_view text, size_t at) {
    constexpr size_t kLongest = 4;
    for (size_t length = 1; length <= std::min(kLongest, text.size() - at); ++length) {
        if (isValidUtf8(text.substr(at, length))) {
            return length;
        }
    }
    return 0;
}

}  // namespace

std::string pathText(std::string_view path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text;
    for (size_t at = 0; at < path.size();) {
        const size_t length = characterAt(path, at);
        if (length == 0) {
            const auto byte = static_cast<unsigned char>(path[at]);
            text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
        } else {
            text += path.substr(at, length);
        }
        at += std::max<size_t>(length, 1);
    }
    return text;
}

}  // namespace lowtide::files
