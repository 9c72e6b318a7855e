// Faults that are built into the residency on purpose: each must fail the test that is named next
// to it, and without a fault each of these tests must pass.
#include "tests/fixtures/test_program.hpp"

#include <QProcess>
#include <QTest>

namespace mutants_test {

using namespace lowtide;

namespace {

struct Row {
    int number;  ///< residency::Mutant
    const char* fault;
    const char* file;
    const char* test;  ///< that must fail
};

constexpr Row kRows[] = {
    {1, "compute does not wait", "streamed_weights", "s01_tiedWeightsOfNeighbours"},
    {2, "copies do not wait", "order", "isCompleteWhateverTheDelays"},
    {3, "a leased group is evicted", "streamed_weights", "s13_nestedLeases"},
    {4, "bound late", "streamed_weights", "s05_anyOrderGivesTheSameBits"},
    {5, "a slot is reused early", "order", "isCompleteWhateverTheDelays"},
    {6, "adapted twice", "adapted_weights", "s10_changesGiveTheSameBitsResidentAndStreamed"},
    {7, "cap dropped", "residency", "refusesActivationsBeyondTheBudget"},
    {7, "cap dropped, the driver spills", "spill", "whoTakesMoreThanWasPlannedIsRefused"},
    {8, "queue not drained", "order", "isCompleteWhateverTheDelays"},
};

constexpr int kLongestMilliseconds = 15000;  ///< five times what the slowest of them takes
constexpr const char* kFailure = "FAIL!";

struct Outcome {
    bool hasPassed = false;
    QString text;
};

Outcome runTest(const Row& row, int mutant) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOWTIDE_MUTANT", QString::number(mutant));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    QString text;
    QObject::connect(&process, &QProcess::readyRead, [&] {
        text += QString::fromUtf8(process.readAll());
        if (text.contains(kFailure)) {
            process.kill();  // a fault may block the device for good
        }
    });
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("%1_test").arg(row.file), row.test, "-maxwarnings", "0"});
    if (!process.waitForFinished(kLongestMilliseconds)) {
        process.kill();
        process.waitForFinished();
    }
    return {process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0, text};
}

}  // namespace

class MutantsTest : public QObject {
    Q_OBJECT

    QStringList healthy_;  ///< tests that succeeded without a fault

private Q_SLOTS:

    void isFound_data() {
        QTest::addColumn<int>("row");
        for (int row = 0; row < static_cast<int>(std::size(kRows)); ++row) {
            QTest::newRow(kRows[row].fault) << row;
        }
    }

    void isFound() {
        QFETCH(int, row);
        const Row& mutant = kRows[row];
        if (!healthy_.contains(mutant.test)) {
            const Outcome healthy = runTest(mutant, 0);
            QVERIFY2(healthy.hasPassed, qPrintable(healthy.text.right(2000)));
            healthy_ << mutant.test;
        }
        const Outcome faulty = runTest(mutant, mutant.number);
        QVERIFY2(!faulty.hasPassed, qPrintable(faulty.text.right(2000)));
        const QString failure = QString("::%1(").arg(mutant.test);
        const bool isReported = faulty.text.contains(kFailure) && faulty.text.contains(failure);
        // A copy queue that writes into memory that was given back may end the program instead.
        const bool hasDied = faulty.text.contains("Received signal") &&
                             faulty.text.contains(QString("%1 function time").arg(mutant.test));
        QVERIFY2(isReported || hasDied, qPrintable(faulty.text.right(2000)));
    }
};

LOWTIDE_TEST(MutantsTest)

}  // namespace mutants_test

#include "mutants_test.moc"
