#pragma once

#include "ui/theme/theme.hpp"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPainter>
#include <QPainterPath>
#include <QRectF>
#include <QStaticText>
#include <QString>

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Colours and fonts of the canvas, looked up once for each theme: painting a thousand nodes asks
/// for them often. Everything comes from tokens of the theme or is mixed from two of them.
struct Look {
    explicit Look(const Theme& theme);

    /// Colour and port shape of a wire type.
    struct Wire {
        QColor colour;
        Theme::PortShape shape = Theme::PortShape::Circle;
    };

    [[nodiscard]] const Wire& wire(const std::string& type) const;

    /// Ground of a frame or note by the name that the document keeps; unknown names are neutral.
    [[nodiscard]] QColor ground(const std::string& name) const;
    [[nodiscard]] const QIcon& icon(const char* name, const char* token) const;
    /// widthOf() in a font of this look. It is kept: names and choices are asked for often.
    [[nodiscard]] double width(const QString& words, const QFont& font) const;

    static constexpr size_t kMostWidths = 4096;

    [[nodiscard]] size_t keptWidths() const { return widths_.size(); }

    QColor canvas, grid, body, header, row, rowEdge, hover, border, text, muted, accent, accentText,
        selected, running, warning, warningSoft, error, errorSoft, success, lossy, focus, shadow;
    bool isHighContrast;  ///< nothing is shown by a faint colour alone
    double wireWidth;     ///< of a wire that does not stand out
    QFont bodyFont, smallFont, strongFont;
    QFont largeFont, largeStrongFont;  ///< small and strong, to be read from afar

private:
    const Theme* theme_;
    mutable std::map<std::string, Wire> wires_;
    mutable std::map<std::pair<std::string, std::string>, QIcon> icons_;
    mutable std::map<std::tuple<int, int, QString>, double> widths_;  ///< by pixels and weight
};

/// Names of grounds that the user may choose.
inline constexpr const char* kGrounds[] = {"grey", "blue", "green", "amber", "red", "violet"};

/// `fraction` of the second colour in the first one, 0 to 1.
[[nodiscard]] QColor mixed(const QColor& first, const QColor& second, double fraction);
[[nodiscard]] QColor faded(QColor colour, double opacity);

/// A line of text that is laid out once and painted often.
struct PaintedText {
    QStaticText text;
    QPointF topLeft;
    QFont font;
    QColor colour;
    QString full;  ///< before it was cut to the space that it has
};

/// One line within `area`, cut with an ellipsis where it does not fit; `alignment` as in Qt.
[[nodiscard]] PaintedText lineIn(const QRectF& area,
                                 const QString& text,
                                 const QFont& font,
                                 const QColor& colour,
                                 Qt::Alignment alignment,
                                 Qt::TextElideMode cut = Qt::ElideRight);

/// Up to `most` wrapped lines of `lineHeight` from the top of `area`; the last is cut where more
/// follows.
[[nodiscard]] std::vector<PaintedText> linesIn(const QRectF& area,
                                               const QString& text,
                                               const QFont& font,
                                               const QColor& colour,
                                               int most,
                                               double lineHeight);

/// `spread`: by how much farther apart the texts stand than they are laid out.
void paint(QPainter& painter, std::span<const PaintedText> texts, double spread = 1);
/// The same at a scale near that of the painter, of few: letters of a scale are kept, and a zoom
/// that goes on would have all of them drawn again for each frame.
void paintNearScale(QPainter& painter, std::span<const PaintedText> texts);
/// Texts that are laid out in pixels of the screen, at that size whatever the painter's scale is.
void paintUnscaled(QPainter& painter, std::span<const PaintedText> texts);

/// How wide the text is painted.
[[nodiscard]] double widthOf(const QString& text, const QFont& font);

/// Contour of a port's mark around the origin; all shapes look equally large at `half` of a width.
[[nodiscard]] QPainterPath portMark(Theme::PortShape shape, double half);

}  // namespace lowtide::ui
