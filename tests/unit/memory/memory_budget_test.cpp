#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace memory_budget_test {

using namespace lowtide;
using namespace lowtide::memory;

/// What a user may write for `--memory-budget`, and what it means.
class MemoryBudgetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isKnownForEachDevice_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qlonglong>("main");  // -1: not stated
        QTest::addColumn<qlonglong>("cpu");
        QTest::addColumn<qlonglong>("second");
        QTest::newRow("of the run's device") << "6GiB" << 6LL * kGiB << -1LL << -1LL;
        QTest::newRow("by name") << "cuda:0=20GiB,cpu=8GiB" << 20LL * kGiB << 8LL * kGiB << -1LL;
        QTest::newRow("without an index") << "cuda=3GiB" << 3LL * kGiB << -1LL << -1LL;
        QTest::newRow("both") << "6GiB, cpu = 8GiB" << 6LL * kGiB << 8LL * kGiB << -1LL;
        QTest::newRow("a name before the bare one")
            << "6GiB,cuda:0=5GiB" << 5LL * kGiB << -1LL << -1LL;
        QTest::newRow("another card") << "cuda:1=1000" << -1LL << -1LL << 1000LL;
    }

    void isKnownForEachDevice() {
        QFETCH(QString, text);
        const MemoryBudget budget = parseMemoryBudget(text.toStdString());
        const auto of = [&](const char* device, bool isMain) {
            return static_cast<qlonglong>(budget.of(parseDeviceSpec(device), isMain).value_or(-1));
        };
        QTEST(of("cuda:0", true), "main");
        QTEST(of("cpu", false), "cpu");
        QTEST(of("cuda:1", false), "second");
        QVERIFY(parseMemoryBudget(toText(budget)) == budget);
    }

    void namesARehearsedDeviceByItsIndex() {
        const MemoryBudget budget = parseMemoryBudget("fake:0=8GiB,fake:1=4GiB");
        QCOMPARE(budget.of(parseDeviceSpec("fake"), true).value_or(0), 8 * kGiB);
        QCOMPARE(budget.of(parseDeviceSpec("fake:1,1GiB"), false).value_or(0), 4 * kGiB);
    }

    void keepsWhatIsReportedOfOthers() {
        const auto with = [](const char* stated, const char* size) {
            return QString::fromStdString(withMain(stated, "cuda:0", size));
        };
        QCOMPARE(with("", "6GiB"), QString("6GiB"));
        QCOMPARE(with("5GiB", "6GiB"), QString("6GiB"));
        QCOMPARE(with("5GiB, cpu=8GiB", "6GiB"), QString("6GiB,cpu=8GiB"));
        QCOMPARE(with("cuda:0=20GiB,cpu=8GiB", "6GiB"), QString("6GiB,cpu=8GiB"));
        QCOMPARE(with("cuda:0=20GiB,cpu=8GiB", ""), QString("cpu=8GiB"));
        QCOMPARE(with("5GiB", ""), QString());
        QVERIFY(isMemoryBudget("6GiB,cpu=8GiB") && !isMemoryBudget("6GiB cpu"));
    }

    void refusesWhatIsNone_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "lots",
                                 "6GiB,",
                                 "6GiB,7GiB",
                                 "cpu=",
                                 "cpu=8GiB,cpu=9GiB",
                                 "fake=1GiB,fake:0=2GiB",
                                 "fake:8GiB=8GiB",
                                 "=8GiB",
                                 "gpu=8GiB",
                                 "cpu=8GiB;cuda=1GiB"}) {
            QTest::newRow(*text ? text : "empty") << text;
        }
    }

    void refusesWhatIsNone() {
        QFETCH(QString, text);
        try {
            static_cast<void>(parseMemoryBudget(text.toStdString()));
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::InvalidInput);
            QVERIFY(!error.hint().empty());
        }
    }
};

LOWTIDE_TEST(MemoryBudgetTest)

}  // namespace memory_budget_test

#include "memory_budget_test.moc"
