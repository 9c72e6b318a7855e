#pragma once

#include "ui/access/spoken.hpp"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <functional>

namespace lowtide::ui {

enum class NoticeKind { Info, Warning, Error, Success };

/// One line over the top of its parent that tells something without stopping the work, with at most
/// one button for what can be done about it.
class NoticeBar : public QFrame, public Spoken {
    Q_OBJECT

public:
    explicit NoticeBar(QWidget* parent);

    void show(NoticeKind kind,
              const QString& text,
              const QString& button = {},
              std::function<void()> act = {});
    void dismiss();

    [[nodiscard]] QString text() const { return text_->text(); }

    [[nodiscard]] QAccessible::Role spokenRole() const override {
        return QAccessible::Notification;
    }

    [[nodiscard]] QString spokenText() const override { return {}; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();
    void paintIcon();

    NoticeKind kind_ = NoticeKind::Info;
    QLabel* icon_;
    QLabel* text_;
    QPushButton* button_;
    QToolButton* close_;
    std::function<void()> act_;
};

}  // namespace lowtide::ui
