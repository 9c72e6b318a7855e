#pragma once

#include <QMainWindow>
#include <QTimer>

#include "examples/qtnodes_host/adapter/run_status.hpp"
#include "examples/qtnodes_host/adapter/upstream_graph.hpp"
#include "examples/qtnodes_host/canvas.hpp"
#include "examples/qtnodes_host/host/run_session.hpp"

class QLabel;
class QPlainTextEdit;
class QProgressBar;

namespace lowtide::qtnodes_host {

/// The program's window: the canvas, the values of the chosen node, Run and Cancel, what happens.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    /// `plugin` must be started and outlive the window. Images go to the folder `out`.
    MainWindow(Plugin& plugin, QString out, QWidget* parent = nullptr);

    [[nodiscard]] Canvas& canvas() { return canvas_; }

    /// False, with the reason in the log, when the file cannot be read or written.
    bool openScene(const QString& path);
    bool saveScene(const QString& path);
    /// Writes the graph that a run would execute, for the command `lowtide run`.
    bool exportGraph(const QString& path);

public Q_SLOTS:
    void run();

private:
    void addActions();
    void addDocks();
    void connectCanvas();
    void connectSession();
    void graphChanged();
    void showStatus();
    void refresh();
    void showMessage(const QString& text);
    bool write(const QString& path, const QByteArray& bytes);
    [[nodiscard]] std::string options() const;

    Canvas canvas_;
    RunSession session_;
    const QString out_;
    QString folder_;  ///< of the scene: relative files are meant from there
    UpstreamGraph graph_;
    RunStatus status_;
    QTimer settled_;
    QAction* run_ = nullptr;
    QAction* cancel_ = nullptr;
    QPlainTextEdit* log_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* line_ = nullptr;
    QLabel* image_ = nullptr;
};

}  // namespace lowtide::qtnodes_host
