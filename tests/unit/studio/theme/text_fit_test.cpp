#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

#include <functional>

using lowtide::test::controlProblems;
using lowtide::test::textProblems;

/// Builds a fault, and the same without it.
using Build = std::function<void(QWidget& window, bool isFaulty)>;

namespace lowtide::ui::text_fit_test {

namespace {

const QString kLong = QStringLiteral("A text that takes some space");

QString clippedTip(bool isFaulty) {
    return isFaulty ? QString() : kLong;
}

}  // namespace

class TextFitTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() { test::failOnQtWarnings(); }

    void faultIsFound_andNothingElse_data() {
        QTest::addColumn<Build>("build");
        const auto row = [](const char* name, Build build) { QTest::newRow(name) << build; };
        row("label too narrow", [](QWidget& window, bool isFaulty) {
            auto* label = new QLabel(kLong, &window);
            label->setGeometry(8, 8, isFaulty ? 60 : 300, 24);
        });
        row("wrapped label too low", [](QWidget& window, bool isFaulty) {
            auto* label = new QLabel(kLong, &window);
            label->setWordWrap(true);
            label->setGeometry(8, 8, 80, isFaulty ? 16 : 90);
        });
        row("button too narrow", [](QWidget& window, bool isFaulty) {
            auto* button = new QPushButton(kLong, &window);
            button->setGeometry(8, 8, isFaulty ? 80 : 300, 28);
        });
        row("check box too narrow", [](QWidget& window, bool isFaulty) {
            auto* box = new QCheckBox(kLong, &window);
            box->setGeometry(8, 8, isFaulty ? 80 : 300, 28);
        });
        row("placeholder too long", [](QWidget& window, bool isFaulty) {
            auto* edit = new QLineEdit(&window);
            edit->setPlaceholderText(kLong);
            edit->setGeometry(8, 8, isFaulty ? 80 : 300, 28);
        });
        row("combo box elided without tooltip", [](QWidget& window, bool isFaulty) {
            auto* combo = new QComboBox(&window);
            combo->addItem(kLong);
            combo->setToolTip(clippedTip(isFaulty));
            combo->setGeometry(8, 8, 90, 28);
        });
        row("list item elided without tooltip", [](QWidget& window, bool isFaulty) {
            auto* list = new QListWidget(&window);
            list->setGeometry(8, 8, 100, 100);
            list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
            auto* item = new QListWidgetItem(kLong, list);
            item->setToolTip(clippedTip(isFaulty));
            list->setFixedWidth(isFaulty ? 100 : 300);
        });
        row("header too narrow", [](QWidget& window, bool isFaulty) {
            auto* table = new QTableWidget(0, 1, &window);
            table->setGeometry(8, 8, 300, 100);
            table->setHorizontalHeaderLabels({kLong});
            table->horizontalHeader()->resizeSection(0, isFaulty ? 60 : 280);
        });
        row("texts over each other", [](QWidget& window, bool isFaulty) {
            auto* one = new QLabel(kLong, &window);
            one->setGeometry(8, 8, 300, 24);
            auto* other = new QLabel(kLong, &window);
            other->setGeometry(8, isFaulty ? 16 : 40, 300, 24);
        });
        row("cut by its parent", [](QWidget& window, bool isFaulty) {
            auto* box = new QWidget(&window);
            box->setGeometry(8, 8, isFaulty ? 60 : 320, 40);
            auto* label = new QLabel(kLong, box);
            label->setGeometry(8, 8, 300, 24);
        });
        row("beyond the side of a column that never scrolls there",
            [](QWidget& window, bool isFaulty) {
                auto* area = new QScrollArea(&window);
                area->setGeometry(8, 8, 120, 100);
                area->setHorizontalScrollBarPolicy(isFaulty ? Qt::ScrollBarAlwaysOff
                                                            : Qt::ScrollBarAsNeeded);
                auto* label = new QLabel(kLong);
                area->setWidget(label);
                label->resize(300, 24);
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

            const QStringList problems = textProblems(window);

            QVERIFY2(problems.size() == (isFaulty ? 1 : 0), qPrintable(problems.join("\n")));
        }
    }

    void scrolledAwayTextIsNoFault() {
        QScrollArea area;
        auto* label = new QLabel(kLong + kLong + kLong);
        area.setWidget(label);
        area.resize(120, 60);
        area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&area));

        QCOMPARE(textProblems(area), QStringList());
    }

    void faultOfAControlIsFound_andNothingElse_data() {
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

    void faultOfAControlIsFound_andNothingElse() {
        QFETCH(Build, build);
        for (const bool isFaulty : {false, true}) {
            QWidget window;
            window.resize(400, 200);
            build(window, isFaulty);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));

            const QStringList problems = controlProblems(window);

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
        QCOMPARE(controlProblems(area), QStringList());
    }
};

LOWTIDE_WINDOW_TEST(TextFitTest)

}  // namespace lowtide::ui::text_fit_test

#include "text_fit_test.moc"
