// What a node has, for assistive technology: ports with the wires into them, and parameters: read,
// set, stepped, or opened to be edited.
#include "plugin/graph/param_value.hpp"
#include "ui/access/announce.hpp"
#include "ui/access/spoken.hpp"
#include "ui/canvas/canvas_element.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_face.hpp"
#include "ui/editors/number_text.hpp"
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
        std::vector<ElementAction> actions = {
            {pressAction(),
             GraphView::tr("Connect"),
             [&all = all(), port = port(), isOutput = isOutput()] {
                 all.wirePort(port, isOutput);
             }}};
        if (const std::vector<graph::PortRef> ends = otherEnds(); !ends.empty()) {
            actions.push_back(
                {QStringLiteral("follow"),
                 GraphView::tr("Go to the other end"),
                 [&canvas = view(), node = ends.front().node] { canvas.reveal(node); }});
        }
        if (!isOutput() && face().isLinked) {
            actions.push_back({QStringLiteral("disconnect"),
                               GraphView::tr("Disconnect"),
                               [&all = all(), port = port()] { all.removeWire(port); }});
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
        const graph::PortRef to{key().owner, key().item};
        return {
            {pressAction(), GraphView::tr("Select"), [&all = all(), to] { all.selectWire(to); }},
            {QStringLiteral("delete"), GraphView::tr("Delete"), [&all = all(), to] {
                 all.removeWire(to);
             }}};
    }

    [[nodiscard]] QRectF sceneRect() const override {
        const Wire& wire = *scene().wires().into({key().owner, key().item});
        return QRectF(wire.start, wire.end).normalized();
    }
};

