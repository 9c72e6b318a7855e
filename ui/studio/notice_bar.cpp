#include "ui/studio/notice_bar.hpp"

#include "plugin/base/log.hpp"
#include "ui/access/announce.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStringList>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

struct NoticeLook {
    const char* icon;
    const char* ink;
    const char* ground;
    int rank;  ///< the lowest is shown on top
    Level level;
};

constexpr std::array<NoticeLook, 4> kLooks = {
    {{"info", "info", "info.soft", 2, Level::Info},
     {"warning", "warning", "warning.soft", 1, Level::Warning},
     {"error", "error", "error.soft", 0, Level::Error},
     {"check", "success", "success.soft", 2, Level::Info}}};

const NoticeLook& lookOf(NoticeKind kind) {
    return kLooks[static_cast<size_t>(kind)];
}

bool isProblem(NoticeKind kind) {
    return kind == NoticeKind::Warning || kind == NoticeKind::Error;
}

}  // namespace

/// The widgets of one line. They are kept while notices come and go, and so is the focus in them.
class NoticeBar::Row : public QFrame {
public:
    Row(NoticeBar& bar, size_t at)
        : QFrame(&bar),
          icon_(new QLabel(this)),
          text_(makeText({}, "", this)),
          button_(new QPushButton(this)),
          close_(makeIconButton("close", NoticeBar::tr("Close this message"), "", this)) {
        const QString number = at == 0 ? QString() : QString::number(at);
        text_->setObjectName(QStringLiteral("noticeText") + number);
        text_->setTextFormat(Qt::PlainText);
        text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        button_->setObjectName(QStringLiteral("noticeButton") + number);
        close_->setObjectName(QStringLiteral("noticeClose") + number);
        rowIn(this, 2, {3, 1, 1, 1}, {icon_, {text_, 1}, button_, close_});
        connect(button_, &QPushButton::clicked, &bar, [this, &bar] {
            const Notice chosen = shown_;  // the row may show another one at once
            if (chosen.standing.isEmpty()) {
                bar.withdraw(chosen.number);
            }
            if (chosen.act) {
                chosen.act();
            }
        });
        connect(close_, &QToolButton::clicked, &bar, [this, &bar] { bar.withdraw(shown_.number); });
        hide();
    }

    void showNotice(const Notice& notice) {
        shown_ = notice;
        text_->setText(notice.text);
        button_->setText(notice.button);
        button_->setVisible(!notice.button.isEmpty());
        close_->setVisible(notice.standing.isEmpty());
        paintIcon();
        setVisible(true);
        update();
    }

    void paintIcon() {
        const int side = Theme::current().size("icon");
        const NoticeLook& look = lookOf(shown_.kind);
        icon_->setPixmap(Theme::current().icon(look.icon, look.ink).pixmap({side, side}));
    }

protected:
    void paintEvent(QPaintEvent* event) override {
        QPainter painter(this);
        painter.fillRect(event->rect(), Theme::current().colour(lookOf(shown_.kind).ground));
        painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().colour("border"));
    }

private:
    QLabel* icon_;
    QLabel* text_;
    QPushButton* button_;
    QToolButton* close_;
    Notice shown_;
};

NoticeBar::NoticeBar(QWidget& over, QWidget* parent) : QFrame(parent), over_(over) {
    setObjectName(QStringLiteral("notice"));
    QBoxLayout* column = columnIn(this, 0, {});
    for (size_t at = 0; at < rows_.size(); ++at) {
        rows_[at] = new Row(*this, at);
        column->addWidget(rows_[at]);
    }
    connect(&Themed::instance(), &Themed::changed, this, [this] {
        std::ranges::for_each(rows_, [](Row* row) { row->paintIcon(); });
    });
    over.installEventFilter(this);
    hide();
}

NoticeBar::~NoticeBar() = default;

bool NoticeBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &over_ && (event->type() == QEvent::Resize || event->type() == QEvent::Move)) {
        reposition();
    }
    return QFrame::eventFilter(watched, event);
}

quint64 NoticeBar::show(NoticeKind kind,
                        const QString& text,
                        const QString& button,
                        std::function<void()> act) {
    return add({.number = ++last_,
                .kind = kind,
                .text = text,
                .button = button,
                .act = std::move(act),
                .standing = {}});
}

quint64 NoticeBar::showOfDocument(NoticeKind kind,
                                  const QString& text,
                                  const QString& button,
                                  std::function<void()> act) {
    return add({.number = ++last_,
                .kind = kind,
                .text = text,
                .button = button,
                .act = std::move(act),
                .standing = {},
                .document = document_});
}

quint64 NoticeBar::offerUndo(const QString& text, std::function<void()> undo) {
    return add({.number = ++last_,
                .kind = NoticeKind::Info,
                .text = text,
                .button = tr("Undo"),
                .act = std::move(undo),
                .standing = {},
                .isUndo = true});
}

