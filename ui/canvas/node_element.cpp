// A node, and the picture that it shows, for assistive technology.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/element_names.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_issues.hpp"

namespace lowtide::ui {

namespace {

class NodeElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }

    [[nodiscard]] QString name() const override { return node().face().title; }

    [[nodiscard]] QString description() const override {
        return linesOf({activityText(node().status()), nodeTip(node().face(), node().status())});
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        if (state.invisible) {
            return state;
        }
        state.selectable = true;
        state.multiSelectable = true;
        state.selected = node().isSelected();
        state.focused = view().hasFocus() && all().current() == key();
        state.expandable = true;
        state.collapsed = node().face().isCollapsed;
        state.expanded = !state.collapsed;
        state.busy = node().status().activity == NodeActivity::Running;
        state.invalid = issuesOf(node().status().issues).worst == Severity::Error;
        return state;
    }

protected:
    [[nodiscard]] std::vector<ElementKey> children() const override {
        const NodeFace& face = node().face();
        std::vector<ElementKey> keys;
        const auto add = [&](ElementKind kind, const std::string& item) {
            if (const ElementKey key{kind, face.id, item}; all().isThere(key)) {
                keys.push_back(key);
            }
        };
        for (const PortFace& port : face.inputs) {
            add(ElementKind::Input, port.id);
        }
        for (const RowFace& row : face.rows) {
            add(ElementKind::Row, row.param);
        }
        add(ElementKind::Picture, {});
        for (const PortFace& port : face.outputs) {
            add(ElementKind::Output, port.id);
        }
        return keys;
    }

    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        const std::string id = key().owner;
        const auto selected = [&canvas, id](auto act) {
            return [&canvas, id, act] {
                canvas.reveal(id);
                (canvas.*act)();
            };
        };
        return {
            {pressAction(), GraphView::tr("Select"), selected(&GraphView::takeFocus)},
            {setFocusAction(), GraphView::tr("Select"), selected(&GraphView::takeFocus)},
            {showMenuAction(), GraphView::tr("Show menu"), selected(&GraphView::showMenu)},
            {QStringLiteral("edit"),
             GraphView::tr("Edit values"),
             selected(&GraphView::editSelected)},
            {QStringLiteral("wire"), GraphView::tr("Connect"), selected(&GraphView::wireSelected)},
            {QStringLiteral("runToHere"),
             GraphView::tr("Run to here"),
             [&canvas, id] { Q_EMIT canvas.runToRequested(id); }},
            {QStringLiteral("rename"),
             GraphView::tr("Rename"),
             selected(&GraphView::renameSelected)},
            {QStringLiteral("collapse"),
             node().face().isCollapsed ? GraphView::tr("Expand") : GraphView::tr("Collapse"),
             selected(&GraphView::collapseSelected)},
            {QStringLiteral("delete"),
             GraphView::tr("Delete"),
             selected(&GraphView::removeSelected)}};
    }

    [[nodiscard]] QRectF sceneRect() const override { return node().bodyInScene(); }
};

class PictureElement : public CanvasElement, public QAccessibleImageInterface {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Graphic; }

    [[nodiscard]] QString name() const override {
        return node().status().step ? GraphView::tr("Preview of %1").arg(node().face().title)
                                    : GraphView::tr("Picture of %1").arg(node().face().title);
    }

    [[nodiscard]] QString description() const override {
        const QSize size = imageSize();
        return GraphView::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ImageInterface ? static_cast<QAccessibleImageInterface*>(this)
                                                   : CanvasElement::interface_cast(type);
    }

    [[nodiscard]] QString imageDescription() const override { return name(); }

    [[nodiscard]] QSize imageSize() const override {
        const NodeStatus& status = node().status();
        return status.pictureSize.isEmpty() ? status.picture.size() : status.pictureSize;
    }

    [[nodiscard]] QPoint imagePosition() const override { return rect().topLeft(); }

protected:
    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        return {{pressAction(), GraphView::tr("Show in the viewer"), [&canvas, id = key().owner] {
                     Q_EMIT canvas.pictureActivated(id);
                 }}};
    }

    [[nodiscard]] QRectF sceneRect() const override {
        return node().layout().picture.translated(node().pos());
    }
};

}  // namespace

std::unique_ptr<CanvasElement> makeNodeElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<NodeElement>(all, key);
}

std::unique_ptr<CanvasElement> makePictureElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<PictureElement>(all, key);
}

}  // namespace lowtide::ui
