#include "ui/theme/icons.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kGrid = 16;
constexpr double kLineWidth = 1.5;

/// Takes numbers one after the other out of path data.
class PathData {
public:
    explicit PathData(const char* data)
        : words_(QString::fromLatin1(data).split(QLatin1Char(' '), Qt::SkipEmptyParts)),
          data_(data) {}

    [[nodiscard]] bool atEnd() const { return next_ == words_.size(); }

    [[nodiscard]] bool atNumber() const {
        bool isNumber = false;
        if (!atEnd()) {
            words_[next_].toDouble(&isNumber);
        }
        return isNumber;
    }

    [[nodiscard]] char command() { return words_[next_++].at(0).toLatin1(); }

    [[nodiscard]] double number() {
        if (!atNumber()) {
            qFatal("an icon's path lacks a number: \"%s\"", data_);
        }
        return words_[next_++].toDouble();
    }

    [[nodiscard]] QPointF point() {
        const double x = number();
        return {x, number()};
    }

private:
    QStringList words_;
    const char* data_;
    qsizetype next_ = 0;
};

void addBox(QPainterPath& path, PathData& data) {
    const QPointF topLeft = data.point();
    const QPointF size = data.point();
    const double radius = data.number();
    path.addRoundedRect(QRectF(topLeft, QSizeF(size.x(), size.y())), radius, radius);
}

void addCurve(QPainterPath& path, PathData& data) {
    const QPointF first = data.point();
    const QPointF second = data.point();
    path.cubicTo(first, second, data.point());
}

void addPart(QPainterPath& path, char command, PathData& data) {
    switch (command) {
        case 'M':
            return path.moveTo(data.point());
        case 'L':
            return path.lineTo(data.point());
        case 'H':
            return path.lineTo(data.number(), path.currentPosition().y());
        case 'V':
            return path.lineTo(path.currentPosition().x(), data.number());
        case 'C':
            return addCurve(path, data);
        case 'O': {
            const QPointF centre = data.point();
            const double radius = data.number();
            return path.addEllipse(centre, radius, radius);
        }
        case 'R':
            return addBox(path, data);
        default:
            qFatal("an icon's path has an unknown command: '%c'", command);
    }
}

struct IconRow {
    const char* name;
    const char* lines;
    const char* fills = "";
};

