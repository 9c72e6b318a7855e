#include "ui/theme/responsive_layout.hpp"

#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QResizeEvent>
#include <QScreen>
#include <QScrollBar>
#include <QStyle>
#include <QTextLayout>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

bool doesExpand(const QLayoutItem& item) {
    return item.expandingDirections().testFlag(Qt::Horizontal);
}

/// What an item wants; one that expands is as narrow as it may be before its line breaks.
int wantedWidth(const QLayoutItem& item) {
    return doesExpand(item) ? item.minimumSize().width() : item.sizeHint().width();
}

int heightIn(const QLayoutItem& item, int width) {
    return item.hasHeightForWidth() ? item.heightForWidth(width) : item.sizeHint().height();
}

constexpr int kLeastPartHeight = Theme::space(16);
constexpr int kWindowFrame = 40;  ///< pixels: the title of a window, and a little air

/// Between area and content: a scroll area would give a content with wrapped texts the height that
/// it prefers, although less would do.
class Held : public QWidget {
public:
    explicit Held(QWidget* content) : content_(content) { content_->setParent(this); }

    [[nodiscard]] QSize sizeHint() const override { return content_->sizeHint(); }

    [[nodiscard]] QSize minimumSizeHint() const override {
        const QSize least = content_->minimumSizeHint().expandedTo(content_->minimumSize());
        const QLayout* layout = content_->layout();
        const int width = std::max(this->width(), least.width());
        return {least.width(),
                layout && layout->hasHeightForWidth() ? layout->minimumHeightForWidth(width)
                                                      : least.height()};
    }

protected:
    void resizeEvent(QResizeEvent*) override { content_->setGeometry(rect()); }

private:
    QWidget* content_;
};

constexpr int kLeastLetters = 6;
constexpr int kLeastWrapped = 20;  ///< letters

}  // namespace

FlowRow::FlowRow(QWidget* parent) : QLayout(parent) {}

FlowRow::~FlowRow() {
    while (!items_.isEmpty()) {
        delete items_.takeLast();  // a layout takes itself out of a list that it is still in
    }
}

void FlowRow::setAtEnd(bool isAtEnd) {
    isAtEnd_ = isAtEnd;
    invalidate();
}

void FlowRow::addGroup(const QList<QWidget*>& widgets) {
    auto* group = new QHBoxLayout;
    group->setContentsMargins(0, 0, 0, 0);
    group->setSpacing(spacing());
    for (QWidget* widget : widgets) {
        group->addWidget(widget);
    }
    addLayout(group);
}

void FlowRow::addLayout(QLayout* layout) {
    addChildLayout(layout);
    addItem(layout);
}

int FlowRow::lineWidth() const {
    const QMargins margins = contentsMargins();
    int width = margins.left() + margins.right() - spacing();
    for (QLayoutItem* item : items_) {
        if (QLayout* group = item->layout()) {
            group->invalidate();  // what it remembers of its widgets may be old
        }
        width += item->isEmpty() ? 0 : wantedWidth(*item) + spacing();
    }
    return width;
}

void FlowRow::addItem(QLayoutItem* item) {
    items_ << item;
    invalidate();
}

int FlowRow::count() const {
    return static_cast<int>(items_.size());
}

QLayoutItem* FlowRow::itemAt(int index) const {
    return items_.value(index);
}

QLayoutItem* FlowRow::takeAt(int index) {
    return index >= 0 && index < count() ? items_.takeAt(index) : nullptr;
}

Qt::Orientations FlowRow::expandingDirections() const {
    return Qt::Horizontal;
}

bool FlowRow::hasHeightForWidth() const {
    return true;
}

QList<FlowRow::Line> FlowRow::linesIn(int width) const {
    QList<Line> lines;
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) {
            continue;
        }
        const int wanted = std::min(wantedWidth(*item), width);
        const bool isFirst = lines.isEmpty();
        if (isFirst || lines.back().width + spacing() + wanted > width) {
            lines << Line{.items = {}, .width = wanted, .height = 0};
        } else {
            lines.back().width += spacing() + wanted;
        }
        lines.back().items << item;
        lines.back().height = std::max(lines.back().height, heightIn(*item, wanted));
    }
    return lines;
}

int FlowRow::heightForWidth(int width) const {
    const QMargins margins = contentsMargins();
    int height = margins.top() + margins.bottom();
    const QList<Line> lines = linesIn(width - margins.left() - margins.right());
    for (const Line& line : lines) {
        height += line.height;
    }
    return height + spacing() * std::max(0, static_cast<int>(lines.size()) - 1);
}

QSize FlowRow::sizeHint() const {
    const QMargins margins = contentsMargins();
    QSize size(0, 0);
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            const QSize hint = item->sizeHint();
            size = {size.width() + hint.width() + (size.width() > 0 ? spacing() : 0),
                    std::max(size.height(), hint.height())};
        }
    }
    return size.grownBy(margins);
}

QSize FlowRow::minimumSize() const {
    QSize size(0, 0);
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    return size.grownBy(contentsMargins());
}

void FlowRow::layOutLine(const Line& line, const QRect& area) const {
    const int expanding = static_cast<int>(std::count_if(
        line.items.begin(), line.items.end(), [](const auto* item) { return doesExpand(*item); }));
    const int spare = std::max(0, area.width() - line.width);
    int left = area.left() + (expanding == 0 && isAtEnd_ ? spare : 0);
    int toDivide = spare;
    int sharers = expanding;
    for (QLayoutItem* item : line.items) {
        int width = std::min(wantedWidth(*item), area.width());
        if (doesExpand(*item)) {
            const int part = toDivide / sharers--;
            toDivide -= part;
            width += part;
        }
        const int height = std::min(line.height, heightIn(*item, width));
        const QRect rect(left, area.top() + (line.height - height) / 2, width, height);
        item->setGeometry(QStyle::visualRect(parentWidget()->layoutDirection(), area, rect));
        left += width + spacing();
    }
}

