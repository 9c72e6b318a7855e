#pragma once

#include <dlfcn.h>
#include <string>

namespace lowtide::residency {

/// Why the system's loader did not do what it was asked last on this thread.
[[nodiscard]] std::string loaderReason();

/// Sets `function` to what an opened library has under `name`; false, and null, where it has none.
template <class Function>
[[nodiscard]] bool findIn(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace lowtide::residency
