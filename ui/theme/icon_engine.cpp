#include "ui/theme/icon_engine.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kGrid = 16;
constexpr double kLineWidth = 1.5;

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

}  // namespace lowtide::ui
