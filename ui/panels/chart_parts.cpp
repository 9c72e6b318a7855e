#include "ui/panels/chart_parts.hpp"

#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QStyleOptionViewItem>
#include <QToolTip>

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kLegendRow = Theme::space(5);
constexpr int kSwatch = Theme::space(2);
constexpr int kHatchStep = 5;

QFontMetricsF metrics(const char* role) {
    return QFontMetricsF(Theme::current().font(role));
}

/// Calls `draw` with the rectangle of each entry; returns the height of all.
template <typename Draw>
int layLegend(qreal width, const std::vector<LegendEntry>& entries, const Draw& draw) {
    const QFontMetricsF measure = metrics("small");
    qreal x = 0;
    qreal y = 0;
    for (const LegendEntry& entry : entries) {
        const qreal needed =
            std::ceil(measure.horizontalAdvance(entry.text)) + kSwatch + Theme::space(1);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += kLegendRow;
        }
        draw(entry, QRectF(x, y, std::min(needed, width), kLegendRow));
        x += needed + Theme::space(3);
    }
    return entries.empty() ? 0 : static_cast<int>(y) + kLegendRow;
}

}  // namespace

Chart::Chart(const char* name, QWidget* parent) : QWidget(parent) {
    setObjectName(name);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    connect(&Themed::instance(), &Themed::changed, this, &Chart::refresh);
}

QSize Chart::sizeHint() const {
    return {Theme::space(80), heightNeeded()};
}

QSize Chart::minimumSizeHint() const {
    return {Theme::space(50), heightNeeded()};
}

void Chart::setNodeNames(NodeNames names) {
    names_ = std::move(names);
    refresh();
}

QString Chart::nameOf(const std::string& node) const {
    return names_ ? names_(node) : QString::fromStdString(node);
}

void Chart::refresh() {
    updateGeometry();
    update();
}

QString Chart::tipAt(QPointF) const {
    return {};
}

bool Chart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(help->pos());
        tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    if (event->type() == QEvent::Resize) {
        updateGeometry();  // a legend may need another line
    }
    return QWidget::event(event);
}

void paintTrack(QPainter& painter, const QRectF& track) {
    const Theme& theme = Theme::current();
    painter.fillRect(track, theme.colour("field"));
    painter.setPen(QPen(theme.colour("border"), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(track.adjusted(0.5, 0.5, -0.5, -0.5));
}

void paintBar(QPainter& painter, const QRectF& rect, const QColor& colour, bool isHatched) {
    if (rect.width() <= 0) {
        return;
    }
    if (!isHatched) {
        painter.fillRect(rect, colour);
        return;
    }
    painter.save();
    QColor soft = colour;
    soft.setAlphaF(0.25F);
    painter.fillRect(rect, soft);
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.25));
    for (qreal x = rect.left() - rect.height(); x < rect.right(); x += kHatchStep) {
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()));
    }
    painter.restore();
}

void paintText(QPainter& painter,
               const QRectF& rect,
               const QString& text,
               const char* role,
               const char* colour,
               Qt::Alignment alignment) {
    const Theme& theme = Theme::current();
    const QFont font = theme.font(role);
    const QFontMetricsF measure(font);
    painter.setFont(font);
    painter.setPen(theme.colour(colour));
    const QString shown = measure.elidedText(text, Qt::ElideRight, rect.width());
    const qreal width = measure.horizontalAdvance(shown);
    const qreal x = alignment.testFlag(Qt::AlignRight)     ? rect.right() - width
                    : alignment.testFlag(Qt::AlignHCenter) ? rect.center().x() - width / 2
                                                           : rect.left();
    const qreal baseline = rect.center().y() + (measure.capHeight() / 2);
    painter.drawText(QPointF(std::round(x), std::round(baseline)), shown);
}

void paintRowGround(QPainter& painter, const QStyleOptionViewItem& option) {
    const Theme& theme = Theme::current();
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter.fillRect(option.rect, theme.colour("selection"));
        if (theme.isHighContrast()) {  // a background alone shows too little
            paintFocusRing(painter, option.rect, 0);
        }
    } else if (option.state.testFlag(QStyle::State_MouseOver)) {
        painter.fillRect(option.rect, theme.colour("hover"));
    }
}

void paintLegend(QPainter& painter, const QRectF& rect, const std::vector<LegendEntry>& entries) {
    layLegend(rect.width(), entries, [&](const LegendEntry& entry, QRectF area) {
        area.translate(rect.topLeft());
        const QRectF swatch(area.left(), area.center().y() - kSwatch / 2.0, kSwatch, kSwatch);
        paintBar(painter, swatch, entry.colour, entry.isHatched);
        paintText(painter,
                  area.adjusted(kSwatch + Theme::space(1), 0, 0, 0),
                  entry.text,
                  "small",
                  "text.muted");
    });
}

int legendHeight(int width, const std::vector<LegendEntry>& entries) {
    return layLegend(width, entries, [](const LegendEntry&, const QRectF&) {});
}

}  // namespace lowtide::ui
