#include "plugin/executor/sensitivity_store.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace sensitivity_store_test {

using namespace lowtide;
using executor::MeasuredSensitivity;
using executor::SensitivityStore;

namespace {

MeasuredSensitivity measured(const char* weights, const char* setting, double error) {
    return {.weights = weights,
            .setting = setting,
            .types = "f16 in f16",
            .pass = "one pass",
            .error = error,
            .worst = 2 * error,
            .measuredOn = "2026-11-22"};
}

}  // namespace

/// What is known of checkpoints between runs.
class SensitivityStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    [[nodiscard]] SensitivityStore store() const {
        return SensitivityStore(folder_.path().toStdString());
    }

    [[nodiscard]] QString path() const { return folder_.filePath("sensitivities.json"); }

private Q_SLOTS:

    void cleanup() { QFile::remove(path()); }

    void findsWhatWasStored_byWeights() {
        const MeasuredSensitivity second = measured("aa", "speed", 0.02);
        const MeasuredSensitivity first = measured("aa", "cache.deepcache interval=5", 0.3);
        QVERIFY(store().find("aa").empty());
        store().store(second);
        store().store(first);
        store().store(measured("bb", "speed", 0.4));
        QVERIFY(store().find("aa") == (std::vector{first, second}));
        QCOMPARE(store().find("bb").size(), size_t{1});
        QVERIFY(store().find("a").empty());
        QCOMPARE(QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden),
                 (QStringList{".sensitivities.json.lock", "sensitivities.json"}));
    }

    void aNewMeasurementReplacesTheOld() {
        store().store(measured("aa", "speed", 0.02));
        MeasuredSensitivity again = measured("aa", "speed", 0.03);
        again.pass = "another pass";
        store().store(again);
        QVERIFY(store().find("aa") == std::vector{again});
    }

    /// A preset is something else on another kind of device.
    void otherTypesAreKeptToo() {
        store().store(measured("aa", "speed", 0.02));
        MeasuredSensitivity elsewhere = measured("aa", "speed", 0);
        elsewhere.types = "f32 in f32";
        store().store(elsewhere);
        QCOMPARE(store().find("aa").size(), size_t{2});
    }

    void whatIsNotFiniteComesBack() {
        const auto endless = measured("aa", "speed", std::numeric_limits<double>::infinity());
        store().store(endless);
        QVERIFY(testing::contentsOf(path()).contains("null"));
        QVERIFY(store().find("aa") == std::vector{endless});
    }

    void theVerdictTurnsAtTheThreshold() {
        QCOMPARE(executor::verdictOn(std::nextafter(executor::kSensitiveFrom, 0)), "tolerant");
        QCOMPARE(executor::verdictOn(executor::kSensitiveFrom), "sensitive");
        QCOMPARE(executor::verdictOn(std::numeric_limits<double>::infinity()), "sensitive");
        QCOMPARE(executor::verdictOn(NAN), "sensitive");
    }

    void damagedFilesAreRefused_andReplaced_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto withEntry = [](const char* entry) {
            return QByteArray(R"({"format": 1, "sensitivities": [)") + entry + "]}";
        };
        QTest::newRow("cut off") << QByteArray("{");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("another format") << QByteArray(R"({"format": 2, "sensitivities": []})");
        QTest::newRow("no format") << QByteArray(R"({"sensitivities": []})");
        QTest::newRow("no entries") << QByteArray(R"({"format": 1})");
        QTest::newRow("entry of another kind") << withEntry("7");
        QTest::newRow("no setting") << withEntry(R"({"weights": "aa"})");
        QTest::newRow("error below zero")
            << withEntry(R"({"weights": "aa", "setting": "x", "types": "t", "pass": "p",
                             "measured_on": "d", "worst": 1, "error": -1})");
        QTest::newRow("error a text")
            << withEntry(R"({"weights": "aa", "setting": "x", "types": "t", "pass": "p",
                             "measured_on": "d", "worst": 1, "error": "1"})");
        QTest::newRow("no worst") << withEntry(
            R"({"weights": "aa", "setting": "x", "types": "t", "pass": "p",
                             "measured_on": "d", "error": 1})");
    }

    void damagedFilesAreRefused_andReplaced() {
        QFETCH(QByteArray, bytes);
        testing::writeFile(path(), bytes);
        const auto error = testing::errorOf([&] { (void)store().find("aa"); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY2(error->message().str().find("sensitivities.json") != std::string::npos,
                 error->message().str().c_str());
        QVERIFY(error->hint().str().find("--again") != std::string::npos);
        QCOMPARE(testing::contentsOf(path()), bytes);
        store().store(measured("aa", "speed", 0.02));
        QCOMPARE(store().find("aa").size(), size_t{1});
    }

    void nothingIsLost_whenSeveralStoreAtOnce() {
        constexpr int kWriters = 6;
        constexpr int kRounds = 10;
        std::vector<std::thread> writers;
        for (int writer = 0; writer < kWriters; ++writer) {
            writers.emplace_back([&, writer] {
                for (int round = 0; round < kRounds; ++round) {
                    store().store(
                        measured("aa",
                                 (std::to_string(writer) + " " + std::to_string(round)).c_str(),
                                 0.02));
                }
            });
        }
        for (std::thread& writer : writers) {
            writer.join();
        }
        QCOMPARE(store().find("aa").size(), size_t{kWriters * kRounds});
    }

    void withoutAFolderNothingIsKept() {
        QVERIFY(SensitivityStore("").find("aa").empty());
        const auto error =
            testing::errorOf([] { SensitivityStore("").store(measured("aa", "speed", 0.1)); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
    }
};

LOWTIDE_TEST(SensitivityStoreTest)

}  // namespace sensitivity_store_test

#include "sensitivity_store_test.moc"
