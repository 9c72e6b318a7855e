#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/theme/icons.hpp"
#include "ui/theme/theme.hpp"

namespace lowtide::ui::icons_test {

namespace {

QImage painted(const QIcon& icon, int side, QIcon::Mode mode = QIcon::Normal) {
    return icon.pixmap(QSize(side, side), 1.0, mode)
        .toImage()
        .convertToFormat(QImage::Format_ARGB32);
}

int paintedPixels(const QImage& image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            count += qAlpha(image.pixel(x, y)) > 0 ? 1 : 0;
        }
    }
    return count;
}

}  // namespace

class IconsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        Theme::setCurrent(std::make_shared<const Theme>(Theme::Scheme::Light));
    }

    void iconIsPaintedInsideItsSquare_data() {
        QTest::addColumn<QString>("name");
        for (const std::string& name : iconNames()) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }

    void iconIsPaintedInsideItsSquare() {
        QFETCH(QString, name);
        const IconShape shape = iconShape(name.toStdString());
        const QRectF lines = shape.lines.boundingRect().adjusted(-0.75, -0.75, 0.75, 0.75);

        QVERIFY(QRectF(0, 0, 16, 16).contains(shape.fills.boundingRect()) || shape.fills.isEmpty());
        QVERIFY(QRectF(0, 0, 16, 16).contains(lines) || shape.lines.isEmpty());
        QVERIFY(paintedPixels(painted(Theme::current().icon(qPrintable(name)), 16)) > 12);
    }

    void namesAreThere_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"play",    "stop",         "pause",         "plus",     "minus",   "trash",
              "search",  "save",         "open",          "undo",     "redo",    "copy",
              "paste",   "chevron-down", "chevron-right", "eye",      "eye-off", "pin",
              "lock",    "unlock",       "warning",       "error",    "info",    "check",
              "close",   "settings",     "sliders",       "memory",   "chip",    "clock",
              "image",   "folder",       "file",          "grid",     "minimap", "fit",
              "zoom-in", "zoom-out",     "dice",          "queue",    "refresh", "star",
              "tag",     "bypass",       "mute",          "collapse", "arrange", "link",
              "locate",  "chevron-left", "chevron-up",    "help",     "menu",    "more"}) {
            QTest::newRow(name) << QString(name);
        }
    }

    void namesAreThere() {
        QFETCH(QString, name);
        const auto names = iconNames();
        QVERIFY(std::find(names.begin(), names.end(), name.toStdString()) != names.end());
    }

    void iconFollowsTheThemeInUse() {
        const QIcon icon = Theme::current().icon("stop", "text");
        QCOMPARE(painted(icon, 32).pixelColor(16, 16), Theme::current().colour("text"));

        Theme::setCurrent(std::make_shared<const Theme>(Theme::Scheme::Dark));

        QCOMPARE(painted(icon, 32).pixelColor(16, 16), Theme::current().colour("text"));
    }

    void disabledIconIsGrey() {
        const QIcon icon = Theme::current().icon("stop", "accent");
        QCOMPARE(painted(icon, 32, QIcon::Disabled).pixelColor(16, 16),
                 Theme::current().colour("text.disabled"));
    }

    void iconIsRepaintedAtTwiceTheScale() {
        const QPixmap pixmap = Theme::current().icon("play").pixmap(QSize(16, 16), 2.0);

        QCOMPARE(pixmap.size(), QSize(32, 32));
        QCOMPARE(pixmap.devicePixelRatio(), 2.0);
    }
};

LOWTIDE_WINDOW_TEST(IconsTest)

}  // namespace lowtide::ui::icons_test

#include "icons_test.moc"
