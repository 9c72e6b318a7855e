#pragma once

#include <QIconEngine>
#include <QPainterPath>
#include <QString>

#include <string>
#include <vector>

namespace lowtide::ui {

/// Lines and filled parts of one icon, on a square of 16.
struct IconShape {
    QPainterPath lines;
    QPainterPath fills;
};

/// All icons that there are, sorted.
[[nodiscard]] std::vector<std::string> iconNames();
/// The icon's shape. An unknown name is a bug of ours and ends the program with its name.
[[nodiscard]] IconShape iconShape(const std::string& name);

/// Reads path data: M, L, H, V, C with absolute numbers as in SVG, Z, and two forms of our own:
/// `O cx cy radius` and `R x y width height radius`. Malformed data ends the program.
[[nodiscard]] QPainterPath pathFromData(const char* data);

/// Paints an icon in the colours of the theme in use.
class IconEngine : public QIconEngine {
public:
    IconEngine(std::string name, std::string colourToken);

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    [[nodiscard]] QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    [[nodiscard]] QIconEngine* clone() const override;

private:
    std::string name_;
    std::string colourToken_;
    IconShape shape_;
};

}  // namespace lowtide::ui
