#include "ui/editors/edit_session.hpp"

#include <QEvent>
#include <QFocusEvent>
#include <QLineEdit>
#include <QList>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSpinBox>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// A field that is watched; the field owns it.
class WatchedField : public QObject {
public:
    WatchedField(QWidget& field, std::function<bool()> commit, std::function<void()> left)
        : QObject(&field), field_(field), commit_(std::move(commit)), left_(std::move(left)) {
        field.installEventFilter(this);
        if (auto* line = qobject_cast<QLineEdit*>(&field)) {
            connect(line, &QLineEdit::returnPressed, this, &WatchedField::leave);
        }
    }

    [[nodiscard]] QWidget& field() const { return field_; }

    bool commit() {
        if (isCommitting_) {
            return true;
        }
        const QPointer<WatchedField> self = this;
        isCommitting_ = true;
        const bool isTaken = commit_();
        if (!self) {
            return isTaken;
        }
        isCommitting_ = false;
        auto* line = qobject_cast<QLineEdit*>(&field_);
        if (line && isTaken) {
            line->setModified(false);
        }
        auto& others = refused();
        others.removeAll(self);
        others.removeAll(nullptr);
        if (!isTaken) {
            others.append(self);
        }
        return isTaken;
    }

    /// Whether a user types into the field, or typed what cannot be read. What is being taken is
    /// typed no more: it is shown as it was understood.
    [[nodiscard]] static bool isTypedIn(const QWidget& field) {
        QList<QPointer<WatchedField>> held = refused();
        held.append(atWork());
        const auto own = std::ranges::find_if(
            held, [&](const auto& each) { return each && &each->field_ == &field; });
        return own == held.end() ? field.hasFocus() : !(*own)->isCommitting_;
    }

    static QPointer<WatchedField>& atWork() {
        static QPointer<WatchedField> field;
        return field;
    }

    /// Fields with what cannot be read, until it is fixed or gone.
    static QList<QPointer<WatchedField>>& refused() {
        static QList<QPointer<WatchedField>> fields;
        return fields;
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
    std::function<bool()> commit_;
    std::function<void()> left_;
    bool isCommitting_ = false;
};

/// Popups and dialogs of a widget lie within it too.
bool liesWithin(const QWidget& field, const QWidget* within) {
    const QWidget* each = &field;
    while (within && each && each != within) {
        each = each->parentWidget();
    }
    return each != nullptr;
}

}  // namespace

void EditSession::watch(QWidget& field, std::function<bool()> commit, std::function<void()> left) {
    new WatchedField(field, std::move(commit), std::move(left));
}

bool EditSession::commit(const QWidget* within) {
    WatchedField* atWork = WatchedField::atWork();
    if (atWork && liesWithin(atWork->field(), within)) {
        atWork->commit();
    }
    const QList<QPointer<WatchedField>> before = WatchedField::refused();
    for (const QPointer<WatchedField>& field : before) {
        if (field && liesWithin(field->field(), within)) {
            field->commit();
        }
    }
    return !refusedField(within);
}

QWidget* EditSession::refusedField(const QWidget* within) {
    for (const QPointer<WatchedField>& field : WatchedField::refused()) {
        if (field && liesWithin(field->field(), within)) {
            return &field->field();
        }
    }
    return nullptr;
}

void EditSession::showUnlessTyped(QLineEdit& field, const QString& text) {
    if (field.text() != text && !(field.isModified() && WatchedField::isTypedIn(field))) {
        field.setText(text);
    }
}

/// The same text again would move the cursor of whoever is typing.
void EditSession::showUnlessTyped(QPlainTextEdit& field, const QString& text) {
    if (field.toPlainText() != text &&
        !(field.document()->isModified() && WatchedField::isTypedIn(field))) {
        field.setPlainText(text);
    }
}

/// What is typed that far, such as nothing yet, is no value.
void EditSession::showUnlessTyped(QSpinBox& field, int value) {
    if (field.value() != value || !field.hasFocus()) {
        field.setValue(value);
    }
}

void EditSession::forgetIn(const QWidget& part) {
    const QList<QObject*> objects = part.findChildren<QObject*>();
    for (QObject* object : objects) {
        delete dynamic_cast<WatchedField*>(object);
    }
}

}  // namespace lowtide::ui
