#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/theme/widget_gallery.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QtWidgets>

namespace lowtide::ui::style_test {

class StyleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void galleryFits_data() {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void galleryFits() {
        QFETCH(bool, isDark);
        use(isDark);
        const auto gallery = test::makeWidgetGallery();
        gallery->show();
        QVERIFY(QTest::qWaitForWindowExposed(gallery.get()));
        test::keepScreenshot(*gallery, QString("gallery_%1").arg(isDark ? "dark" : "light"));
        auto* menu = gallery->findChild<QMenu*>("file");
        menu->popup(gallery->mapToGlobal(QPoint(8, 32)));
        test::keepScreenshot(*menu, QString("menu_%1").arg(isDark ? "dark" : "light"));
        menu->close();

        const QStringList problems = test::textProblems(*gallery);

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n")));
    }

    /// A prompt or the name of a file may look like HTML.
    void textsAreShownAsTheyAre() {
        use(false);
        const QString text = "<b>bold</b> &amp; <img src=\"file:///etc/hostname\">";
        QLabel label(text);
        label.show();
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QLabel rich(text);
        rich.setTextFormat(Qt::RichText);
        rich.show();
        QCOMPARE(rich.textFormat(), Qt::RichText);
        QToolTip::showText({10, 10}, text, &label);
        const QWidgetList windows = QApplication::topLevelWidgets();
        const auto tip = std::find_if(windows.begin(), windows.end(), [](const QWidget* each) {
            return each->objectName() == "qtooltip_label";
        });
        QVERIFY(tip != windows.end());
        QCOMPARE(qobject_cast<QLabel*>(*tip)->text(), text);
        QCOMPARE(qobject_cast<QLabel*>(*tip)->textFormat(), Qt::PlainText);
        QToolTip::hideText();
    }

    void aChoiceThatIsTooLongEndsInDots() {
        use(false);
        QComboBox whole, dots;
        whole.addItem("As the sampler has it");
        dots.addItem(QStringLiteral("As the sam") + QChar(0x2026));
        for (QComboBox* box : {&whole, &dots}) {
            box->resize(box->fontMetrics().horizontalAdvance(dots.itemText(0)) + 36, 28);
        }
        QCOMPARE(whole.grab().toImage(), dots.grab().toImage());
    }

    void aPrimaryToolButtonHasTheColourOfAccents() {
        use(false);
        QToolButton button;
        button.setText("Run");
        button.setAutoRaise(true);
        const auto ground = [&button] {
            return button.grab().toImage().pixelColor(4, button.height() / 2);
        };
        QToolButton plain;
        plain.setText("Run");
        plain.setAutoRaise(true);
        button.resize(80, 28);
        const QColor accent = Theme::current().colour("accent");
        QVERIFY(ground() != accent);
        setPrimary(button);
        QCOMPARE(ground(), accent);
        QVERIFY(button.sizeHint().width() > plain.sizeHint().width());
        button.setEnabled(false);
        QVERIFY(ground() != accent);
    }

    void keyboardFocusIsSeen_data() {
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<QString>("name");
        for (const bool isDark : {false, true}) {
            for (const char* name : {"run", "cancel", "text", "slider"}) {
                QTest::addRow("%s %s", isDark ? "dark" : "light", name) << isDark << QString(name);
            }
        }
    }

    void keyboardFocusIsSeen() {
        QFETCH(bool, isDark);
        QFETCH(QString, name);
        use(isDark);
        const auto gallery = test::makeWidgetGallery();
        gallery->show();
        gallery->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(gallery.get()));
        auto* widget = gallery->findChild<QWidget*>(name);
        widget->clearFocus();
        const QImage without = widget->grab().toImage();

        for (int i = 0; i < 60 && !widget->hasFocus(); ++i) {
            QTest::keyClick(gallery->focusWidget() ? gallery->focusWidget() : gallery.get(),
                            Qt::Key_Tab);
        }
        QVERIFY(widget->hasFocus());

        const QImage with = widget->grab().toImage();
        int changed = 0;
        for (int y = 0; y < with.height(); ++y) {
            for (int x = 0; x < with.width(); ++x) {
                const QColor now = with.pixelColor(x, y);
                changed += contrastOf(now, without.pixelColor(x, y)) >= 1.5 ? 1 : 0;
            }
        }
        // At least a border of one pixel around two thirds of the smaller side.
        QVERIFY2(changed >= 2 * with.height(), qPrintable(QString::number(changed)));
    }

private:
    static void use(bool isDark) {
        Theme::setCurrent(
            std::make_shared<const Theme>(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light));
        Theme::current().applyTo(*qApp);
    }
};

LOWTIDE_WINDOW_TEST(StyleTest)

}  // namespace lowtide::ui::style_test

#include "style_test.moc"