// Drawn for this program on a square of 16 with lines of 1.5.
constexpr IconRow kIcons[] = {
    {"arrange",
     "R 1.75 2.75 4.5 3.5 1 R 9.75 2.75 4.5 3.5 1 R 9.75 9.75 4.5 3.5 1 M 6.25 4.5 H "
     "9.75 M 8 4.5 V 11.5 H 9.75"},
    {"arrow-down", "M 8 2.75 V 13.25 M 3.75 9 L 8 13.25 L 12.25 9"},
    {"arrow-left", "M 13.25 8 H 2.75 M 7 3.75 L 2.75 8 L 7 12.25"},
    {"arrow-right", "M 2.75 8 H 13.25 M 9 3.75 L 13.25 8 L 9 12.25"},
    {"arrow-up", "M 8 13.25 V 2.75 M 3.75 7 L 8 2.75 L 12.25 7"},
    {"bypass",
     "M 1.5 11.25 H 4 C 5 11.25 4.5 4 8 4 C 11.5 4 11 11.25 12 11.25 H 14.5",
     "O 8 11.25 1.4"},
    {"brush",
     "M 6.5 8.75 L 12.25 2.5 C 12.8 2 13.6 2.1 13.9 2.6 C 14.2 3 14.1 3.5 13.7 3.9 L 7.75 9.9 Z M "
     "6.5 8.75 C 4.6 8.6 3.6 9.9 3.6 11.4 C 3.6 12.4 3 13.1 2.1 13.4 C 4.6 14.4 7.9 13.6 7.75 9.9"},
    {"check", "M 2.75 8.5 L 6.25 12 L 13.25 4.5"},
    {"chevron-down", "M 4 6 L 8 10 L 12 6"},
    {"chevron-left", "M 10 4 L 6 8 L 10 12"},
    {"chevron-right", "M 6 4 L 10 8 L 6 12"},
    {"chevron-up", "M 4 10 L 8 6 L 12 10"},
    {"chip",
     "R 4 4 8 8 1.25 M 6.25 1.5 V 4 M 9.75 1.5 V 4 M 6.25 12 V 14.5 M 9.75 12 V 14.5 M 1.5 "
     "6.25 H 4 M 1.5 9.75 H 4 M 12 6.25 H 14.5 M 12 9.75 H 14.5",
     "R 6.5 6.5 3 3 0.5"},
    {"clock", "O 8 8 6.25 M 8 4.5 V 8 L 10.5 9.75"},
    {"close", "M 3.75 3.75 L 12.25 12.25 M 12.25 3.75 L 3.75 12.25"},
    {"collapse", "M 4 2.5 L 8 6 L 12 2.5 M 4 13.5 L 8 10 L 12 13.5"},
    {"compare", "R 1.75 2.75 12.5 10.5 1.25 M 8 1 V 15", "M 8 2.75 L 14.25 2.75 V 13.25 H 8 Z"},
    {"copy",
     "R 5.75 5.75 8.5 8.5 1.5 M 3.25 10.25 C 2.25 10.25 1.75 9.75 1.75 8.75 V 3.25 C 1.75 "
     "2.25 2.25 1.75 3.25 1.75 H 8.75 C 9.75 1.75 10.25 2.25 10.25 3.25"},
    {"crop", "M 4.25 1.5 V 11.75 H 14.5 M 1.5 4.25 H 11.75 V 14.5"},
    {"dice",
     "R 2 2 12 12 2.5",
     "O 5.5 5.5 1.1 O 10.5 5.5 1.1 O 8 8 1.1 O 5.5 10.5 1.1 O 10.5 10.5 1.1"},
    {"eraser",
     "M 6 13.25 L 2.4 9.6 C 2 9.2 2 8.6 2.4 8.2 L 8.2 2.4 C 8.6 2 9.2 2 9.6 2.4 L 13.6 6.4 C 14 "
     "6.8 "
     "14 7.4 13.6 7.8 L 8.15 13.25 Z M 5.3 5.3 L 10.7 10.7 M 8.15 13.25 H 13.5"},
    {"expand", "M 4 5.5 L 8 2 L 12 5.5 M 4 10.5 L 8 14 L 12 10.5"},
    {"eye",
     "M 1.25 8 C 3 4.75 5.25 3.25 8 3.25 C 10.75 3.25 13 4.75 14.75 8 C 13 11.25 10.75 12.75 "
     "8 12.75 C 5.25 12.75 3 11.25 1.25 8 Z O 8 8 2.1"},
    {"eye-off",
     "M 3.6 5.1 C 2.7 5.8 1.9 6.8 1.25 8 C 3 11.25 5.25 12.75 8 12.75 C 9.1 12.75 10.1 "
     "12.5 11 12 M 6.4 3.45 C 6.9 3.3 7.45 3.25 8 3.25 C 10.75 3.25 13 4.75 14.75 8 C "
     "14.3 8.8 13.8 9.55 13.2 10.15 M 2.25 2.25 L 13.75 13.75"},
    {"file",
     "M 9.25 1.75 H 4.5 C 3.8 1.75 3.25 2.3 3.25 3 V 13 C 3.25 13.7 3.8 14.25 4.5 14.25 H "
     "11.5 C 12.2 14.25 12.75 13.7 12.75 13 V 5.25 Z M 9.25 1.75 V 5.25 H 12.75"},
    {"fill",
     "M 6.5 2.25 L 11.5 7.25 L 7 11.75 C 6.6 12.15 6 12.15 5.6 11.75 L 2.25 8.4 C 1.85 8 1.85 7.4 "
     "2.25 7 L 7 2.75 M 2.25 7.75 H 11",
     "M 13.25 9 C 14.1 10.3 14.5 11.1 14.5 11.8 C 14.5 12.55 13.95 13.1 13.25 13.1 C 12.55 13.1 "
     "12 12.55 12 11.8 C 12 11.1 12.4 10.3 13.25 9 Z"},
    {"fit",
     "M 2 5.5 V 2 H 5.5 M 10.5 2 H 14 V 5.5 M 14 10.5 V 14 H 10.5 M 5.5 14 H 2 V 10.5 R 5.25 "
     "5.75 5.5 4.5 0.75"},
    {"folder",
     "M 1.75 12 V 4 C 1.75 3.3 2.3 2.75 3 2.75 H 6 L 7.75 4.75 H 13 C 13.7 4.75 14.25 5.3 "
     "14.25 6 V 12 C 14.25 12.7 13.7 13.25 13 13.25 H 3 C 2.3 13.25 1.75 12.7 1.75 12 Z"},
    {"frame",
     "M 2 4.75 V 3.25 C 2 2.5 2.5 2 3.25 2 H 4.75 M 7 2 H 9 M 11.25 2 H 12.75 C 13.5 2 14 "
     "2.5 14 3.25 V 4.75 M 14 7 V 9 M 14 11.25 V 12.75 C 14 13.5 13.5 14 12.75 14 H 11.25 M "
     "9 14 H 7 M 4.75 14 H 3.25 C 2.5 14 2 13.5 2 12.75 V 11.25 M 2 9 V 7"},
    {"grid", "R 2 2 4.75 4.75 1 R 9.25 2 4.75 4.75 1 R 2 9.25 4.75 4.75 1 R 9.25 9.25 4.75 4.75 1"},
    {"help",
     "O 8 8 6.25 M 6 6.4 C 6 5.2 6.85 4.5 8 4.5 C 9.15 4.5 10 5.2 10 6.25 C 10 7.6 8 7.7 8 "
     "9.25",
     "O 8 11.4 0.9"},
    {"image",
     "R 1.75 2.75 12.5 10.5 1.5 M 2 11.5 L 5.75 7.75 L 8.75 10.75 L 10.75 8.75 L 14 12",
     "O 10.75 5.9 1.2"},
    {"info", "O 8 8 6.25 M 8 7.5 V 11.25", "O 8 4.9 0.95"},
    {"language",
     "O 8 8 6.25 M 1.75 8 H 14.25 M 8 1.75 C 4.5 5 4.5 11 8 14.25 M 8 1.75 C 11.5 5 11.5 11 8 "
     "14.25"},
    {"lasso",
     "M 13.5 6.25 C 13.5 8.6 11 10.25 8 10.25 C 5 10.25 2.5 8.6 2.5 6.25 C 2.5 3.9 5 2.25 8 2.25 C "
     "11 2.25 13.5 3.9 13.5 6.25 Z M 4.75 9.5 C 3.5 10.25 3.5 11.75 4.75 12 C 6 12.25 6.25 13.5 5 "
     "14.25"},
    {"library", "M 2.75 2.5 V 13.5 M 6.25 2.5 V 13.5 M 9.5 2.9 L 12.9 13.3"},
    {"link",
     "M 6.75 9.25 C 5.6 8.1 5.6 6.6 6.6 5.6 L 9.1 3.1 C 10.1 2.1 11.8 2.1 12.9 3.1 C 13.9 "
     "4.2 13.9 5.9 12.9 6.9 L 11.5 8.3 M 9.25 6.75 C 10.4 7.9 10.4 9.4 9.4 10.4 L 6.9 12.9 C "
     "5.9 13.9 4.2 13.9 3.1 12.9 C 2.1 11.8 2.1 10.1 3.1 9.1 L 4.5 7.7"},
    {"locate",
     "O 8 8 4.5 M 8 1.25 V 3.5 M 8 12.5 V 14.75 M 1.25 8 H 3.5 M 12.5 8 H 14.75",
     "O 8 8 1.4"},
    {"lock",
     "R 3 7 10 7.25 1.5 M 5 7 V 5 C 5 3.1 6.2 1.75 8 1.75 C 9.8 1.75 11 3.1 11 5 V 7",
     "O 8 10.6 1.1"},
    {"memory",
     "R 1.5 4.25 13 6 1 M 4.5 6.25 V 8.25 M 8 6.25 V 8.25 M 11.5 6.25 V 8.25 M 3.25 10.25 "
     "V 12.5 M 6.4 10.25 V 12.5 M 9.6 10.25 V 12.5 M 12.75 10.25 V 12.5"},
    {"menu", "M 2.5 4.25 H 13.5 M 2.5 8 H 13.5 M 2.5 11.75 H 13.5"},
    {"minimap", "R 1.75 2.75 12.5 10.5 1.5 R 8 7.75 4 3.25 0.5", "R 3.75 4.75 2.75 2 0.4"},
    {"minus", "M 3 8 H 13"},
    {"more", "", "O 3.25 8 1.3 O 8 8 1.3 O 12.75 8 1.3"},
    {"mute", "O 8 8 6.25 M 3.6 3.6 L 12.4 12.4"},
    {"note",
     "M 9.5 14.25 H 3.25 C 2.5 14.25 1.75 13.6 1.75 12.75 V 3.25 C 1.75 2.4 2.5 1.75 3.25 "
     "1.75 H 12.75 C 13.6 1.75 14.25 2.4 14.25 3.25 V 9.5 Z M 9.5 14.25 V 9.5 H 14.25"},
    {"open",
     "M 1.75 12.25 V 4 C 1.75 3.3 2.3 2.75 3 2.75 H 5.75 L 7.5 4.75 H 11.5 C 12.2 4.75 12.75 "
     "5.3 12.75 6 V 7 M 1.75 12.25 L 3.75 7.75 C 3.95 7.3 4.3 7 4.9 7 H 14.25 L 12.3 12.3 C "
     "12.1 12.9 11.7 13.25 11.1 13.25 H 2.75 C 2.1 13.25 1.75 12.9 1.75 12.25 Z"},
    {"paste", "R 3 2.75 10 11.5 1.5 M 5.75 7.5 H 10.25 M 5.75 10.5 H 9", "R 5.5 1.25 5 3.25 0.9"},
    {"pause", "", "R 3.75 3 3 10 0.75 R 9.25 3 3 10 0.75"},
    {"pin", "M 5.5 1.75 H 10.5 M 6.25 1.75 V 6.5 L 4 9.5 H 12 L 9.75 6.5 V 1.75 M 8 9.5 V 14.25"},
    {"play",
     "",
     "M 4.5 2.9 C 4.5 2.3 5.1 2 5.6 2.3 L 13 7.35 C 13.5 7.7 13.5 8.3 13 8.65 L 5.6 13.7 "
     "C 5.1 14 4.5 13.7 4.5 13.1 Z"},
    {"plus", "M 8 3 V 13 M 3 8 H 13"},
    {"queue",
     "M 2 3.5 H 14 M 2 8 H 8.5 M 2 12.5 H 8.5",
     "M 10.75 7.25 L 14.5 10.25 L 10.75 13.25 Z"},
    {"rectangle", "R 2 3.5 12 9 0.5"},
    {"redo",
     "M 13.25 6 H 6.25 C 4 6 2.5 7.4 2.5 9.4 C 2.5 11.4 4 12.75 6.25 12.75 H 9.5 M 10 2.75 L "
     "13.25 6 L 10 9.25"},
    {"refresh",
     "M 13.5 8 C 13.5 11.1 11.1 13.5 8 13.5 C 5.4 13.5 3.2 11.8 2.6 9.5 M 2.5 8 C 2.5 4.9 "
     "4.9 2.5 8 2.5 C 10.4 2.5 12.4 3.9 13.2 6 M 13.5 2.75 V 6.25 H 10 M 2.5 13.25 V 9.75 "
     "H 6"},
    {"save",
     "M 2.25 3.25 C 2.25 2.7 2.7 2.25 3.25 2.25 H 10.75 L 13.75 5.25 V 12.75 C 13.75 13.3 "
     "13.3 13.75 12.75 13.75 H 3.25 C 2.7 13.75 2.25 13.3 2.25 12.75 Z M 5 2.5 V 5.75 H 10 V "
     "2.5 M 4.75 13.5 V 9.25 H 11.25 V 13.5"},
    {"search", "O 7 7 4.5 M 10.25 10.25 L 14 14"},
    {"settings",
     "O 8 8 2.25 M 8 1.5 V 3.5 M 8 12.5 V 14.5 M 1.5 8 H 3.5 M 12.5 8 H 14.5 M 3.4 3.4 L "
     "4.8 4.8 M 11.2 11.2 L 12.6 12.6 M 12.6 3.4 L 11.2 4.8 M 4.8 11.2 L 3.4 12.6 O 8 8 "
     "4.6"},
    {"sliders",
     "M 2 4.5 H 8.25 M 11.75 4.5 H 14 M 2 11.5 H 4.25 M 7.75 11.5 H 14 O 10 4.5 1.75 O 6 "
     "11.5 1.75"},
    {"star",
     "M 8 1.9 L 9.85 5.85 L 14.1 6.4 L 11 9.35 L 11.8 13.6 L 8 11.5 L 4.2 13.6 L 5 9.35 L "
     "1.9 6.4 L 6.15 5.85 Z"},
    {"star-filled",
     "",
     "M 8 1.2 L 10.1 5.2 L 14.8 6 L 11.5 9.4 L 12.2 14.2 L 8 12 L 3.8 14.2 L 4.5 "
     "9.4 L 1.2 6 L 5.9 5.2 Z"},
    {"stop", "", "R 3.25 3.25 9.5 9.5 1.5"},
    {"stop-after", "M 3.25 3.5 L 9.75 8 L 3.25 12.5 Z M 12.75 3.5 V 12.5", ""},
    {"swap",
     "M 2.5 5.5 H 13 M 10.25 2.75 L 13 5.5 L 10.25 8.25 M 13.5 10.5 H 3 M 5.75 7.75 L 3 10.5 L "
     "5.75 13.25"},
    {"tag",
     "M 7.6 2.25 H 2.75 C 2.45 2.25 2.25 2.45 2.25 2.75 V 7.6 L 8.6 13.95 L 13.95 8.6 Z",
     "O 5.25 5.25 1.1"},
    {"trash",
     "M 2.5 4.25 H 13.5 M 6 4 V 2.25 H 10 V 4 M 4 4.25 L 4.6 12.9 C 4.65 13.5 5 13.75 5.5 "
     "13.75 H 10.5 C 11 13.75 11.35 13.5 11.4 12.9 L 12 4.25 M 6.6 7 V 11 M 9.4 7 V 11"},
    {"undo",
     "M 2.75 6 H 9.75 C 12 6 13.5 7.4 13.5 9.4 C 13.5 11.4 12 12.75 9.75 12.75 H 6.5 M 6 2.75 "
     "L 2.75 6 L 6 9.25"},
    {"unlock",
     "R 3 7 10 7.25 1.5 M 5 7 V 4.75 C 5 2.9 6.2 1.75 8 1.75 C 9.35 1.75 10.4 2.45 10.8 "
     "3.6",
     "O 8 10.6 1.1"},
    {"unpin",
     "M 5.5 1.75 H 10.5 M 6.25 1.75 V 3.5 M 9.75 1.75 V 6.5 L 10.5 7.5 M 5.6 7.4 L 4 9.5 H "
     "8.6 M 8 9.5 V 14.25 M 2.25 2.25 L 13.75 13.75"},
    {"error", "O 8 8 6.25 M 5.75 5.75 L 10.25 10.25 M 10.25 5.75 L 5.75 10.25"},
    {"warning",
     "M 7.1 2.6 C 7.5 1.9 8.5 1.9 8.9 2.6 L 14.4 12.3 C 14.8 13 14.3 13.75 13.5 13.75 H "
     "2.5 C 1.7 13.75 1.2 13 1.6 12.3 Z M 8 6 V 9",
     "O 8 11.4 0.9"},
    {"zoom-in", "O 7 7 4.5 M 10.25 10.25 L 14 14 M 7 5 V 9 M 5 7 H 9"},
    {"zoom-out", "O 7 7 4.5 M 10.25 10.25 L 14 14 M 5 7 H 9"},
};

}  // namespace

