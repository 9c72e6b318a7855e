// A port, and the wire into one, for assistive technology.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/element_names.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_issues.hpp"
#include "ui/language/language.hpp"

namespace lowtide::ui {

namespace {

class PortElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Button; }

    [[nodiscard]] QString name() const override { return portName(scene(), port(), isOutput()); }

    /// "Input, from Load checkpoint, Model".
    [[nodiscard]] QString description() const override {
        const PortFace& face = this->face();
        return linesOf({connectionText(face), withIssues(portTip(face), node().status(), face.id)});
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        state.invalid =
            !state.invisible && issuesOf(node().status().issues).of(key().item) == Severity::Error;
        return state;
    }

    [[nodiscard]] QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(
        QAccessible::Relation match) const override {
        QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations;
        const QAccessible::Relation mine =
            isOutput() ? QAccessible::Controlled : QAccessible::Controller;
        for (const graph::PortRef& end :
             match.testFlag(static_cast<QAccessible::RelationFlag>(mine.toInt()))
                 ? otherEnds()
                 : std::vector<graph::PortRef>()) {
            const ElementKind kind = isOutput() ? ElementKind::Input : ElementKind::Output;
            if (QAccessibleInterface* other = all_.at({kind, end.node, end.port})) {
                relations.append({other, mine});
            }
        }
        return relations;
    }

protected:
    [[nodiscard]] std::vector<ElementKey> children() const override {
        const ElementKey wire{ElementKind::Wire, key().owner, key().item};
        return !isOutput() && all().isThere(wire) ? std::vector{wire} : std::vector<ElementKey>();
    }

    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        std::vector<ElementAction> actions = {
            {pressAction(),
             GraphView::tr("Connect"),
             [&canvas, port = port(), isOutput = isOutput()] { canvas.wirePort(port, isOutput); }}};
        if (const std::vector<graph::PortRef> ends = otherEnds(); !ends.empty()) {
            actions.push_back({QStringLiteral("follow"),
                               GraphView::tr("Go to the other end"),
                               [&canvas, node = ends.front().node] { canvas.reveal(node); }});
        }
        if (!isOutput() && face().isLinked) {
            actions.push_back({QStringLiteral("disconnect"),
                               GraphView::tr("Disconnect"),
                               [&canvas, port = port()] { canvas.removeWire(port); }});
        }
        return actions;
    }

    [[nodiscard]] QRectF sceneRect() const override {
        constexpr double kHalf = node_measures::kPort;
        const QPointF centre =
            isOutput() ? node().outputInScene(key().item) : node().inputInScene(key().item);
        return QRectF(centre, centre).adjusted(-kHalf, -kHalf, kHalf, kHalf);
    }

private:
    [[nodiscard]] bool isOutput() const { return key().kind == ElementKind::Output; }

    [[nodiscard]] graph::PortRef port() const { return {key().owner, key().item}; }

    [[nodiscard]] const PortFace& face() const {
        const NodeFace& face = node().face();
        return isOutput() ? face.outputs[static_cast<size_t>(face.outputIndex(key().item))]
                          : face.inputs[static_cast<size_t>(face.inputIndex(key().item))];
    }

    [[nodiscard]] std::vector<graph::PortRef> otherEnds() const {
        std::vector<graph::PortRef> ends;
        for (const graph::Link& link : scene().model().document().links) {
            if (isOutput() && link.from == port()) {
                ends.push_back(link.to);
            } else if (!isOutput() && link.to == port()) {
                ends.push_back(link.from);
            }
        }
        return ends;
    }

    [[nodiscard]] QString connectionText(const PortFace& face) const {
        QStringList ends;
        for (const graph::PortRef& end : otherEnds()) {
            ends << endName(scene(), end, !isOutput());
        }
        if (!ends.isEmpty()) {
            return (isOutput() ? GraphView::tr("Output, to %1.") : GraphView::tr("Input, from %1."))
                .arg(listed(ends, "; "));
        }
        return isOutput()        ? GraphView::tr("Output, not connected.")
               : face.isOptional ? GraphView::tr("Input, not connected.")
                                 : GraphView::tr("Input, not connected; it is needed.");
    }
};

class WireElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Link; }

    [[nodiscard]] QString name() const override {
        const graph::PortRef to{key().owner, key().item};
        return GraphView::tr("Wire from %1 to %2")
            .arg(endName(scene(), scene().wires().into(to)->from, true),
                 endName(scene(), to, false));
    }

    [[nodiscard]] QString description() const override { return {}; }

protected:
    [[nodiscard]] ElementKey parentKey() const override {
        return {ElementKind::Input, key().owner, key().item};
    }

    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        const graph::PortRef to{key().owner, key().item};
        return {{pressAction(), GraphView::tr("Select"), [&canvas, to] { canvas.selectWire(to); }},
                {QStringLiteral("delete"), GraphView::tr("Delete"), [&canvas, to] {
                     canvas.removeWire(to);
                 }}};
    }

    [[nodiscard]] QRectF sceneRect() const override {
        const Wire& wire = *scene().wires().into({key().owner, key().item});
        return QRectF(wire.start, wire.end).normalized();
    }
};

}  // namespace

std::unique_ptr<CanvasElement> makePortElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<PortElement>(all, key);
}

std::unique_ptr<CanvasElement> makeWireElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<WireElement>(all, key);
}

}  // namespace lowtide::ui
