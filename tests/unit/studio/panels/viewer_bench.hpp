// What the tests of the viewer begin with: images, files of them, and the mouse.
#pragma once

#include "plugin/image/png.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>

namespace lowtide::ui::viewer_bench {

inline constexpr int kPatience = 20000;

inline QImage plainImage(int width, int height, const QColor& colour) {
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(colour);
    return image;
}

/// A PNG as Lowtide writes it.
inline QByteArray png(int width, int height, const std::vector<image::ImageText>& texts) {
    const auto count = static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
    const std::shared_ptr<uint8_t[]> pixels(new uint8_t[count]());
    for (size_t i = 0; i < count; ++i) {
        pixels[i] = static_cast<uint8_t>(i % 3 == 0 ? 40 + i / 3 % 200 : 120);
    }
    return QByteArray::fromStdString(image::encodePng(
        {.widthPixels = width, .heightPixels = height, .channels = 3, .pixels = pixels}, texts));
}

inline void wheel(ImageView& view, const QPoint& at, int notches) {
    QWheelEvent event(QPointF(at),
                      view.mapToGlobal(QPointF(at)),
                      {},
                      {0, 120 * notches},
                      Qt::NoButton,
                      Qt::NoModifier,
                      Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&view, &event);
}

inline void drag(QWidget& widget, const QPoint& from, const QPoint& to) {
    QTest::mousePress(&widget, Qt::LeftButton, {}, from);
    QTest::mouseMove(&widget, (from + to) / 2);
    QTest::mouseMove(&widget, to);
    QTest::mouseRelease(&widget, Qt::LeftButton, {}, to);
}

inline QColor colourAt(ImageView& view, const QPoint& point) {
    const QImage shot = view.grab().toImage();
    return shot.pixelColor(point * shot.devicePixelRatio());
}

inline void open(QWidget& widget, const QSize& size) {
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

inline void show(Viewer& viewer, const QString& path) {
    QSignalSpy shown(&viewer, &Viewer::shown);
    viewer.showFile(path);
    QVERIFY(shown.wait(kPatience));
}

}  // namespace lowtide::ui::viewer_bench
