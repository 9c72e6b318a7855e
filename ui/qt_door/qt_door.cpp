#include "ui/qt_door/qt_door.hpp"

#include "plugin/base/error.hpp"
#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"

namespace lowtide::qt_door {

namespace {

/// Any object of this library: its address says where the library lies.
constexpr char kHere = 0;

QString textOf(const Error& error) {
    const std::string hint = error.hint().empty() ? "" : "; " + error.hint().str();
    return QString::fromStdString(error.message().str() + hint);
}

}  // namespace

Plugin* QtDoor::pluginFor(uint32_t abi, const char* toolchain) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        const std::string path = door::folderOf(&kHere) + "/" + door::kModuleName;
        Plugin& plugin = door::openPluginAt(path, abi, toolchain);
        reason_.clear();
        return &plugin;
    } catch (const Error& error) {
        reason_ = textOf(error);
    } catch (const std::exception& error) {
        reason_ = QString::fromUtf8(error.what());
    }
    return nullptr;
}

QString QtDoor::reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
}

}  // namespace lowtide::qt_door
