#pragma once

#include "ui/document/file_target.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/panels/image_drop.hpp"
#include "ui/studio/drop_target.hpp"
#include "ui/studio/file_commands.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/model_commands.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace lowtide::ui {

/// What a file becomes that is dropped on the window: a graph is opened, an image or video becomes
/// an input, the graph uses weights, and for an image or video with a graph the user is asked.
/// Images of the clipboard, the viewer and the gallery become inputs, too.
class DroppedFile : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    DroppedFile(MainWindowWidgets& widgets, FileCommands& files, ModelCommands& models);

    /// Files that were dropped outside of the canvas, on that widget; nullptr: on none. The field
    /// of a value gets what fits it.
    void takeAll(const QStringList& files, const QWidget* under);
    /// Shows what would take them, while they are dragged over that widget.
    void hover(const QStringList& files, const QWidget* under);

    /// They are dragged elsewhere.
    void leave() { target_.leave(); }

private:
    void connectWidgets();
    void takeTogether(const QStringList& files, DropSpot spot);
    void take(const QString& path, const DropSpot& spot);
    void useAsInput(const QString& path, const DropSpot& spot);
    void putInput(const QString& path, const DropSpot& spot, bool isOfVideo);
    [[nodiscard]] Arrival inputOf(const QString& path, bool isOfVideo) const;
    [[nodiscard]] DropSpot spotUnder(const QWidget* under) const;
    void findTaker(const QString& path, std::function<void(FileTaker)> done);

    MainWindowWidgets& widgets_;
    GraphModel& model_;
    FileCommands& files_;
    ModelCommands& models_;
    ImageDrop images_;
    DropTarget target_;
};

/// The node type that makes an image of a file, and its parameter; nullptr: there is none.
struct ImageInput {
    const NodeDesc* desc = nullptr;
    const ParamDesc* param = nullptr;
};

[[nodiscard]] ImageInput imageInput(const graph::Catalog& catalog);
/// The same of a video.
[[nodiscard]] ImageInput videoInput(const graph::Catalog& catalog);

/// Keeps images of the clipboard as PNG files, so that a node can read them. Their name identifies
/// their pixels: the same image pasted twice is one file.
class PastedImage : public QObject {
    Q_OBJECT

public:
    /// `folder` is made when the first image is kept.
    PastedImage(QString folder, QObject* parent);

    /// Most pixels that are kept.
    static constexpr qint64 kMostPixels = 64LL * 1024 * 1024;

    /// Writes the file on another thread, then emits one of the signals.
    void keep(const QImage& image, const DropSpot& spot);

Q_SIGNALS:
    void kept(const QString& path, const lowtide::ui::DropSpot& spot);
    void refused(const QString& sentence);

private:
    QString folder_;
};

}  // namespace lowtide::ui
