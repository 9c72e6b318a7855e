#include "tests/fixtures/test_program.hpp"
#include "ui/language/language.hpp"

#include <QtTest/QtTest>

namespace dates_test {

using namespace lowtide;
using namespace lowtide::ui;

class DatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void cleanup() { QLocale::setDefault(QLocale::system()); }

    void yearsHaveFourDigits_data() {
        QTest::addColumn<QString>("locale");
        for (const char* locale : {"en_US", "en_GB", "de_DE", "zh_CN", "C"}) {
            QTest::newRow(locale) << locale;
        }
    }

    void yearsHaveFourDigits() {
        QFETCH(QString, locale);
        QLocale::setDefault(QLocale(locale));
        const QDateTime time(QDate(2026, 11, 28), QTime(14, 5));

        QVERIFY2(dateText(time.date()).contains("2026"), qPrintable(dateText(time.date())));
        QCOMPARE(dateTimeText(time).count("2026"), 1);
        QVERIFY2(dateTimeText(time).contains("05"), qPrintable(dateTimeText(time)));
    }
};

LOWTIDE_TEST(DatesTest)

}  // namespace dates_test

#include "dates_test.moc"
