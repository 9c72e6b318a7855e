// A Qt program with Lowtide's canvas, inspector and memory panel in a window of its own.
//     widgets_host liblowtide_qt.so GRAPH FOLDER [--run]
// Images go to FOLDER. With --run it runs the graph once, prints the files and ends.
#include "plugin/host_api/qt_entry.hpp"
#include "ui/widgets/graph_editor.hpp"

#include <QtWidgets>

#include <cstdio>
#include <stdexcept>

namespace {

using lowtide::GraphEditor;

lowtide::Plugin& openPlugin(const QString& path) {
    QPluginLoader loader(path);  // does not unload at its end: LibTorch remains
    auto* entry = qobject_cast<lowtide::QtEntry*>(loader.instance());
    if (!entry) {
        throw std::runtime_error(qPrintable(loader.errorString()));
    }
    lowtide::Plugin* plugin = entry->plugin();
    std::string answer = plugin ? std::string() : entry->reason().toStdString();
    if (!plugin || plugin->start("{}", answer) != lowtide::Status::Ok) {
        throw std::runtime_error(answer);
    }
    return *plugin;
}

/// The three widgets where a host might want them, and its own actions around them.
class Window : public QMainWindow {
public:
    explicit Window(GraphEditor& editor) : editor_(editor) {
        setCentralWidget(&editor.canvas());
        addDock("Values", editor.inspector(), Qt::RightDockWidgetArea);
        addDock("Memory", editor.memoryPanel(), Qt::BottomDockWidgetArea);
        QToolBar* bar = addToolBar("Run");
        bar->addAction("Run", this, [this] { editor_.run(); })->setShortcut(QKeySequence("F5"));
        bar->addAction("Cancel", this, [this] { editor_.cancel(lowtide::CancelMode::Now); });
        bar->addAction(editor.undoStack().createUndoAction(this));
        bar->addAction(editor.undoStack().createRedoAction(this));
        connect(&editor, &GraphEditor::busyChanged, this, [this](bool isBusy) {
            statusBar()->showMessage(isBusy ? "Running" : "Ready");
        });
        connect(
            &editor,
            &GraphEditor::runEnded,
            this,
            [this](quint64, GraphEditor::Ended, const QStringList& files, const QString& reason) {
                statusBar()->showMessage(reason.isEmpty() ? files.join(", ") : reason);
            });
        resize(1280, 800);
    }

private:
    void addDock(const QString& title, QWidget& widget, Qt::DockWidgetArea area) {
        auto* dock = new QDockWidget(title, this);
        dock->setObjectName(title);
        dock->setWidget(&widget);
        addDockWidget(area, dock);
    }

    GraphEditor& editor_;
};

/// Runs once and ends the program: 0 with the files on stdout, 3 with the reason on stderr.
void runOnce(GraphEditor& editor) {
    QObject::connect(
        &editor,
        &GraphEditor::runEnded,
        qApp,
        [](quint64, GraphEditor::Ended ended, const QStringList& files, const QString& reason) {
            const bool isDone = ended == GraphEditor::Ended::Finished;
            std::fprintf(isDone ? stdout : stderr,
                         "%s\n",
                         qPrintable(isDone ? files.join(QLatin1Char('\n')) : reason));
            QCoreApplication::exit(isDone ? 0 : 3);
        });
    editor.run();
}

int showGraph(const QStringList& arguments) {
    lowtide::Plugin& plugin = openPlugin(arguments.at(1));
    int status = 0;
    {
        GraphEditor editor(plugin);
        QFile file(arguments.at(2));
        if (!file.open(QIODevice::ReadOnly)) {
            throw std::runtime_error(qPrintable(file.fileName() + " cannot be read"));
        }
        if (const QString refused = editor.load(file.readAll()); !refused.isEmpty()) {
            throw std::runtime_error(qPrintable(refused));
        }
        editor.setOptions(QJsonDocument(QJsonObject{{"out", arguments.at(3)}}).toJson());
        Window window(editor);
        window.show();
        if (arguments.contains("--run")) {
            runOnce(editor);
        }
        status = QApplication::exec();
    }
    plugin.runner()->stop();
    return status;
}

}  // namespace

int main(int count, char** words) {
    QApplication application(count, words);
    try {
        if (count < 4) {
            throw std::runtime_error("usage: widgets_host liblowtide_qt.so GRAPH FOLDER");
        }
        return showGraph(QApplication::arguments());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "widgets_host: %s\n", error.what());
        return 2;
    }
}
