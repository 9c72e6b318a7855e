// CUDA on machines where no GPU can be used: the reason is stated, nothing else changes. Drivers
// are played by a library that is found before the system's.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace cuda_test {

using namespace lowtide;

namespace {

/// The environment in which the driver answers so; empty: there is none, and no GPU either.
QStringList driver(const char* part) {
    const QString folder = testing::buildPath(part[0] ? "lib/played" : "lib/no_driver");
    return {"LD_LIBRARY_PATH=" + folder, QString("LOWTIDE_PLAYED_DRIVER=") + part};
}

Json cudaFacts(const char* part) {
    const testing::CommandResult devices = testing::runLowtide({"devices", "--json"}, driver(part));
    return devices.exitCode == 0 ? Json::parse(devices.output.toStdString()).at("cuda") : Json();
}

}  // namespace

class CudaTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QByteArray imageWith(const char* part) {
        const QString out = folder_.filePath(QString("out ") + part);
        const testing::CommandResult run =
            testing::runLowtide({"run",
                                 testing::exampleGraph("text_to_image"),
                                 "--set",
                                 "denoise.steps=2",
                                 "--out",
                                 out},
                                driver(part));
        if (run.exitCode != 0) {
            qWarning("%s", qPrintable(run.errors));
            return {};
        }
        return testing::contentsOf(run.output.trimmed());
    }

private Q_SLOTS:

    void initTestCase() {
        if (cudaFacts("").at("problem") == "") {
            QSKIP("this machine has a GPU");
        }
    }

    void theCommandStatesWhatThereIs_data() {
        testing::addTable<QByteArray, QString>({"part", "expected"},
                                               {{"no driver", "", "there is no NVIDIA driver"},
                                                {"old", "old", "install a newer driver"},
                                                {"no GPU", "none", "finds no GPU"},
                                                {"broken", "broken", "cannot describe its GPUs"}});
    }

    void theCommandStatesWhatThereIs() {
        QFETCH(QByteArray, part);
        QFETCH(QString, expected);
        const testing::CommandResult devices = testing::runLowtide({"devices"}, driver(part));
        QVERIFY2(devices.exitCode == 0, qPrintable(devices.errors));
        QVERIFY2(devices.output.contains("CUDA: compiled, not run; "), qPrintable(devices.output));
        QVERIFY2(devices.output.contains(expected), qPrintable(devices.output));
    }

    void theJsonHasIt() {
        const Json facts = cudaFacts("none");
        QVERIFY2(facts.at("problem").get<std::string>().find("finds no GPU") != std::string::npos,
                 facts.dump().c_str());
        QCOMPARE(facts.at("status"), Json("compiled, not run"));
        QVERIFY(facts.at("cards").empty());
    }

    /// Compute capability 6.1 next to 8.9.
    void aGpuThatIsTooOldIsNotOffered() {
        const testing::CommandResult devices = testing::runLowtide({"devices"}, driver("cards"));
        QVERIFY2(devices.output.contains("Old card has compute capability 6.1, LibTorch needs 7.5"),
                 qPrintable(devices.output));
        QVERIFY(devices.output.contains("cuda:0") && !devices.output.contains("cuda:1"));
        const Json gpus = cudaFacts("cards").at("cards");
        QCOMPARE(gpus.at(0).at("problem"), Json(""));
        QVERIFY(gpus.at(1).at("gains").empty());
    }

    void aRunOnAGpuIsRefusedWithTheReason_data() {
        QTest::addColumn<QByteArray>("part");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no driver") << QByteArray("") << "there is no NVIDIA driver";
        QTest::newRow("old") << QByteArray("old") << "install a newer driver";
        // It has GPUs, but is no driver: CUDA's runtime finds out.
        QTest::newRow("a driver that lies") << QByteArray("cards") << "Played card cannot be used";
    }

    void aRunOnAGpuIsRefusedWithTheReason() {
        QFETCH(QByteArray, part);
        QFETCH(QString, expected);
        const testing::CommandResult run =
            testing::runLowtide({"run",
                                 testing::exampleGraph("text_to_image"),
                                 "--device",
                                 "cuda",
                                 "--out",
                                 folder_.filePath("none")},
                                driver(part));
        QVERIFY2(!run.crashed, qPrintable(run.errors));
        QCOMPARE(run.exitCode, 3);
        QVERIFY2(run.errors.contains(expected), qPrintable(run.errors));
        QVERIFY(!QDir(folder_.filePath("none")).exists());
    }

    /// Also where LibTorch's CUDA part was loaded.
    void theCpuGivesTheSameBytesWhateverWasTried() {
        const QByteArray expected = imageWith("");
        QVERIFY(expected.size() > 1000);
        for (const char* part : {"old", "none", "cards"}) {
            QVERIFY2(imageWith(part) == expected, part);
        }
    }
};

LOWTIDE_TEST(CudaTest)

}  // namespace cuda_test

#include "cuda_test.moc"
