#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QGraphicsView>
#include <QPointer>

#include <functional>

namespace lowtide::ui {

/// Writes a title or a note in place: one line or several, over the text that is painted.
class TextEditing : public QObject {
    Q_OBJECT

public:
    TextEditing(QGraphicsView& view, GraphScene& scene);
    ~TextEditing() override;

    void renameNode(const std::string& node);
    void writeBox(BoxKind kind, const std::string& id);
    /// Takes what stands there and closes.
    void end();
    void place();

    [[nodiscard]] bool isActive() const { return !editor_.isNull(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using Take = std::function<void(const QString& text)>;
    using Where = std::function<QRectF()>;
    void begin(const QString& text, bool isLong, Where where, Take take);
    void close(bool isTaken);

    QGraphicsView& view_;
    GraphScene& scene_;
    QPointer<QWidget> editor_;
    Where where_;
    Take take_;
};

}  // namespace lowtide::ui
