#include "plugin/executor/profile_store.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <memory>
#include <thread>
#include <vector>

namespace profile_store_test {

using namespace lowtide;
using namespace lowtide::executor;
using memory::MeasuredProfile;
using memory::ProfileKey;

namespace {

const ProfileKey kKey{.device = "cpu",
                      .name = "Processor X",
                      .processor = "Processor X",
                      .numerics = "torch 2.11.0, AVX2, 4 threads",
                      .version = "0.1.0"};

MeasuredProfile measured(double flops, const ProfileKey& key = kKey) {
    return {.key = key,
            .profile = {.copyBytesPerSecond = 8e9,
                        .copyOverhead = 1e-5,
                        .flopsPerSecond = flops,
                        .leafOverhead = 2e-5,
                        .measuredOn = "2026-11-21"}};
}

}  // namespace

/// Measured speeds in a file: which are given back, which are not used and why.
class ProfileStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void knowsNothing_beforeAnythingWasMeasured() {
        const FoundProfile found = store().find(kKey);

        QVERIFY(!found.profile);
        QVERIFY(found.problem.empty());
    }

    void givesBackWhatWasStored_alsoToAnotherProcess() {
        store().store(measured(1e11));

        const FoundProfile found = store().find(kKey);

        QVERIFY(found.profile == measured(1e11).profile);
        QVERIFY(found.problem.empty());
    }

    void keepsTheNewestOfOneKey_andOthersToo() {
        ProfileKey oneThread = kKey;
        oneThread.numerics = "torch 2.11.0, AVX2, 1 thread";
        store().store(measured(1e11));
        store().store(measured(3e10, oneThread));
        store().store(measured(2e11));

        QCOMPARE(store().find(kKey).profile->flopsPerSecond, 2e11);
        QCOMPARE(store().find(oneThread).profile->flopsPerSecond, 3e10);
    }

    void doesNotGrowForEver() {
        for (int version = 0; version < 40; ++version) {
            ProfileKey key = kKey;
            key.version = "0." + std::to_string(version);
            store().store(measured(1e11, key));
        }

        ProfileKey first = kKey;
        first.version = "0.0";
        ProfileKey last = kKey;
        last.version = "0.39";
        QVERIFY(!store().find(first).profile);
        QVERIFY(store().find(last).profile);
        QVERIFY(QFile(path()).size() < 16 * 1024);
    }

    void doesNotUseWhatWasMeasuredElsewhere_data() {
        const testing::Rows<QString, QString, QString, QString> row(
            "name", "processor", "numerics", "version");
        const QString x = "Processor X";
        const QString torch = "torch 2.11.0, AVX2, 4 threads";
        row("another device", "Processor Y", x, torch, "0.1.0");
        row("another machine", x, "Processor Y", torch, "0.1.0");
        row("other threads", x, x, "torch 2.11.0, AVX2, 2 threads", "0.1.0");
        row("another build", x, x, "torch 2.12.0, AVX2, 4 threads", "0.1.0");
        row("another version", x, x, torch, "0.2.0");
    }

    void doesNotUseWhatWasMeasuredElsewhere() {
        QFETCH(QString, name);
        QFETCH(QString, processor);
        QFETCH(QString, numerics);
        QFETCH(QString, version);
        store().store(measured(1e11));

        const FoundProfile found = store().find({.device = "cpu",
                                                 .name = name.toStdString(),
                                                 .processor = processor.toStdString(),
                                                 .numerics = numerics.toStdString(),
                                                 .version = version.toStdString()});

        QVERIFY(!found.profile);
        QVERIFY2(found.problem.find("lowtide calibrate --device cpu") != std::string::npos,
                 found.problem.c_str());
        QCOMPARE(found.problem.find('\n'), std::string::npos);
    }

    void reportsNothingOfADevice_thatWasNeverMeasured() {
        store().store(measured(1e11));
        ProfileKey gpu = kKey;
        gpu.device = "cuda:0";

        QVERIFY(store().find(gpu).problem.empty());
    }

    void doesNotUseADamagedFile_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("{\"format\": 1, \"prof");
        QTest::newRow("bytes") << QByteArray("\xff\xfe\x00\x01", 4);
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("another format") << QByteArray("{\"format\": 2, \"profiles\": []}");
        QTest::newRow("no profiles") << QByteArray("{\"format\": 1}");
        QTest::newRow("numbers") << QByteArray("{\"format\": 1, \"profiles\": [1, 2]}");
        QTest::newRow("nothing in it") << QByteArray("{\"format\": 1, \"profiles\": [{}]}");
        QTest::newRow("far too long") << QByteArray(2 * 1024 * 1024, ' ');
    }

    void doesNotUseADamagedFile() {
        QFETCH(QByteArray, content);
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
        file.close();

        const FoundProfile found = store().find(kKey);

        QVERIFY(!found.profile);
        QVERIFY2(found.problem.find("lowtide calibrate --device cpu") != std::string::npos,
                 found.problem.c_str());
        QVERIFY2(found.problem.find(folder_->path().toStdString()) == std::string::npos,
                 "a message names no folder");
        store().store(measured(1e11));
        QVERIFY(store().find(kKey).profile == measured(1e11).profile);
    }

    void holdsNoPathAndLeavesNothingNearby() {
        store().store(measured(1e11));

        QFile file(path());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains('/'));
        QCOMPARE(QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden),
                 (QStringList{".device_profiles.json.lock", "device_profiles.json"}));
    }

    void nothingIsLost_whenSeveralStoreAtOnce() {
        constexpr int kWriters = 6;
        constexpr int kRounds = 2;  // 16 measurements are kept
        const auto keyOf = [](int writer, int round) {
            ProfileKey key = kKey;
            key.version = std::to_string(writer) + "." + std::to_string(round);
            return key;
        };
        std::vector<std::thread> writers;
        for (int writer = 0; writer < kWriters; ++writer) {
            writers.emplace_back([&, writer] {
                for (int round = 0; round < kRounds; ++round) {
                    store().store(measured(1e11, keyOf(writer, round)));
                }
            });
        }
        for (std::thread& writer : writers) {
            writer.join();
        }
        for (int writer = 0; writer < kWriters; ++writer) {
            for (int round = 0; round < kRounds; ++round) {
                QVERIFY(store().find(keyOf(writer, round)).profile);
            }
        }
    }

    void refusesAFolderThatCannotBe_data() {
        QTest::addColumn<QString>("folder");
        QTest::newRow("below a file") << "file/folder";
        QTest::newRow("a file") << "file";
        QTest::newRow("below no folder of ours") << "/proc/1/lowtide";
    }

    void refusesAFolderThatCannotBe() {
        QFETCH(QString, folder);
        QFile file(folder_->filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const ProfileStore refused(QDir(folder_->path()).filePath(folder).toStdString());

        for (const auto& error : {testing::errorOf([&] { refused.requireWritable(); }),
                                  testing::errorOf([&] { refused.store(measured(1e11)); })}) {
            QVERIFY(error.has_value());
            QCOMPARE(error->kind(), ErrorKind::InvalidInput);
            QVERIFY(!error->hint().empty());
        }
        QVERIFY(!refused.find(kKey).profile);
    }

    void storesNothing_withoutAFolder() {
        const ProfileStore none("");

        const auto error = testing::errorOf([&] { none.store(measured(1e11)); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY(none.find(kKey).problem.empty());
    }

private:
    ProfileStore store() const { return ProfileStore(folder_->path().toStdString()); }

    QString path() const { return folder_->filePath("device_profiles.json"); }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(ProfileStoreTest)

}  // namespace profile_store_test

#include "profile_store_test.moc"
