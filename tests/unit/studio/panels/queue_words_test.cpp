#include "tests/fixtures/test_program.hpp"
#include "ui/panels/queue_words.hpp"

#include <QtTest/QtTest>

#include <limits>

namespace queue_words_test {

using namespace lowtide;
using namespace lowtide::ui;

class QueueWordsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void statesHowFarTheQueueIs_data() {
        testing::addTable<int, int, QString, double, QString>(
            {"number", "total", "phase", "left", "text"},
            {{"all", 2, 10, "step 6 of 20", 100, "2 of 10 · step 6 of 20 · 1:40 left"},
             {"alone", 1, 1, "step 6 of 20", 8, "step 6 of 20 · 0:08 left"},
             {"no phase", 2, 10, "", 3600, "2 of 10 · 34 % · 1 h left"},
             {"no time", 2, 10, "step 6 of 20", -1, "2 of 10 · step 6 of 20"},
             {"overdue", 1, 1, "", 0, "34 %"},
             {"held", 0, 10, "", 8, ""}});
    }

    void statesHowFarTheQueueIs() {
        QFETCH(int, number);
        QFETCH(int, total);
        QFETCH(QString, phase);
        QFETCH(double, left);
        const QueueProgress progress{.number = number,
                                     .total = total,
                                     .fraction = 0.34,
                                     .phase = phase,
                                     .secondsLeft = left < 0 ? std::nullopt : std::optional(left)};
        QTEST(joined(queueWords(progress)), "text");
    }

    void writesNoTimeThatIsNone() {
        const QueueProgress progress{
            .number = 1, .total = 1, .secondsLeft = std::numeric_limits<double>::quiet_NaN()};
        QCOMPARE(joined(queueWords(progress)), QString("0 %"));
    }

    void theTabHasTheShortForm() {
        QCOMPARE(queueTabText({.secondsLeft = {}}), QString("Queue"));
        QCOMPARE(queueTabText({.number = 2, .total = 10, .secondsLeft = {}}),
                 QString("Queue (2/10)"));
        QCOMPARE(queueTabText({.number = 1, .total = 1, .secondsLeft = {}}), QString("Queue (1)"));
        QCOMPARE(queueTabText({.total = 10, .secondsLeft = {}}), QString("Queue (10)"));
    }

    void theTitleBeginsWithIt() {
        const auto at = [](int number, int total) {
            return QueueProgress{
                .number = number, .total = total, .fraction = 0.34, .secondsLeft = {}};
        };
        QCOMPARE(titleWith(at(2, 10), "My fox"), QString("(2/10, 34 %) My fox"));
        QCOMPARE(titleWith(at(1, 1), "My fox"), QString("(34 %) My fox"));
        QCOMPARE(titleWith(at(0, 3), "My fox"), QString("My fox"));
    }
};

LOWTIDE_TEST(QueueWordsTest)

}  // namespace queue_words_test

#include "queue_words_test.moc"
