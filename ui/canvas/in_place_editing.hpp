#pragma once

#include "ui/canvas/graph_scene.hpp"
#include "ui/editors/param_editor.hpp"

#include <QGraphicsView>
#include <QPointer>

#include <functional>
#include <string>

namespace lowtide::ui {

/// Writes a title or a note in place: one line or several, over the text that is painted.
class TextEditing : public QObject {
    Q_OBJECT

public:
    TextEditing(QGraphicsView& view, GraphScene& scene);
    ~TextEditing() override;

    void renameNode(const std::string& node);
    void renameGroup(const std::string& group);
    /// A port that a folded group shows, as the user calls it; empty: as its node does.
    void renamePort(const std::string& group, const graph::PortRef& port, bool isOutput);
    void writeBox(BoxKind kind, const std::string& id);
    /// Takes what stands there and closes.
    void end();
    void reposition();

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

/// The one editor of the canvas: it lies over the value of the row that is edited and follows it.
class RowEditing : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; `offered` may be nullptr.
    RowEditing(QGraphicsView& view, GraphScene& scene, const OfferedFiles* offered);
    ~RowEditing() override;

    /// Edits the row; a switch is flipped at once. False: this row cannot be edited.
    bool begin(const std::string& node, const std::string& param);
    /// The first row, or the one after that which was edited last; false: there is none.
    bool beginNext(const std::string& node, int step);
    void end();
    /// Puts the editor over its row; called after scrolling, zooming and edits.
    void reposition();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void change(const Json& value, bool isFinal);
    void flip(const std::string& node, const ParamDesc& param, const Json& value);
    void write(const std::string& node, const ParamDesc& param, const Json& value);
    void modelChanged();

    QGraphicsView& view_;
    GraphScene& scene_;
    const OfferedFiles* offered_;
    QPointer<ParamEditor> editor_;
    std::string node_;   ///< or the group that shows the row
    std::string param_;  ///< as the row has it
    bool isWriting_ = false;
};

}  // namespace lowtide::ui
