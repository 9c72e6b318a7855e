#include "plugin/residency/device/loader_reason.hpp"

#include <dlfcn.h>

namespace lowtide::residency {

std::string loaderReason() {
    const char* reason = dlerror();
    return reason ? reason : "no reason was given";
}

}  // namespace lowtide::residency