QString plainValue(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QVariant bound(const std::optional<double>& limit) {
    return limit ? QVariant(*limit) : QVariant();
}

class RowElement : public CanvasElement, public QAccessibleValueInterface {
public:
    RowElement(CanvasElements& all, const ElementKey& key)
        : CanvasElement(all, key), text_(*this) {}

    [[nodiscard]] QAccessible::Role role() const override {
        if (!all().isThere(key()) || row().desc == nullptr) {
            return QAccessible::StaticText;
        }
        switch (row().desc->kind) {
            case ParamKind::Bool:
                return QAccessible::CheckBox;
            case ParamKind::Int:
            case ParamKind::Float:
            case ParamKind::Seed:
                return QAccessible::SpinBox;
            case ParamKind::Choice:
                return QAccessible::ComboBox;
            case ParamKind::Text:
            case ParamKind::File:
            case ParamKind::Folder:
                break;
        }
        return QAccessible::EditableText;
    }

    [[nodiscard]] QString name() const override { return row().label; }

    [[nodiscard]] QString description() const override {
        const QString text = withIssues(rowTip(row()), node().status(), key().item);
        return role() == QAccessible::ComboBox ? value() + u'\n' + text : text;
    }

    [[nodiscard]] QString value() const override { return row().value; }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        if (state.invisible) {
            return state;
        }
        state.readOnly = row().desc == nullptr;
        state.editable = role() == QAccessible::EditableText;
        state.multiLine = row().isLong;
        state.checkable = role() == QAccessible::CheckBox;
        state.checked = state.checkable && row().json == true;
        state.hasPopup = role() == QAccessible::ComboBox;
        state.invalid = issuesOf(node().status().issues).of(key().item) == Severity::Error;
        return state;
    }

    void setText(QAccessible::Text text, const QString& words) override {
        if (text == QAccessible::Value && all().isThere(key())) {
            take(words);
        }
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        const QAccessible::Role now = role();
        const bool isText = now == QAccessible::EditableText;
        switch (type) {
            case QAccessible::ValueInterface:
                return now == QAccessible::SpinBox ? static_cast<QAccessibleValueInterface*>(this)
                                                   : nullptr;
            case QAccessible::TextInterface:
                return isText ? static_cast<QAccessibleTextInterface*>(&text_) : nullptr;
            case QAccessible::EditableTextInterface:
                return isText ? static_cast<QAccessibleEditableTextInterface*>(&text_) : nullptr;
            default:
                return CanvasElement::interface_cast(type);
        }
    }

    void announceValue(const QString& before) override {
        const QAccessible::Role now = role();
        if (now == QAccessible::CheckBox) {
            QAccessible::State changed;
            changed.checked = true;
            QAccessibleStateChangeEvent event(this, changed);
            announceAccess(event);
        } else if (now == QAccessible::EditableText) {
            QAccessibleTextUpdateEvent event(this, 0, before, value());
            announceAccess(event);
        } else if (now == QAccessible::SpinBox || now == QAccessible::ComboBox) {
            QAccessibleValueChangeEvent event(this, currentValue());
            announceAccess(event);
        }
    }

    [[nodiscard]] QVariant currentValue() const override {
        const std::optional<long double> number = numberOf(row().json);
        return number ? QVariant(static_cast<double>(*number)) : QVariant();
    }

    void setCurrentValue(const QVariant& value) override {
        const TypedValue typed = valueFrom(*row().desc, static_cast<long double>(value.toDouble()));
        if (typed.value) {
            take(*typed.value);
        } else {
            announce(view(), typed.problem, Urgency::Urgent);
        }
    }

    [[nodiscard]] QVariant maximumValue() const override { return bound(row().desc->max); }

    [[nodiscard]] QVariant minimumValue() const override { return bound(row().desc->min); }

    [[nodiscard]] QVariant minimumStepSize() const override { return stepOf(*row().desc); }

protected:
    [[nodiscard]] std::vector<ElementAction> actions() const override {
        if (row().desc == nullptr) {
            return {};
        }
        const auto edit = [&all = all(), row = key()] { all.editValue(row); };
        if (row().desc->kind == ParamKind::Bool) {
            return {{toggleAction(), GraphView::tr("Switch"), edit}};
        }
        return {{pressAction(), GraphView::tr("Edit"), edit},
                {setFocusAction(), GraphView::tr("Edit"), edit}};
    }

    [[nodiscard]] QRectF sceneRect() const override {
        return node().layout().rows[index()].field.translated(node().pos());
    }

private:
    /// The value as one text.
    class Words : public PlainText {
    public:
        explicit Words(RowElement& row) : row_(row) {}

        [[nodiscard]] QString plainText() const override { return plainValue(row_.row().json); }

        void setPlainText(const QString& words) override { row_.take(words); }

    private:
        RowElement& row_;
    };

    [[nodiscard]] size_t index() const {
        return static_cast<size_t>(node().face().rowIndex(key().item));
    }

    [[nodiscard]] const RowFace& row() const { return node().face().rows[index()]; }

    /// A choice may be named by its label.
    void take(const QString& words) {
        if (row().desc == nullptr) {
            return;
        }
        std::string typed = words.toStdString();
        for (const ChoiceDesc& choice : row().desc->choices) {
            typed = choice.label == typed ? choice.id : typed;
        }
        take(graph::paramFromText(*row().desc, typed));
    }

    void take(const Json& value) {
        const ParamDesc param = *row().desc;
        if (const QString problem = refusalOf(param, value); !problem.isEmpty()) {
            announce(view(), problem, Urgency::Urgent);
            return;
        }
        scene().model().apply(GraphView::tr("Change %1").arg(name()),
                              [&value, &param, this](graph::Document& document) {
                                  document.nodes.at(key().owner).params[param.id] = value;
                              });
    }

    Words text_;
};

}  // namespace

std::unique_ptr<CanvasElement> makePortElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<PortElement>(all, key);
}

std::unique_ptr<CanvasElement> makeWireElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<WireElement>(all, key);
}

std::unique_ptr<CanvasElement> makeRowElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<RowElement>(all, key);
}

}  // namespace lowtide::ui
