#pragma once

#include "ui/bridge/settings.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/studio/file_commands.hpp"

#include <QObject>
#include <QPointF>
#include <QStringList>

class QMimeData;
class QWidget;

namespace lowtide::ui {

/// What a file becomes that is dropped on the window: a graph is opened, a picture becomes an
/// input, and of a picture that carries a graph the person is asked once.
class DroppedFile : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    DroppedFile(GraphModel& model, FileCommands& files, Settings& settings, QWidget* window);

    /// `at`: where on the canvas a node for it would lie.
    void take(const QString& path, QPointF at);

private:
    /// Ask: the person took neither.
    [[nodiscard]] DroppedPicture ask(const QString& name);
    void useAsInput(const QString& path, QPointF at);

    GraphModel& model_;
    FileCommands& files_;
    Settings& settings_;
    QWidget* window_;
};

/// The node type that makes a picture of a file, and its parameter; nullptr: there is none.
struct PictureInput {
    const NodeDesc* desc = nullptr;
    const ParamDesc* param = nullptr;
};

[[nodiscard]] PictureInput pictureInput(const graph::Catalog& catalog);
/// Local files among what is dragged.
[[nodiscard]] QStringList localFiles(const QMimeData* data);

}  // namespace lowtide::ui
