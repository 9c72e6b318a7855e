#include "ui/qt_plugin/qt_plugin.hpp"

#include "plugin/base/error.hpp"
#include "ui/loader/os.hpp"
#include "ui/loader/plugin_loader.hpp"

namespace lowtide::qt_plugin {

namespace {

/// Any object of this library: its address reveals where the library lies.
constexpr char kHere = 0;

QString textOf(const Error& error) {
    const std::string hint = error.hint().empty() ? "" : "; " + error.hint().str();
    return QString::fromStdString(error.message().str() + hint);
}

}  // namespace

Plugin* QtPlugin::pluginFor(uint32_t abi, const char* toolchain) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        const std::string path = loader::folderOf(&kHere) + "/" + loader::kModuleName;
        Plugin& plugin = loader::openPluginAt(path, abi, toolchain);
        reason_.clear();
        return &plugin;
    } catch (const Error& error) {
        reason_ = textOf(error);
    } catch (const std::exception& error) {
        reason_ = QString::fromUtf8(error.what());
    }
    return nullptr;
}

QString QtPlugin::reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
}

}  // namespace lowtide::qt_plugin
