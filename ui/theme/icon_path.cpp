#include "ui/theme/icon_engine.hpp"

#include <QStringList>

#include <array>

namespace lowtide::ui {

namespace {

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

}  // namespace

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

}  // namespace lowtide::ui
