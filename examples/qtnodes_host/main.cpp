#include "plugin/base/error.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QTextStream>

#include "examples/qtnodes_host/host/module_loader.hpp"
#include "examples/qtnodes_host/main_window.hpp"

using namespace lowtide;

/// qtnodes_host [--out DIR] [SCENE.flow]
int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QCommandLineParser arguments;
    arguments.addHelpOption();
    arguments.addOption({"out", app.tr("Folder for images."), "DIR", QDir::currentPath()});
    arguments.addPositionalArgument("SCENE", app.tr("A scene to open."), "[SCENE.flow]");
    arguments.process(app);
    try {
        Plugin& plugin = qtnodes_host::openModule();
        int status = 0;
        {
            qtnodes_host::MainWindow window(plugin, QDir(arguments.value("out")).absolutePath());
            window.show();
            if (!arguments.positionalArguments().isEmpty()) {
                window.openScene(arguments.positionalArguments()[0]);
            }
            status = app.exec();
        }
        plugin.runner()->stop();
        return status;
    } catch (const Error& error) {
        QTextStream(stderr) << QString::fromStdString(error.message().str() + "\n" +
                                                      error.hint().str())
                            << "\n";
        return 3;
    }
}