IconEngine::IconEngine(std::string name, std::string colourToken)
    : name_(std::move(name)), colourToken_(std::move(colourToken)), shape_(iconShape(name_)) {}

void IconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) {
    const Theme& theme = Theme::current();
    const QColor colour =
        theme.colour(mode == QIcon::Disabled ? "text.disabled" : colourToken_.c_str());
    const double side = std::min(rect.width(), rect.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2);
    painter->scale(side / kGrid, side / kGrid);
    painter->fillPath(shape_.fills, colour);
    painter->strokePath(shape_.lines,
                        QPen(colour, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->restore();
}

QPixmap IconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
}

QIconEngine* IconEngine::clone() const {
    return new IconEngine(*this);
}

QPainterPath pathFromData(const char* text) {
    QPainterPath path;
    PathData data(text);
    while (!data.atEnd()) {
        const char command = data.command();
        if (command == 'Z') {
            path.closeSubpath();
            continue;
        }
        do {
            addPart(path, command, data);
        } while (data.atNumber());
    }
    return path;
}

std::vector<std::string> iconNames() {
    std::vector<std::string> names;
    for (const IconRow& row : kIcons) {
        names.emplace_back(row.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

IconShape iconShape(const std::string& name) {
    const auto* found = std::find_if(
        std::begin(kIcons), std::end(kIcons), [&](const IconRow& row) { return name == row.name; });
    if (found == std::end(kIcons)) {
        qFatal("there is no icon \"%s\"", name.c_str());
    }
    return {pathFromData(found->lines), pathFromData(found->fills)};
}

}  // namespace lowtide::ui
