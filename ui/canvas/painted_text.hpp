#pragma once

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QStaticText>
#include <QString>

#include <span>
#include <vector>

namespace lowtide::ui {

/// A line of text that is laid out once and painted often.
struct PaintedText {
    QStaticText text;
    QPointF topLeft;
    QFont font;
    QColor colour;
    QString full;  ///< before it was cut to the room that it has
};

/// One line within `room`, cut with an ellipsis where it does not fit; `alignment` as in Qt.
[[nodiscard]] PaintedText lineIn(const QRectF& room,
                                 const QString& text,
                                 const QFont& font,
                                 const QColor& colour,
                                 Qt::Alignment alignment,
                                 Qt::TextElideMode cut = Qt::ElideRight);

/// Up to `most` wrapped lines of `lineHeight` from the top of `room`; the last is cut where more
/// follows.
[[nodiscard]] std::vector<PaintedText> linesIn(const QRectF& room,
                                               const QString& text,
                                               const QFont& font,
                                               const QColor& colour,
                                               int most,
                                               double lineHeight);

/// `spread`: by how much farther apart the texts stand than they are laid out.
void paint(QPainter& painter, std::span<const PaintedText> texts, double spread = 1);
/// The same at a scale near that of the painter, of few: letters of a scale are kept, and a zoom
/// that goes on would have all of them drawn anew for each frame.
void paintNearScale(QPainter& painter, std::span<const PaintedText> texts);

/// How wide the text is painted.
[[nodiscard]] double widthOf(const QString& text, const QFont& font);

}  // namespace lowtide::ui
