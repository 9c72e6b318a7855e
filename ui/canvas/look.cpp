#include "ui/canvas/look.hpp"

#include <QFontMetricsF>
#include <QPolygonF>
#include <QTextLayout>

#include <cmath>
#include <numbers>

namespace lowtide::ui {

namespace {

constexpr double kDarkShadow = 0.28;
constexpr double kLightShadow = 0.08;
constexpr double kLarger = 1.4;  ///< as much as fits the rows of a node

QFont larger(QFont font) {
    font.setPixelSize(static_cast<int>(std::round(font.pixelSize() * kLarger)));
    return font;
}

/// More is never shown of one value; laying out a pasted book would be felt.
constexpr int kMostLetters = 2000;
constexpr double kScaleStep = 1.02;  ///< letters are at most a hundredth too large or small

QString singleLine(QString text) {
    text.truncate(kMostLetters);
    return text.replace(u'\n', u' ').replace(u'\t', u' ');
}

QPainterPath regular(int corners, double radius, double firstAngle) {
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = firstAngle + 2 * std::numbers::pi * i / corners;
        polygon << QPointF(radius * std::cos(angle), radius * std::sin(angle));
    }
    QPainterPath path;
    path.addPolygon(polygon);
    path.closeSubpath();
    return path;
}

}  // namespace

QColor mixed(const QColor& first, const QColor& second, double fraction) {
    const auto between = [fraction](double a, double b) { return a + (b - a) * fraction; };
    return QColor::fromRgbF(static_cast<float>(between(first.redF(), second.redF())),
                            static_cast<float>(between(first.greenF(), second.greenF())),
                            static_cast<float>(between(first.blueF(), second.blueF())),
                            static_cast<float>(between(first.alphaF(), second.alphaF())));
}

QColor faded(QColor colour, double opacity) {
    colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
    return colour;
}

Look::Look(const Theme& theme)
    : canvas(theme.colour("canvas")),
      grid(theme.colour("canvas.grid")),
      body(theme.colour("node")),
      header(theme.colour("node.header")),
      row(theme.colour("node.row")),
      rowEdge(theme.colour("node.row.edge")),
      hover(theme.colour("hover")),
      border(theme.colour("node.border")),
      text(theme.colour("text")),
      muted(theme.colour("text.muted")),
      accent(theme.colour("accent")),
      accentText(theme.colour("accent.text")),
      selected(theme.colour("node.selected")),
      running(theme.colour("node.running")),
      warning(theme.colour("warning")),
      warningSoft(theme.colour("warning.soft")),
      error(theme.colour("error")),
      errorSoft(theme.colour("error.soft")),
      success(theme.colour("success")),
      lossy(theme.colour("lossy")),
      focus(theme.colour("focus")),
      shadow(faded(theme.colour("shadow"), theme.isDark() ? kDarkShadow : kLightShadow)),
      isHighContrast(theme.isHighContrast()),
      wireWidth(theme.size("wire")),
      bodyFont(theme.font("body")),
      smallFont(theme.font("small")),
      strongFont(theme.font("strong")),
      largeFont(larger(smallFont)),
      largeStrongFont(larger(strongFont)),
      theme_(&theme) {
    for (QFont* font : {&bodyFont, &smallFont, &strongFont, &largeFont, &largeStrongFont}) {
        font->setHintingPreference(QFont::PreferNoHinting);  // widths must not depend on the zoom
    }
}

const Look::Wire& Look::wire(const std::string& type) const {
    auto found = wires_.find(type);
    if (found == wires_.end()) {
        found = wires_.emplace(type, Wire{theme_->wireColour(type), theme_->portShape(type)}).first;
    }
    return found->second;
}

QColor Look::ground(const std::string& name) const {
    for (const char* known : kGrounds) {
        if (name == known) {
            return theme_->colour(known);
        }
    }
    return theme_->colour(kGrounds[0]);
}

const QIcon& Look::icon(const char* name, const char* token) const {
    const std::pair<std::string, std::string> key(name, token);
    auto found = icons_.find(key);
    if (found == icons_.end()) {
        found = icons_.emplace(key, theme_->icon(name, token)).first;
    }
    return found->second;
}