/// A column that runs out of height squeezes a row below what its lines need, unless the least
/// height of its widget requires it.
void FlowRow::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    if (parentWidget()->layout() == this) {
        parentWidget()->setMinimumHeight(heightForWidth(rect.width()));
    }
    const QRect area = rect.marginsRemoved(contentsMargins());
    int top = area.top();
    for (const Line& line : linesIn(area.width())) {
        layOutLine(line, QRect(area.left(), top, area.width(), line.height));
        top += line.height + spacing();
    }
}

LabelsThatFit::LabelsThatFit(QWidget& bar, const FlowRow& row, const QList<QToolButton*>& buttons)
    : QObject(&bar), row_(row), buttons_(buttons) {
    bar.installEventFilter(this);
}

/// Before the row is laid out in its new size.
bool LabelsThatFit::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        const auto* resized = static_cast<const QResizeEvent*>(event);
        if (resized->size().width() != resized->oldSize().width()) {
            fit(resized->size().width());
        }
    }
    return QObject::eventFilter(watched, event);
}

void LabelsThatFit::fit(int width) {
    const auto show = [this](Qt::ToolButtonStyle style) {
        for (QToolButton* button : buttons_) {
            button->setToolButtonStyle(style);
        }
    };
    show(Qt::ToolButtonTextBesideIcon);
    if (row_.lineWidth() > width) {
        show(Qt::ToolButtonIconOnly);
    }
}

void keepSpace(QWidget& widget) {
    QSizePolicy policy = widget.sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget.setSizePolicy(policy);
}

ScrolledPart::ScrolledPart(QWidget* content, QWidget* parent)
    : QScrollArea(parent), content_(content), least_(QWIDGETSIZE_MAX, kLeastPartHeight) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidgetResizable(true);
    setWidget(new Held(content));
    // What lies around it shows through; Qt would count it as hidden by an opaque part.
    widget()->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    content_->show();
    content_->installEventFilter(this);
}

void ScrolledPart::setLeast(const QSize& size) {
    if (size != least_) {
        least_ = size;
        updateGeometry();
    }
}

QSize ScrolledPart::sizeHint() const {
    return content_->sizeHint().expandedTo(minimumSizeHint());
}

QSize ScrolledPart::minimumSizeHint() const {
    const QSize bars(verticalScrollBar()->sizeHint().width(), 0);
    return (widget()->minimumSizeHint() + bars).boundedTo(least_);
}

bool ScrolledPart::eventFilter(QObject* watched, QEvent* event) {
    if (watched == content_ && event->type() == QEvent::LayoutRequest) {
        widget()->updateGeometry();
        updateGeometry();
    }
    return QScrollArea::eventFilter(watched, event);
}

void resizeToScreen(QWidget& window) {
    const QSize frame(0, kWindowFrame);
    const QSize available = window.screen()->availableSize() - frame;
    window.ensurePolished();
    window.resize(window.sizeHint().expandedTo(window.minimumSize()).boundedTo(available));
}

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
    setWordWrap(true);
}

QSize WrappedLabel::minimumSizeHint() const {
    const QSize whole = QLabel::minimumSizeHint();
    const int least = kLeastWrapped * fontMetrics().averageCharWidth();
    return {breaksWords(least) ? least : whole.width(), whole.height()};
}

int WrappedLabel::heightForWidth(int width) const {
    if (!breaksWords(width)) {
        return QLabel::heightForWidth(width);
    }
    const QMargins around = contentsMargins() + margin();
    QTextLayout layout(text(), font());
    return layOut(layout, width - around.left() - around.right()) + around.top() + around.bottom();
}

bool WrappedLabel::breaksWords(int width) const {
    const bool isPlain = textFormat() == Qt::PlainText ||
                         (textFormat() == Qt::AutoText && !Qt::mightBeRichText(text()));
    return isPlain && wordWrap() && width < QLabel::minimumSizeHint().width();
}

int WrappedLabel::layOut(QTextLayout& layout, int width) const {
    QTextOption option(QStyle::visualAlignment(layoutDirection(), alignment()));
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.setText(text().replace(u'\n', QChar::LineSeparator));
    double height = 0;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition({0, height});
        height += line.height();
    }
    layout.endLayout();
    return static_cast<int>(std::ceil(height));
}

void WrappedLabel::paintEvent(QPaintEvent* event) {
    if (!breaksWords(width())) {
        QLabel::paintEvent(event);
        return;
    }
    QFrame::paintEvent(event);
    const QRect area = contentsRect() - QMargins(margin(), margin(), margin(), margin());
    QTextLayout layout(text(), font());
    const QSize size(area.width(), layOut(layout, area.width()));
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    layout.draw(&painter,
                QStyle::alignedRect(layoutDirection(), alignment(), size, area).topLeft());
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
    QLabel::setText(text);
    emitRest();
}

QSize ElidedLabel::minimumSizeHint() const {
    const QSize whole = QLabel::minimumSizeHint();
    return {std::min(whole.width(), kLeastLetters * fontMetrics().averageCharWidth()),
            whole.height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    emitRest();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        emitRest();
    }
}

void ElidedLabel::emitRest() {
    const bool isWhole = fontMetrics().horizontalAdvance(text()) <= contentsRect().width();
    setToolTip(isWhole ? QString() : text());
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    QPainter painter(this);
    const QRect area = contentsRect();
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, area.width());
    style()->drawItemText(&painter,
                          area,
                          static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())),
                          palette(),
                          isEnabled(),
                          shown,
                          foregroundRole());
}

}  // namespace lowtide::ui
