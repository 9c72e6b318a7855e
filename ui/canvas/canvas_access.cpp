#include "ui/canvas/canvas_access.hpp"

#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/language/language.hpp"

#include <QAccessibleWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// The elements first, so that a node's place is its place in the run, then editors and lists that
/// lie over the canvas.
class CanvasAccess : public QAccessibleWidget {
public:
    explicit CanvasAccess(GraphView& view)
        : QAccessibleWidget(&view, QAccessible::List), elements_(&view.elements()) {}

    [[nodiscard]] QString text(QAccessible::Text text) const override {
        if (text != QAccessible::Description || !elements_) {
            return QAccessibleWidget::text(text);
        }
        const graph::Document& document = elements_->scene().model().document();
        return listed(
            {GraphView::tr("%n node(s)", nullptr, static_cast<int>(document.nodes.size())),
             GraphView::tr("%n wire(s)", nullptr, static_cast<int>(document.links.size()))});
    }

    [[nodiscard]] int childCount() const override {
        return own() + QAccessibleWidget::childCount();
    }

    [[nodiscard]] QAccessibleInterface* child(int index) const override {
        return index >= 0 && index < own()
                   ? elements_->at(elements_->top()[static_cast<size_t>(index)])
                   : QAccessibleWidget::child(index - own());
    }

    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override {
        if (const auto* element = dynamic_cast<const CanvasElement*>(child)) {
            const std::vector<ElementKey>& top = elements_->top();
            const auto found = std::find(top.begin(), top.end(), element->key());
            return found == top.end() ? -1 : static_cast<int>(found - top.begin());
        }
        const int index = QAccessibleWidget::indexOfChild(child);
        return index < 0 ? index : own() + index;
    }

    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override {
        for (int i = 0; i < own(); ++i) {
            QAccessibleInterface* each = child(i);
            if (each != nullptr && each->rect().contains(x, y)) {
                return each;
            }
        }
        return QAccessibleWidget::childAt(x, y);
    }

    [[nodiscard]] QAccessibleInterface* focusChild() const override {
        const std::optional<ElementKey> current =
            elements_ && widget()->hasFocus() ? elements_->current() : std::nullopt;
        return current ? elements_->at(*current) : QAccessibleWidget::focusChild();
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.multiSelectable = true;
        return state;
    }

    [[nodiscard]] QStringList actionNames() const override {
        return QStringList{showMenuAction(), QStringLiteral("addNode")} +
               QAccessibleWidget::actionNames();
    }

    [[nodiscard]] QString localizedActionName(const QString& name) const override {
        return name == QLatin1String("addNode") ? GraphView::tr("Add node")
                                                : QAccessibleWidget::localizedActionName(name);
    }

    void doAction(const QString& name) override {
        if (name == QLatin1String("addNode")) {
            canvas().openSearch();
        } else if (name == showMenuAction()) {
            canvas().showMenu();
        } else {
            QAccessibleWidget::doAction(name);
        }
    }

private:
    [[nodiscard]] GraphView& canvas() const { return *static_cast<GraphView*>(widget()); }

    [[nodiscard]] int own() const {
        return elements_ ? static_cast<int>(elements_->top().size()) : 0;
    }

    QPointer<CanvasElements> elements_;
};

QAccessibleInterface* accessOfCanvas(const QString&, QObject* object) {
    auto* view = qobject_cast<GraphView*>(object);
    return view == nullptr ? nullptr : new CanvasAccess(*view);
}

}  // namespace

void installCanvasAccess() {
    QAccessible::installFactory(accessOfCanvas);  // again is nothing
}

}  // namespace lowtide::ui
