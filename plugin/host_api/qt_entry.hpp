#pragma once
// The Qt plugin. The one header of host_api that needs Qt (Core only); hosts without Qt never see
// it.

#include "plugin/host_api/runner.hpp"

#include <QString>
#include <QtPlugin>

/// Names the interface; the number rises when QtEntry changes.
#define LOWTIDE_QT_IID "org.lowtide.QtEntry/1"

namespace lowtide {

/// Of the metadata's "api": the first number is kAbi, the second counts what was added since.
inline constexpr const char* kQtApi = "2.0";

/// What QPluginLoader::instance() of liblowtide_qt.so implements. The metadata (id, version, abi,
/// api, toolchain, torch, nodes, requires, license) can be read without it and maps nothing.
class QtEntry {
public:
    virtual ~QtEntry() = default;
    /// Opens liblowtide_plugin.so next to the Qt plugin on the first call, and with it LibTorch.
    /// The very object that lowtide_plugin(abi, toolchain) gives there; nullptr when the module
    /// cannot be loaded or refuses, reason() then states why. Any thread.
    virtual Plugin* pluginFor(uint32_t abi, const char* toolchain) noexcept = 0;
    /// Why the last pluginFor() gave nothing, and what to do; empty when it gave a plugin.
    [[nodiscard]] virtual QString reason() const = 0;

    /// pluginFor() the program that includes this header.
    [[nodiscard]] Plugin* plugin() noexcept { return pluginFor(kAbi, kHostToolchain); }
};

}  // namespace lowtide

Q_DECLARE_INTERFACE(lowtide::QtEntry, LOWTIDE_QT_IID)
