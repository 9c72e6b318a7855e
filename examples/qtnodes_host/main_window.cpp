#include "examples/qtnodes_host/main_window.hpp"

#include "plugin/base/error.hpp"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSaveFile>
#include <QStatusBar>
#include <QToolBar>

#include "examples/qtnodes_host/host/row_editors.hpp"

namespace lowtide::qtnodes_host {

namespace {

constexpr int kSettleMilliseconds = 250;  ///< without an edit, until the graph is checked
constexpr int kPermille = 1000;
constexpr int kImageSide = 256;
constexpr int kLogLines = 1000;
constexpr int kLogHeight = 120;
constexpr int kValuesWidth = 360;
constexpr QSize kWindow{1280, 800};

QDockWidget* dockOf(const QString& title, QWidget* content, const char* name) {
    auto* dock = new QDockWidget(title);
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setFeatures(QDockWidget::DockWidgetMovable);
    return dock;
}

QString sceneFilter() {
    return MainWindow::tr("QtNodes scenes (*.flow)");
}

}  // namespace

MainWindow::MainWindow(Plugin& plugin, QString out, QWidget* parent)
    : QMainWindow(parent),
      canvas_(plugin.nodes()),
      session_(*plugin.runner()),
      out_(std::move(out)),
      folder_(QDir::currentPath()) {
    setWindowTitle(tr("Lowtide in QtNodes"));
    resize(kWindow);
    setCentralWidget(canvas_.view());
    addActions();
    addDocks();
    connectCanvas();
    connectSession();
    refresh();
}

void MainWindow::addActions() {
    QToolBar* bar = addToolBar(tr("Graph"));
    run_ =
        bar->addAction(tr("Run"), QKeySequence(Qt::CTRL | Qt::Key_Return), this, &MainWindow::run);
    cancel_ =
        bar->addAction(tr("Cancel"), QKeySequence(Qt::Key_F4), &session_, &RunSession::cancel);
    bar->addSeparator();
    bar->addAction(tr("Open..."), QKeySequence::Open, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Open a scene"), folder_, sceneFilter());
        if (!path.isEmpty()) {
            openScene(path);
        }
    });
    bar->addAction(tr("Save..."), QKeySequence::Save, this, [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Save the scene"), folder_, sceneFilter());
        if (!path.isEmpty()) {
            saveScene(path);
        }
    });
    bar->addAction(tr("Export graph..."), this, [this] {
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Write the graph for \"lowtide run\""), folder_, tr("Graphs (*.json)"));
        if (!path.isEmpty()) {
            exportGraph(path);
        }
    });
}

void MainWindow::addDocks() {
    auto* rows = new RowEditors;
    connect(&canvas_, &Canvas::chosen, rows, &RowEditors::edit);
    connect(rows, &RowEditors::edited, this, &MainWindow::graphChanged);
    image_ = new QLabel;
    image_->setAlignment(Qt::AlignCenter);
    image_->setMinimumSize(kImageSide, kImageSide);
    log_ = new QPlainTextEdit;
    log_->setReadOnly(true);
    log_->setMaximumBlockCount(kLogLines);
    QDockWidget* values = dockOf(tr("Values"), rows, "values");
    QDockWidget* image = dockOf(tr("Last image"), image_, "picture");
    QDockWidget* log = dockOf(tr("What happened"), log_, "log");
    addDockWidget(Qt::RightDockWidgetArea, values);
    addDockWidget(Qt::RightDockWidgetArea, image);
    addDockWidget(Qt::BottomDockWidgetArea, log);
    resizeDocks({values}, {kValuesWidth}, Qt::Horizontal);
    resizeDocks({values, image, log},
                {kWindow.height() - kImageSide - kLogHeight, kImageSide, kLogHeight},
                Qt::Vertical);
    line_ = new QLabel(tr("Right-click the canvas to add a node."));
    progress_ = new QProgressBar;
    progress_->setMaximum(kPermille);
    statusBar()->addWidget(line_, 1);
    statusBar()->addPermanentWidget(progress_);
}

