#include "ui/panels/row_focus.hpp"

#include <QAbstractItemView>
#include <QFocusEvent>
#include <QItemSelectionModel>

namespace lowtide::ui {

namespace {

class RowForKeys : public QObject {
public:
    explicit RowForKeys(QAbstractItemView& list) : QObject(&list), list_(list) {
        list.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::FocusIn &&
            static_cast<QFocusEvent*>(event)->reason() != Qt::MouseFocusReason &&
            !list_.selectionModel()->hasSelection()) {
            const QModelIndex at = list_.currentIndex();
            list_.setCurrentIndex(at.isValid() ? at : list_.model()->index(0, 0));
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QAbstractItemView& list_;
};

}  // namespace

void selectRowForKeys(QAbstractItemView& list) {
    new RowForKeys(list);
}

}  // namespace lowtide::ui
