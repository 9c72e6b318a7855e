#include "plugin/module/cache_folder.hpp"

#include <cstdlib>
#include <filesystem>

namespace lowtide::module {

namespace {

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text ? text : "";
}

/// A relative path would lead elsewhere when the host changes its folder.
std::string absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

std::string cacheFolder(const std::optional<std::string>& chosen) {
    if (chosen && !chosen->empty()) {
        return absolute(*chosen);
    }
    if (const std::string stated = variable("LOWTIDE_CACHE"); !stated.empty()) {
        return absolute(stated);
    }
    if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) {
        return caches + "/lowtide";
    }
    const std::string home = variable("HOME");
    return home.empty() ? home : home + "/.cache/lowtide";
}

}  // namespace lowtide::module
