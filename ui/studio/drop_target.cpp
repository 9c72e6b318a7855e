#include "ui/studio/drop_target.hpp"

#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QPaintEvent>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace lowtide::ui {

namespace {

/// Lies over a field, which remains what the pointer is over.
class FieldFrame : public QWidget {
public:
    explicit FieldFrame(QWidget& field) : QWidget(&field) {
        setObjectName(QStringLiteral("dropFrame"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setGeometry(field.rect());
        show();
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        paintFocusRing(painter, rect(), Theme::current().size("radius"));
    }
};

bool isEditorOf(const ParamEditor& editor, const graph::PortRef& taker) {
    return editor.isVisible() && editor.paramId() == taker.port &&
           std::ranges::count(editor.nodes(), taker.node) > 0;
}

}  // namespace

DropTarget::DropTarget(MainWindowWidgets& widgets, FindTaker find)
    : widgets_(widgets), find_(std::move(find)) {}

void DropTarget::hover(const QStringList& files, const DropSpot& spot) {
    if (files.isEmpty()) {
        leave();
        return;
    }
    spot_ = spot;
    if (files.front() != file_) {
        file_ = files.front();
        taker_ = {};
        find_(file_, [this, file = file_](FileTaker taker) {
            if (file == file_) {
                taker_ = std::move(taker);
                showTaker();
            }
        });
    }
    showTaker();
}

void DropTarget::leave() {
    file_.clear();
    taker_ = {};
    showTaker();
}

void DropTarget::showTaker() {
    const std::optional<graph::PortRef> taker = taker_ ? taker_(spot_) : std::nullopt;
    if (taker == shown_) {
        return;
    }
    shown_ = taker;
    widgets_.canvas.pointOut(taker);
    for (const QPointer<QWidget>& frame : std::exchange(frames_, {})) {
        delete frame.data();
    }
    for (const QWidget* panel :
         std::initializer_list<const QWidget*>{&widgets_.form, &widgets_.inspector}) {
        for (ParamEditor* editor : panel->findChildren<ParamEditor*>()) {
            if (taker && isEditorOf(*editor, *taker)) {
                frames_.emplace_back(new FieldFrame(*editor));
            }
        }
    }
}

}  // namespace lowtide::ui
