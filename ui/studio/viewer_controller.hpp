#pragma once

#include "ui/studio/file_commands.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QString>

#include <string>

namespace lowtide::ui {

/// What the viewer shows, and the graphs behind it: images that the user chose on the canvas, in
/// the queue, the gallery or a sheet, and those that runs make. It follows every run; an image that
/// the user chooses meanwhile remains, until a run ends that he started later, or none is left.
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
    void hold();
    void followAgain();
    void openGraphOf(quint64 run);
    void openGraphOfImage(const QString& file);
    void follow(const std::string& node);
    void begin(quint64 run);
    void end(quint64 run);
    [[nodiscard]] QString titleOf(const std::string& node, const ImageStep& step) const;

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    Viewer& viewer_;
    FileCommands& files_;
    std::string followed_;     ///< the node whose previews are shown
    bool isHeld_ = false;      ///< the user chose an image while runs were at work
    quint64 lastHeldRun_ = 0;  ///< the newest run when he did
};

}  // namespace lowtide::ui