void MainWindow::connectCanvas() {
    settled_.setSingleShot(true);
    settled_.setInterval(kSettleMilliseconds);
    connect(&canvas_, &Canvas::rewired, this, &MainWindow::graphChanged);
    connect(&settled_, &QTimer::timeout, this, [this] {
        if (!session_.isRunning()) {
            graph_ = upstreamGraph(canvas_.nodes());
            session_.check(graph::toText(graph_.document), options());
        }
    });
}

void MainWindow::connectSession() {
    connect(&session_, &RunSession::checked, this, [this](const Json& issues) {
        if (!session_.isRunning()) {
            status_.setChecked(issues);
            refresh();
        }
    });
    connect(&session_, &RunSession::happened, this, [this](const Json& event) {
        status_.apply(event);
        if (event.value("event", "") == "runFinished") {
            showStatus();
        }
        refresh();
    });
    connect(&session_, &RunSession::shown, this, [this](const QString& id, const QImage& image) {
        image_->setPixmap(QPixmap::fromImage(image).scaled(
            image_->size(), Qt::KeepAspectRatio, Qt::SmoothTransformation));
        const auto node = graph_.nodes.find(id.toStdString());
        if (node != graph_.nodes.end()) {
            canvas_.show(*node->second, image);
        }
    });
}

void MainWindow::graphChanged() {
    settled_.start();
}

void MainWindow::run() {
    settled_.stop();
    graph_ = upstreamGraph(canvas_.nodes());
    if (graph_.nodes.empty()) {
        showMessage(
            tr("There is nothing to run: add a node that ends a graph, such as save.image or \"To "
               "host image\", and wire it."));
        return;
    }
    Json issues;
    status_ = RunStatus();
    if (!session_.start(graph::toText(graph_.document), options(), issues)) {
        status_.setChecked(issues);
        showStatus();
    }
    refresh();
}

/// What a run, or the refusal of one, left to report.
void MainWindow::showStatus() {
    showMessage(status_.outcome().empty()
                    ? tr("not started")
                    : tr("run: %1").arg(QString::fromStdString(status_.line())));
    for (const std::string& message : status_.messages()) {
        showMessage(QString::fromStdString(message));
    }
    for (const auto& [id, node] : graph_.nodes) {
        if (const std::string message = status_.markOf(id).message; !message.empty()) {
            showMessage(QString::fromStdString(id + ": " + message));
        }
    }
    for (const std::string& file : status_.files()) {
        showMessage(QString::fromStdString(file));
    }
}

void MainWindow::refresh() {
    canvas_.mark(graph_, status_);
    run_->setEnabled(!session_.isRunning());
    cancel_->setEnabled(session_.isRunning());
    if (!status_.line().empty()) {
        line_->setText(QString::fromStdString(status_.line()));
    }
    progress_->setVisible(session_.isRunning());
    progress_->setMaximum(status_.permille() < 0 ? 0 : kPermille);  // 0: it only shows life
    progress_->setValue(std::max(status_.permille(), 0));
}

bool MainWindow::openScene(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        showMessage(tr("%1 cannot be read: %2").arg(path, file.errorString()));
        return false;
    }
    try {
        canvas_.load(file.readAll());
    } catch (const Error& error) {
        showMessage(QString::fromStdString(
            error.message().str() + (error.hint().empty() ? "" : "; ") + error.hint().str()));
        return false;
    }
    folder_ = QFileInfo(path).absolutePath();
    graphChanged();
    return true;
}

bool MainWindow::saveScene(const QString& path) {
    folder_ = QFileInfo(path).absolutePath();
    return write(path, canvas_.save());
}

bool MainWindow::exportGraph(const QString& path) {
    return write(path,
                 QByteArray::fromStdString(graph::toText(upstreamGraph(canvas_.nodes()).document)));
}

bool MainWindow::write(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        showMessage(tr("%1 cannot be written: %2").arg(path, file.errorString()));
        return false;
    }
    return true;
}

void MainWindow::showMessage(const QString& text) {
    log_->appendPlainText(text);
    line_->setText(text);
}

std::string MainWindow::options() const {
    return Json({{"graphFolder", folder_.toStdString()}, {"out", out_.toStdString()}}).dump();
}

}  // namespace lowtide::qtnodes_host
