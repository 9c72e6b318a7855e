#include "plugin/base/json.hpp"
#include "plugin/files/cache_table.hpp"
#include "plugin/files/file_digests.hpp"
#include "plugin/files/os.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <chrono>
#include <thread>

namespace cache_table_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;

namespace {

constexpr int kProcesses = 6;
constexpr int kRounds = 50;
constexpr CacheTable::Form kForm = {.file = "things.json",
                                    .member = "things",
                                    .format = 3,
                                    .largest = kMiB,
                                    .mostEntries = kProcesses * kRounds};

FileIdentity identityOf(int number) {
    return {.size = number, .modifiedNanoseconds = 1, .inode = 2};
}

}  // namespace

class CacheTableTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    std::string folder() const { return folder_->path().toStdString(); }

    CacheTable table() const { return {folder(), kForm}; }

    void write(const QByteArray& text) const {
        QFile file(folder_->filePath("things.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void processesLoseNoEntry() {
        QVERIFY(testing::inProcesses(kProcesses, [&](int number) {
            for (int round = 0; round < kRounds; ++round) {
                table().change([&](Json& entries) { entries.push_back({number, round}); });
            }
        }));
        QCOMPARE(table().entries().size(), size_t{kProcesses * kRounds});
    }

    void processesLoseNoHash() {
        const auto pathOf = [](int number, int round) {
            return "/model " + std::to_string(number) + " " + std::to_string(round);
        };
        const std::string digest(64, 'a');
        QVERIFY(testing::inProcesses(kProcesses, [&](int number) {
            for (int round = 0; round < kRounds; ++round) {
                StoredDigests(folder()).put(pathOf(number, round), identityOf(number), digest);
            }
        }));
        for (int number = 0; number < kProcesses; ++number) {
            for (int round = 0; round < kRounds; ++round) {
                QVERIFY(StoredDigests(folder()).find(pathOf(number, round), identityOf(number)) ==
                        digest);
            }
        }
    }

    /// Neither a run that is cancelled nor a program that ends; otherwise 30 seconds.
    void whoStopsDoesNotWaitForAnotherProcessThatStandsStill() {
        os::Descriptor other;
        QVERIFY(!os::openLocked(folder() + "/.things.json.lock", other));
        StopSource stopped;
        std::thread stopping([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            stopped.cancel(CancelMode::Now);
        });
        QElapsedTimer timer;
        timer.start();

        const auto error = errorOf(
            [&] { table().change([](Json& entries) { entries.push_back(1); }, stopped.token()); });

        stopping.join();
        QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QVERIFY(table().entries().is_null());
    }

    /// What is known at the end of a program is kept.
    void whoStopsWritesAllTheSame_whereNobodyHasTheTable() {
        StopSource stopped;
        stopped.cancel(CancelMode::Now);
        table().change([](Json& entries) { entries.push_back(1); }, stopped.token());
        QCOMPARE(table().entries(), Json::array({1}));
    }

    void theOldestEntriesGo() {
        CacheTable::Form few = kForm;
        few.mostEntries = 4;
        const CacheTable small(folder(), few);
        for (int i = 0; i < 7; ++i) {
            small.change([&](Json& entries) { entries.push_back(i); });
        }
        QCOMPARE(small.entries(), Json::array({3, 4, 5, 6}));
    }

    void anEntryReplacesOthers_andAllWhereOneCannotBeRead() {
        for (const int entry : {1, 2, 3, 4}) {
            table().put(entry,
                        [&](const Json& other) { return other.get<int>() % 2 == entry % 2; });
        }
        QCOMPARE(table().entries(), Json::array({3, 4}));
        table().put(5, [](const Json& other) -> bool {
            throw Error(ErrorKind::Corrupt, Message(other.dump() + " cannot be read"));
        });
        QCOMPARE(table().entries(), Json::array({5}));
    }

    void aTableThatCannotBeReadIsRefused_andReplaced_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("cut off") << QByteArray("{");
        QTest::newRow("another format") << QByteArray(R"({"format": 2, "things": []})");
        QTest::newRow("no entries") << QByteArray(R"({"format": 3})");
        QTest::newRow("an object") << QByteArray(R"({"format": 3, "things": {"a": 1}})");
        QTest::newRow("a text") << QByteArray(R"({"format": 3, "things": "all"})");
        QTest::newRow("too long") << QByteArray(2 << 20, ' ');
    }

    void aTableThatCannotBeReadIsRefused_andReplaced() {
        QFETCH(QByteArray, text);
        write(text);
        const auto error = errorOf([&] { (void)table().entries(); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        table().change([](Json& entries) {
            QVERIFY(entries.is_null());
            entries.push_back(1);
        });
        QCOMPARE(table().entries(), Json::array({1}));
    }

    /// The hint is about the cache folder, not about the one for images.
    void aFolderThatCannotBeStatesWhatToSet() {
        write("x");
        const CacheTable nowhere(folder() + "/things.json/below", kForm);
        for (const auto& error : {errorOf([&] { nowhere.requireWritable(); }),
                                  errorOf([&] { nowhere.change([](Json&) {}); })}) {
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
            QCOMPARE(error->hint().str(),
                     std::string("set LOWTIDE_CACHE to a folder that can be written"));
        }
        QVERIFY(nowhere.entries().is_null());
        QVERIFY(CacheTable("", kForm).entries().is_null());
        QVERIFY(errorOf([] { CacheTable("", kForm).requireWritable(); }));
    }
};

LOWTIDE_TEST(CacheTableTest)

}  // namespace cache_table_test

#include "cache_table_test.moc"
