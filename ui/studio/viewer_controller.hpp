#pragma once

#include "ui/studio/file_commands.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QString>

#include <string>

namespace lowtide::ui {

/// What the viewer shows, and the graphs behind it: images that the user chose on the canvas, in
/// the queue, the gallery or a sheet, and those that a run is making.
class ViewerController : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    ViewerController(MainWindowWidgets& widgets, FileCommands& files);

    /// Among the files of its run. A run at work does not take its place.
    void show(const QString& file);
    /// The newest image of a run.
    void showImageOf(quint64 run);

private:
    void connectWidgets();
    void connectLibrary();
    void showAmong(const QStringList& files, const QString& file);
    void showImage(const QImage& image, const QString& title, const QSize& size);
    void showNode(const std::string& node);
    void showViewer();
    void stopFollowing();
    void openGraphOf(quint64 run);
    void openGraphOfImage(const QString& file);
    void follow(const std::string& node);
    void endLive(quint64 run);
    [[nodiscard]] QString titleOf(const std::string& node, const ImageStep& step) const;

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    Viewer& viewer_;
    FileCommands& files_;
    std::string followed_;  ///< the node whose previews are shown
};

}  // namespace lowtide::ui
