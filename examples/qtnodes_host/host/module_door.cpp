#include "examples/qtnodes_host/host/module_door.hpp"

#include "plugin/base/error.hpp"

#include <QCoreApplication>
#include <QLibrary>

namespace lowtide::qtnodes_host {

Plugin& openModule() {
    using Door = Plugin* (*)(uint32_t, const char*);
    using Refusal = const char* (*)();
    const QString beside = QCoreApplication::applicationDirPath() + "/../lib/liblowtide_plugin.so";
    QLibrary library(qEnvironmentVariable("LOWTIDE_PLUGIN_PATH", beside));
    library.setLoadHints(QLibrary::PreventUnloadHint);  // LibTorch does not survive being closed
    const auto door = reinterpret_cast<Door>(library.resolve("lowtide_plugin"));
    const auto refusal = reinterpret_cast<Refusal>(library.resolve("lowtide_plugin_refusal"));
    if (!door || !refusal) {
        throw Error(ErrorKind::Unsupported,
                    message("the module does not open: {}", library.errorString().toStdString()),
                    message("build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file"));
    }
    Plugin* plugin = door(kAbi, kHostToolchain);
    if (!plugin) {
        throw Error(ErrorKind::Unsupported,
                    message("the module refuses this program: {}", refusal()));
    }
    std::string result;
    if (plugin->start(R"({"guardMaps": true})", result) != Status::Ok) {
        throw Error(ErrorKind::Unsupported, message("the module does not start: {}", result));
    }
    return *plugin;
}

}  // namespace lowtide::qtnodes_host
