#pragma once

#include "ui/document/graph_differences.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/studio/file_commands.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QDialog>
#include <QObject>

#include <functional>

namespace lowtide::ui {

/// How a run's graph differs from the one that is open.
class DifferencesDialog : public QDialog {
    Q_OBJECT

public:
    DifferencesDialog(const QString& run,
                      const graph::Document& then,
                      const GraphModel& open,
                      QWidget* parent);
};

/// "Denoise, Steps": where a difference lies, in the words of the nodes.
[[nodiscard]] QString fillPlaceholder(const GraphDifference& difference,
                                      const graph::Document& document,
                                      const graph::Catalog& catalog);

/// What the user does with the images and runs of earlier times: opens their graphs, takes their
/// seeds, sees what differs, brings back what waited.
class GalleryController : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it; there is a gallery.
    GalleryController(MainWindowWidgets& widgets, FileCommands& files);

    /// Reports runs that waited when a studio ended, if there are any.
    void offerLeftOpen();

Q_SIGNALS:
    /// Runs of earlier times are given up.
    void forgotten();

private:
    void connectLibrary();
    /// Asks what becomes of runs that waited.
    void chooseLeftOpen();
    void reportProblem(const QString& problem);
    void withRun(const RunKey& key, const std::function<void(const RunRecord&)>& act);
    /// The graph of a run; `path`: an image that holds it too.
    void openGraph(const RunKey& key, const QString& path);
    void useValues(const RunKey& key, const QString& path, ImageUse use);
    void showDifferences(const RunKey& key);
    void ask(const std::vector<RunRecord>& runs);
    void runAgain(const std::vector<RunRecord>& runs);

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    FileCommands& files_;
    NoticeBar& notices_;
    QWidget* window_;
    quint64 removal_ = 0;  ///< the notice of the last one
};

}  // namespace lowtide::ui
