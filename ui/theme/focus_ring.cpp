#include "ui/theme/focus_ring.hpp"

#include "ui/theme/style_paint.hpp"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QScrollArea>

namespace lowtide::ui {

FocusRing::FocusRing(QWidget* home) : QWidget(home), home_(home) {
    setObjectName(QStringLiteral("focusRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    connect(
        qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* focus) {
    if (area_ != nullptr) {
        area_->removeEventFilter(this);
    }
    area_ = qobject_cast<QScrollArea*>(focus);
    if (area_ == nullptr) {
        hide();
        setParent(home_);  // the area may go
        return;
    }
    area_->installEventFilter(this);
    setParent(area_);
    setGeometry(area_->rect());
    raise();
    show();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    if (watched == area_ && event->type() == QEvent::Resize) {
        setGeometry(area_->rect());
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintFocusRing(painter, rect(), 0);
}

}  // namespace lowtide::ui
