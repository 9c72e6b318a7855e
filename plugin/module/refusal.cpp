#include "plugin/module/refusal.hpp"

#include "plugin/host_api/runner.hpp"
#include "plugin/module/compute_thread.hpp"
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
               kHostToolchain +
               "\"; build both with the same standard library, debug and ABI mode, or use the C "
               "API "
               "(lowtide.h), which takes any";
    }
    return refusalOfProcess();
}

std::string refusalOfProcess() {
    const std::vector<std::string> loaded = loadedLibraries("libtorch_cpu.so");
    if (loaded.size() > 1) {
        return "two LibTorch are loaded in this process, a process can hold one only: " +
               loaded[0] + " and " + loaded[1];
    }
    if (loadedTorchVersion() != torchVersion()) {
        return "the LibTorch of this process is " + loadedTorchVersion() +
               (loaded.empty() ? "" : " (" + loaded[0] + ")") + ", this module was built with " +
               torchVersion() + "; give both the same one";
    }
    return {};
}

}  // namespace lowtide::module
