#include "ui/editors/edit_session.hpp"

#include <QEvent>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPointer>
#include <QScopedValueRollback>

#include <utility>

namespace lowtide::ui {

namespace {

/// A field that is watched; the field owns it.
class WatchedField : public QObject {
public:
    WatchedField(QWidget& field, std::function<void()> commit, std::function<void()> left)
        : QObject(&field), field_(field), commit_(std::move(commit)), left_(std::move(left)) {
        field.installEventFilter(this);
        if (auto* line = qobject_cast<QLineEdit*>(&field)) {
            connect(line, &QLineEdit::returnPressed, this, &WatchedField::leave);
        }
    }

    [[nodiscard]] const QWidget& field() const { return field_; }

    void commit() {
        if (!isCommitting_) {
            const QScopedValueRollback<bool> committing(isCommitting_, true);
            commit_();
        }
    }

    static QPointer<WatchedField>& atWork() {
        static QPointer<WatchedField> field;
        return field;
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::FocusIn) {
            begin();
        } else if (event->type() == QEvent::FocusOut) {
            const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
            if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason) {
                end();
            }
        }
        return false;
    }

private:
    void begin() {
        const QPointer<WatchedField> before = std::exchange(atWork(), this);
        if (before && before != this) {
            before->commit();
        }
    }

    void end() {
        // A field that is being destroyed loses the focus too, when its editor is gone already.
        if (field_.metaObject() == &QWidget::staticMetaObject) {
            return;
        }
        if (atWork() == this) {
            atWork().clear();
        }
        leave();
    }

    void leave() {
        if (isCommitting_) {
            return;
        }
        const QPointer<WatchedField> self = this;
        commit();
        if (self && left_) {
            left_();
        }
    }

    QWidget& field_;
    std::function<void()> commit_;
    std::function<void()> left_;
    bool isCommitting_ = false;
};

}  // namespace

void EditSession::watch(QWidget& field, std::function<void()> commit, std::function<void()> left) {
    new WatchedField(field, std::move(commit), std::move(left));
}

void EditSession::commit() {
    if (WatchedField* field = WatchedField::atWork()) {
        field->commit();
    }
}

void EditSession::commitIn(const QWidget& part) {
    const WatchedField* field = WatchedField::atWork();
    if (field && (&field->field() == &part || part.isAncestorOf(&field->field()))) {
        commit();
    }
}

void EditSession::forgetIn(const QWidget& part) {
    const QList<QObject*> objects = part.findChildren<QObject*>();
    for (QObject* object : objects) {
        delete dynamic_cast<WatchedField*>(object);
    }
}

}  // namespace lowtide::ui
