#pragma once

#include "plugin/host_api/runner.hpp"

#include <string>
#include <vector>

namespace lowtide::loader {

inline constexpr const char* kModuleName = "liblowtide_plugin.so";

/// What a program of the project passes to the module at its start.
struct PluginSettings {
    int threads = 0;                ///< of the CPU's operators; 0: as many as physical cores
    std::string log = "warning";    ///< least level of log lines: debug, info, warning, error
    std::string cudnnApi = "auto";  ///< convolution API of cuDNN
    std::vector<std::string> modelFolders{};  ///< searched for checkpoints after the graph's folder
    std::string cacheFolder{};                ///< empty: the module's own choice
};

/// Opens the module's file and its C API for a program of this ABI and toolchain. Never closed:
/// LibTorch does not survive it. Error{NotFound} when there is no such file; Error{Unsupported}
/// with the loader's or the module's own reason.
[[nodiscard]] Plugin& openPluginAt(const std::string& path, uint32_t abi, const char* toolchain);

/// openPluginAt() for this program: LOWTIDE_PLUGIN_PATH, then ../lib and ../lib/lowtide next to the
/// program's folder, then that folder itself.
[[nodiscard]] Plugin& openPlugin();

/// The module's resources (help pages, presets), in "lowtide/resources" next to the file that
/// openPlugin() opens. Error{NotFound} without a module.
[[nodiscard]] std::string resourcesFolder();

/// openPlugin() and Plugin::start(), with the handler of SIGBUS that programs want (guardMaps).
/// Error{Internal} with the module's words when it does not start.
[[nodiscard]] Plugin& startPlugin(const PluginSettings& settings);

}  // namespace lowtide::loader
