#include "ui/studio/notice_bar.hpp"

#include "ui/access/announce.hpp"
#include "ui/access/listening.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QPainter>

#include <array>

namespace lowtide::ui {

namespace {

struct NoticeLook {
    const char* icon;
    const char* ink;
    const char* ground;
};

constexpr std::array<NoticeLook, 4> kLooks = {{{"info", "info", "info.soft"},
                                               {"warning", "warning", "warning.soft"},
                                               {"error", "error", "error.soft"},
                                               {"check", "success", "success.soft"}}};

const NoticeLook& lookOf(NoticeKind kind) {
    return kLooks[static_cast<size_t>(kind)];
}

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      button_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("notice"));
    text_->setObjectName(QStringLiteral("noticeText"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    button_->setObjectName(QStringLiteral("noticeButton"));
    close_->setObjectName(QStringLiteral("noticeClose"));
    close_->setIcon(Theme::current().icon("close"));
    close_->setAutoRaise(true);
    close_->setToolTip(tr("Close this message"));
    close_->setAccessibleName(close_->toolTip());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(1), Theme::space(1));
    row->setSpacing(Theme::space(2));
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    row->addWidget(button_);
    row->addWidget(close_);
    connect(button_, &QPushButton::clicked, this, [this] {
        const std::function<void()> act = act_;
        dismiss();
        if (act) {
            act();
        }
    });
    connect(close_, &QToolButton::clicked, this, &NoticeBar::dismiss);
    connect(&Themed::instance(), &Themed::changed, this, &NoticeBar::paintIcon);
    parent->installEventFilter(this);
    hide();
}

bool NoticeBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent() && event->type() == QEvent::Resize) {
        place();
    }
    return QFrame::eventFilter(watched, event);
}

/// As wide as the parent, as high as the text needs.
void NoticeBar::place() {
    const int width = parentWidget()->width();
    setGeometry(0, 0, width, layout()->totalHeightForWidth(width));
    raise();
}

void NoticeBar::show(NoticeKind kind,
                     const QString& text,
                     const QString& button,
                     std::function<void()> act) {
    kind_ = kind;
    paintIcon();
    text_->setText(text);
    setAccessibleName(text);
    button_->setText(button);
    button_->setVisible(!button.isEmpty());
    act_ = std::move(act);
    place();
    const bool wasVisible = isVisible();
    setVisible(true);
    update();
    if (wasVisible) {  // showing it anew tells nobody by itself
        QAccessibleEvent shown(this, QAccessible::ObjectShow);
        tellAccess(shown);
    }
    announce(*this, text, kind == NoticeKind::Error ? Urgency::Urgent : Urgency::Polite);
}

void NoticeBar::paintIcon() {
    const int side = Theme::current().size("icon");
    const NoticeLook& look = lookOf(kind_);
    icon_->setPixmap(Theme::current().icon(look.icon, look.ink).pixmap({side, side}));
}

void NoticeBar::dismiss() {
    act_ = nullptr;
    hide();
}

void NoticeBar::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), Theme::current().colour(lookOf(kind_).ground));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().colour("border"));
}

}  // namespace lowtide::ui
