#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

#include <functional>

namespace lowtide::ui::control_fit_test {

/// Builds a fault, and the same without it.
using Build = std::function<void(QWidget& window, bool isFaulty)>;

class ControlFitTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() { test::failOnQtWarnings(); }

    void faultIsFound_andNothingElse_data() {
        QTest::addColumn<Build>("build");
        const auto row = [](const char* name, Build build) { QTest::newRow(name) << build; };
        row("button beyond its parent", [](QWidget& window, bool isFaulty) {
            auto* bar = new QWidget(&window);
            bar->setGeometry(0, 0, 100, 40);
            auto* button = new QToolButton(bar);
            button->setGeometry(isFaulty ? 90 : 60, 4, 28, 28);
        });
        row("button beyond a column that never scrolls there", [](QWidget& window, bool isFaulty) {
            auto* area = new QScrollArea(&window);
            area->setGeometry(0, 0, 100, 100);
            area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
            auto* content = new QWidget;
            auto* button = new QToolButton(content);
            button->setGeometry(isFaulty ? 90 : 40, 4, 28, 28);
            area->setWidget(content);
            content->resize(isFaulty ? 130 : 80, 80);
        });
        row("column that must be scrolled sideways", [](QWidget& window, bool isFaulty) {
            auto* area = new QScrollArea(&window);
            area->setGeometry(0, 0, 100, 100);
            auto* content = new QWidget;
            area->setWidget(content);
            content->resize(isFaulty ? 130 : 80, 50);
        });
        row("small button", [](QWidget& window, bool isFaulty) {
            auto* button = new QToolButton(&window);
            button->setGeometry(8, 8, 28, isFaulty ? 20 : 28);
        });
        row("one over the other", [](QWidget& window, bool isFaulty) {
            auto* field = new QLineEdit(&window);
            field->setGeometry(8, 8, 100, 28);
            auto* button = new QPushButton(&window);
            button->setGeometry(isFaulty ? 90 : 120, 8, 60, 28);
        });
    }

    void faultIsFound_andNothingElse() {
        QFETCH(Build, build);
        for (const bool isFaulty : {false, true}) {
            QWidget window;
            window.resize(400, 200);
            build(window, isFaulty);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));

            const QStringList problems = test::controlProblems(window);

            QVERIFY2(!problems.isEmpty() == isFaulty, qPrintable(problems.join("\n")));
        }
    }

    /// What lies further down a column is no fault.
    void scrolledAwayControlIsNoFault() {
        QScrollArea area;
        auto* content = new QWidget;
        auto* button = new QToolButton(content);
        button->setGeometry(0, 300, 28, 28);
        area.setWidget(content);
        content->resize(80, 400);
        area.resize(120, 100);
        area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&area));
        QCOMPARE(test::controlProblems(area), QStringList());
    }
};

LOWTIDE_WINDOW_TEST(ControlFitTest)

}  // namespace lowtide::ui::control_fit_test

#include "control_fit_test.moc"
