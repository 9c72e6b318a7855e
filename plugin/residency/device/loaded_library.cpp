#include "plugin/residency/device/loaded_library.hpp"

namespace lowtide::residency {

std::string loaderReason() {
    const char* reason = dlerror();
    return reason ? reason : "no reason was given";
}

}  // namespace lowtide::residency
