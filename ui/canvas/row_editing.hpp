#pragma once

#include "ui/canvas/graph_scene.hpp"
#include "ui/editors/param_editor.hpp"

#include <QGraphicsView>
#include <QPointer>

#include <string>

namespace lowtide::ui {

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
    void place();

    [[nodiscard]] bool isActive() const { return !editor_.isNull(); }

    [[nodiscard]] ParamEditor* editor() const { return editor_; }

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
    std::string node_;
    std::string param_;
    bool isWriting_ = false;
};

}  // namespace lowtide::ui
