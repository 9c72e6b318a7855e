// A frame or a note for assistive technology.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/language/language.hpp"

namespace lowtide::ui {

namespace {

class BoxElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override {
        return isFrame() ? QAccessible::Grouping : QAccessible::Note;
    }

    [[nodiscard]] QString name() const override {
        const QString text = QString::fromStdString(box().box().text);
        return !text.isEmpty() ? text : isFrame() ? GraphView::tr("Frame") : GraphView::tr("Note");
    }

    /// Which nodes lie in a frame.
    [[nodiscard]] QString description() const override {
        QStringList members;
        for (const NodeItem* member :
             isFrame() ? scene().membersOf(box()) : std::vector<NodeItem*>()) {
            members << member->face().title;
        }
        return members.isEmpty() ? QString() : GraphView::tr("Holds %1").arg(listed(members));
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        if (!state.invisible) {
            state.selectable = true;
            state.selected = box().isSelected();
            state.expandable = isFrame();
            state.collapsed = isFrame() && box().box().isCollapsed;
            state.expanded = isFrame() && !state.collapsed;
        }
        return state;
    }

protected:
    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        const auto selected = [&canvas, kind = box().kind(), id = key().owner](auto act) {
            return [&canvas, kind, id, act] {
                canvas.selectBox(kind, id);
                (canvas.*act)();
            };
        };
        std::vector<ElementAction> actions = {
            {pressAction(), GraphView::tr("Select"), selected(&GraphView::takeFocus)},
            {QStringLiteral("edit"),
             GraphView::tr("Edit text"),
             selected(&GraphView::renameSelected)},
            {QStringLiteral("delete"),
             GraphView::tr("Delete"),
             selected(&GraphView::removeSelected)}};
        if (isFrame()) {
            actions.push_back(
                {QStringLiteral("collapse"),
                 box().box().isCollapsed ? GraphView::tr("Expand") : GraphView::tr("Collapse"),
                 [&canvas, id = key().owner] { canvas.toggleFrame(id); }});
        }
        return actions;
    }

    [[nodiscard]] QRectF sceneRect() const override { return box().shownRect(); }

private:
    [[nodiscard]] bool isFrame() const { return key().kind == ElementKind::Frame; }

    [[nodiscard]] BoxItem& box() const {
        return *scene().box(isFrame() ? BoxKind::Frame : BoxKind::Note, key().owner);
    }
};

}  // namespace

std::unique_ptr<CanvasElement> makeBoxElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<BoxElement>(all, key);
}

}  // namespace lowtide::ui