void NoticeBar::stand(const QString& what,
                      NoticeKind kind,
                      const QString& text,
                      const QString& button,
                      std::function<void()> act) {
    add({.number = ++last_,
         .kind = kind,
         .text = text,
         .button = button,
         .act = std::move(act),
         .standing = what});
}

void NoticeBar::end(const QString& what) {
    removeIf([&](const Notice& each) { return each.standing == what; });
}

void NoticeBar::withdraw(quint64 notice) {
    removeIf([&](const Notice& each) { return each.number == notice && each.standing.isEmpty(); });
}

/// Nothing goes that comes back with another document.
void NoticeBar::setDocument(DocumentId document) {
    document_ = document;
    showRows();
}

void NoticeBar::forget(DocumentId document) {
    removeIf([&](const Notice& each) { return each.document == document; });
}

bool NoticeBar::isSeen(const Notice& notice) const {
    return notice.document == 0 || notice.document == document_;
}

std::vector<const NoticeBar::Notice*> NoticeBar::seen() const {
    std::vector<const Notice*> seen;
    for (const Notice& notice : notices_) {
        if (isSeen(notice) && seen.size() < rows_.size()) {
            seen.push_back(&notice);
        }
    }
    return seen;
}

/// The same once more, and the same condition in other words, take the place of what is there;
/// those of documents behind wait for theirs.
quint64 NoticeBar::add(Notice notice) {
    log(lookOf(notice.kind).level, notice.text.toStdString());
    std::erase_if(notices_, [&](const Notice& each) {
        const bool isSame =
            each.standing.isEmpty() ? each.text == notice.text : each.standing == notice.standing;
        const bool isOlderNews = !isProblem(notice.kind) && !isProblem(each.kind) &&
                                 each.standing.isEmpty() && notice.standing.isEmpty() &&
                                 each.isUndo == notice.isUndo;
        return isSeen(each) && (isSame || isOlderNews);
    });
    const int rank = lookOf(notice.kind).rank;
    const auto reposition = std::ranges::find_if(
        notices_, [&](const Notice& each) { return lookOf(each.kind).rank >= rank; });
    const quint64 number = notice.number;
    const QString text = notice.text;
    const Urgency urgency = notice.kind == NoticeKind::Error ? Urgency::Urgent : Urgency::Polite;
    notices_.insert(reposition, std::move(notice));
    reserveSpace();
    const bool wasVisible = isVisible();
    showRows();
    if (wasVisible) {  // showing it again notifies nobody by itself
        QAccessibleEvent shown(this, QAccessible::ObjectShow);
        announceAccess(shown);
    }
    announce(*this, text, urgency);
    return number;
}

/// Of those that are seen, the lowest and oldest problem goes, but no condition that still holds
/// unless all do.
void NoticeBar::reserveSpace() {
    using Is = bool (*)(const Notice&);
    const Is isAny = [](const Notice&) { return true; };
    const Is isTrouble = [](const Notice& each) { return isProblem(each.kind); };
    const auto count = [&](Is is) {
        return static_cast<size_t>(std::ranges::count_if(
            notices_, [&](const Notice& each) { return isSeen(each) && is(each); }));
    };
    const auto dropLast = [&](Is is) {
        const auto lastOf = [&](bool canHold) {
            return std::find_if(notices_.rbegin(), notices_.rend(), [&](const Notice& each) {
                return isSeen(each) && is(each) && (canHold || each.standing.isEmpty());
            });
        };
        const auto ended = lastOf(false);
        notices_.erase(std::next(ended == notices_.rend() ? lastOf(true) : ended).base());
    };
    while (count(isTrouble) > kMostProblems) {
        dropLast(isTrouble);
    }
    while (count(isAny) > rows_.size()) {
        dropLast(isAny);
    }
}

void NoticeBar::removeIf(const std::function<bool(const Notice&)>& isGone) {
    if (std::erase_if(notices_, isGone) > 0) {
        showRows();
    }
}

void NoticeBar::showRows() {
    const std::vector<const Notice*> shown = seen();
    for (size_t at = 0; at < rows_.size(); ++at) {
        if (at < shown.size()) {
            rows_[at]->showNotice(*shown[at]);
        } else {
            rows_[at]->hide();
        }
    }
    setAccessibleName(text());
    setVisible(!shown.empty());
    reposition();
}

QString NoticeBar::text() const {
    QStringList lines;
    for (const Notice* notice : seen()) {
        lines << notice->text;
    }
    return lines.join(QLatin1Char('\n'));
}

void NoticeBar::setAtBottom(bool isAtBottom) {
    isAtBottom_ = isAtBottom;
    reposition();
}

/// As wide as what it lies over, as high as the texts need.
void NoticeBar::reposition() {
    const int width = over_.width();
    const int height = seen().empty() ? 0 : layout()->totalHeightForWidth(width);
    const QPoint corner(0, isAtBottom_ ? over_.height() - height : 0);
    setGeometry(QRect(over_.mapTo(parentWidget(), corner), QSize(width, height)));
    raise();
    if (std::exchange(height_, height) != height) {
        Q_EMIT heightChanged(height);
    }
}

}  // namespace lowtide::ui
