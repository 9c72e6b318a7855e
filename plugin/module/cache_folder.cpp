#include "plugin/module/cache_folder.hpp"

#include <cstdlib>

namespace lowtide::module {

std::string cacheFolder(const std::optional<std::string>& chosen) {
    if (chosen && !chosen->empty()) {
        return *chosen;
    }
    if (const char* stated = std::getenv("LOWTIDE_CACHE"); stated && *stated) {
        return stated;
    }
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/lowtide" : std::string();
}

}  // namespace lowtide::module
