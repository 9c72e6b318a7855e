#include "plugin/module/refusal.hpp"

#include "plugin/host_api/runner.hpp"
#include "plugin/module/os.hpp"

namespace lowtide::module {

std::string refusalFor(uint32_t abi, const char* toolchain) {
    if (abi != kAbi) {
        return "the program was built for ABI " + std::to_string(abi) +
               " of Lowtide, this module has ABI " + std::to_string(kAbi) +
               "; rebuild the program with this module's headers";
    }
    const std::string theirs = toolchain ? toolchain : "";
    if (theirs != kHostToolchain) {
        return "the program's C++ toolchain is \"" + theirs + "\", this module's is \"" +
               kHostToolchain + "\"; build both with the same standard library and ABI mode";
    }
    if (loadedLibraries("libtorch_cpu.so").size() > 1) {
        return "another LibTorch is loaded in this process already; a process can hold one only";
    }
    return {};
}

}  // namespace lowtide::module
