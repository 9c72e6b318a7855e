#include "examples/qtnodes_host/host/module_loader.hpp"

#include "plugin/base/error.hpp"

#include <QCoreApplication>
#include <QLibrary>

namespace lowtide::qtnodes_host {

Plugin& openModule() {
    using EntryPoint = Plugin* (*)(uint32_t, const char*);
    using Refusal = const char* (*)();
    const QString defaultPath =
        QCoreApplication::applicationDirPath() + "/../lib/liblowtide_plugin.so";
    QLibrary library(qEnvironmentVariable("LOWTIDE_PLUGIN_PATH", defaultPath));
    library.setLoadHints(QLibrary::PreventUnloadHint);  // LibTorch does not survive being closed
    const auto entryPoint = reinterpret_cast<EntryPoint>(library.resolve("lowtide_plugin"));
    const auto refusal = reinterpret_cast<Refusal>(library.resolve("lowtide_plugin_refusal"));
    if (!entryPoint || !refusal) {
        throw Error(ErrorKind::Unsupported,
                    message("the module does not open: {}", library.errorString().toStdString()),
                    message("build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file"));
    }
    Plugin* plugin = entryPoint(kAbi, kHostToolchain);
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