double Look::width(const QString& words, const QFont& font) const {
    if (widths_.size() >= kMostWidths) {
        widths_.clear();  // most of it was typed earlier
    }
    const auto [found, isNew] = widths_.try_emplace({font.pixelSize(), font.weight(), words});
    if (isNew) {
        found->second = widthOf(words, font);
    }
    return found->second;
}

PaintedText lineIn(const QRectF& area,
                   const QString& text,
                   const QFont& font,
                   const QColor& colour,
                   Qt::Alignment alignment,
                   Qt::TextElideMode cut) {
    const QFontMetricsF metrics(font);
    const QString line = singleLine(text);
    PaintedText painted{.text = QStaticText(metrics.elidedText(line, cut, area.width())),
                        .font = font,
                        .colour = colour,
                        .full = text};
    painted.text.setTextFormat(Qt::PlainText);
    painted.text.prepare({}, font);
    const double width = painted.text.size().width();
    const double x = alignment.testFlag(Qt::AlignRight)     ? area.right() - width
                     : alignment.testFlag(Qt::AlignHCenter) ? area.center().x() - width / 2
                                                            : area.left();
    painted.topLeft = {x, area.center().y() - (metrics.ascent() + metrics.descent()) / 2};
    return painted;
}

std::vector<PaintedText> linesIn(const QRectF& area,
                                 const QString& text,
                                 const QFont& font,
                                 const QColor& colour,
                                 int most,
                                 double lineHeight) {
    std::vector<PaintedText> lines;
    QString shown = text.left(kMostLetters);
    shown.replace(u'\n', QChar::LineSeparator);
    QTextLayout layout(shown, font);
    layout.beginLayout();
    for (int i = 0; i < most; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) {
            break;
        }
        line.setLineWidth(area.width());
        const int end = line.textStart() + line.textLength();
        const bool isCut = i + 1 == most && end < shown.size();
        QString piece = shown.mid(line.textStart(), isCut ? -1 : line.textLength());
        const QRectF rect(area.left(), area.top() + lineHeight * i, area.width(), lineHeight);
        piece.replace(QChar::LineSeparator, u' ');
        lines.push_back(lineIn(rect, piece, font, colour, Qt::AlignLeft));
    }
    layout.endLayout();
    return lines;
}

void paint(QPainter& painter, std::span<const PaintedText> texts, double spread) {
    for (const PaintedText& text : texts) {
        painter.setFont(text.font);
        painter.setPen(text.colour);
        painter.drawStaticText(text.topLeft * spread, text.text);
    }
}

void paintNearScale(QPainter& painter, std::span<const PaintedText> texts) {
    const double scale = painter.worldTransform().m11();
    const double kept = std::pow(kScaleStep, std::round(std::log(scale) / std::log(kScaleStep)));
    const QTransform before = painter.worldTransform();
    painter.scale(kept / scale, kept / scale);
    paint(painter, texts, scale / kept);
    painter.setWorldTransform(before);
}

void paintUnscaled(QPainter& painter, std::span<const PaintedText> texts) {
    const double scale = painter.worldTransform().m11();
    const QTransform before = painter.worldTransform();
    painter.scale(1 / scale, 1 / scale);
    paint(painter, texts);
    painter.setWorldTransform(before);
}

double widthOf(const QString& text, const QFont& font) {
    return QFontMetricsF(font).horizontalAdvance(singleLine(text));
}

QPainterPath portMark(Theme::PortShape shape, double half) {
    QPainterPath path;
    switch (shape) {
        case Theme::PortShape::Circle:
        case Theme::PortShape::RingBuffer:
            path.addEllipse({}, half, half);
            break;
        case Theme::PortShape::Square:
            path.addRect(-half * 0.9, -half * 0.9, half * 1.8, half * 1.8);
            break;
        case Theme::PortShape::Diamond:
            path = regular(4, half * 1.2, 0);
            break;
        case Theme::PortShape::Triangle:
            path = regular(3, half * 1.25, 0);
            break;
        case Theme::PortShape::Hexagon:
            path = regular(6, half * 1.1, std::numbers::pi / 6);
            break;
    }
    if (shape == Theme::PortShape::RingBuffer) {
        path.addEllipse({}, half * 0.45, half * 0.45);
        path.setFillRule(Qt::OddEvenFill);
    }
    return path;
}

}  // namespace lowtide::ui
