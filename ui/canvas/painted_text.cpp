#include "ui/canvas/painted_text.hpp"

#include <QFontMetricsF>
#include <QTextLayout>

#include <cmath>

namespace lowtide::ui {

namespace {

/// More is never shown of one value; laying out a pasted book would be felt.
constexpr int kMostLetters = 2000;
constexpr double kScaleStep = 1.02;  ///< letters are at most a hundredth too large or small

QString singleLine(QString text) {
    text.truncate(kMostLetters);
    return text.replace(u'\n', u' ').replace(u'\t', u' ');
}

}  // namespace

PaintedText lineIn(const QRectF& room,
                   const QString& text,
                   const QFont& font,
                   const QColor& colour,
                   Qt::Alignment alignment,
                   Qt::TextElideMode cut) {
    const QFontMetricsF metrics(font);
    const QString line = singleLine(text);
    PaintedText painted{.text = QStaticText(metrics.elidedText(line, cut, room.width())),
                        .font = font,
                        .colour = colour,
                        .full = text};
    painted.text.setTextFormat(Qt::PlainText);
    painted.text.prepare({}, font);
    const double width = painted.text.size().width();
    const double x = alignment.testFlag(Qt::AlignRight)     ? room.right() - width
                     : alignment.testFlag(Qt::AlignHCenter) ? room.center().x() - width / 2
                                                            : room.left();
    painted.topLeft = {x, room.center().y() - (metrics.ascent() + metrics.descent()) / 2};
    return painted;
}

std::vector<PaintedText> linesIn(const QRectF& room,
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
        line.setLineWidth(room.width());
        const int end = line.textStart() + line.textLength();
        const bool isCut = i + 1 == most && end < shown.size();
        QString piece = shown.mid(line.textStart(), isCut ? -1 : line.textLength());
        const QRectF place(room.left(), room.top() + lineHeight * i, room.width(), lineHeight);
        piece.replace(QChar::LineSeparator, u' ');
        lines.push_back(lineIn(place, piece, font, colour, Qt::AlignLeft));
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

double widthOf(const QString& text, const QFont& font) {
    return QFontMetricsF(font).horizontalAdvance(singleLine(text));
}

}  // namespace lowtide::ui
