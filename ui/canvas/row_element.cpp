// A parameter on a node for assistive technology: read, set, stepped, or opened to be edited.
#include "plugin/graph/param_value.hpp"
#include "ui/access/announce.hpp"
#include "ui/access/spoken.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_issues.hpp"
#include "ui/editors/number_text.hpp"

namespace lowtide::ui {

namespace {

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

    void tellValue(const QString& before) override {
        const QAccessible::Role now = role();
        if (now == QAccessible::CheckBox) {
            QAccessible::State changed;
            changed.checked = true;
            QAccessibleStateChangeEvent event(this, changed);
            tellAccess(event);
        } else if (now == QAccessible::EditableText) {
            QAccessibleTextUpdateEvent event(this, 0, before, value());
            tellAccess(event);
        } else if (now == QAccessible::SpinBox || now == QAccessible::ComboBox) {
            QAccessibleValueChangeEvent event(this, currentValue());
            tellAccess(event);
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
        GraphView& canvas = view();
        if (row().desc == nullptr) {
            return {};
        }
        const auto edit = [&canvas, owner = key().owner, param = key().item] {
            canvas.editValue(owner, param);
        };
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

std::unique_ptr<CanvasElement> makeRowElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<RowElement>(all, key);
}

}  // namespace lowtide::ui
