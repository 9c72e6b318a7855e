#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "ui/panels/help_text.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace help_text_test {

using namespace lowtide;
using namespace lowtide::ui;

class HelpTextTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { PanelBench::useTheme(false); }

    void paragraphsAreApart() {
        HelpText page;
        page.resize(400, 300);
        page.showText("First paragraph.\n\nSecond paragraph.");
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));

        const QTextLayout& first = *page.document()->begin().layout();
        const QTextLayout& second = *page.document()->begin().next().layout();
        const qreal end = first.position().y() + first.boundingRect().height();

        QVERIFY2(second.position().y() - end >= Theme::space(2) - 1,
                 qPrintable(QString::number(second.position().y() - end)));
    }

    void aPageBeginsAtItsBeginning_andTheSameOneRemainsWhereItWasRead() {
        HelpText page;
        page.resize(400, 200);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const QString first = "# First\n\n" + QString("A line.\n\n").repeated(100);
        page.showText(first);
        QScrollBar& bar = *page.verticalScrollBar();
        QCOMPARE(bar.value(), 0);
        bar.setValue(bar.maximum() / 2);
        const int read = bar.value();
        QVERIFY(read > 0);

        page.showText(first);
        QCOMPARE(bar.value(), read);
        page.showText("# Second\n\n" + QString("Another.\n\n").repeated(100));
        QCOMPARE(bar.value(), 0);
    }
};

LOWTIDE_WINDOW_TEST(HelpTextTest)

}  // namespace help_text_test

#include "help_text_test.moc"
