#include "plugin/executor/kept_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <thread>

namespace disk_cache_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

namespace fs = std::filesystem;

KeptName named(char digit, std::string port = "value") {
    return {std::string(64, digit), std::move(port)};
}

memory::WireRef valueOf(std::string text) {
    return std::make_shared<StubValue>("VALUE", std::move(text), "cpu", 10);
}

}  // namespace

/// Values in files: what is given back, what is rejected, what goes when it gets full.
class DiskCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void givesBackWhatWasPut_alsoToAnotherProcess() {
        DiskCache cache = made();
        QVERIFY(!cache.find(named('a'), "VALUE"));

        const Bytes bytes = cache.put(named('a'), valueOf("text"), kMiB);

        DiskCache other = made();
        const memory::WireRef found = other.find(named('a'), "VALUE");
        QVERIFY(found);
        QCOMPARE(textOf(found), std::string("text"));
        QCOMPARE(found->bytesOn("cpu"), Bytes(10));
        QCOMPARE(bytes, Bytes(QFile(pathOf(named('a'))).size()));
        QVERIFY(!other.find(named('b'), "VALUE"));
        QVERIFY(!other.find(named('a', "other"), "VALUE"));
    }

    void rejectsAndRemovesADamagedFile_data() {
        QTest::addColumn<int>("offset");  // from the end
        QTest::newRow("last byte") << -1;
        QTest::newRow("metadata") << -200;
        QTest::newRow("length") << 0;
    }

    void rejectsAndRemovesADamagedFile() {
        QFETCH(int, offset);
        DiskCache cache = made();
        cache.put(named('a'), valueOf("some text"), kMiB);
        QFile file(pathOf(named('a')));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 at = offset < 0 ? file.size() + offset : offset;
        file.seek(at);
        const char old = file.read(1)[0];
        file.seek(at);
        file.putChar(static_cast<char>(old ^ 0x11));
        file.close();

        expectRejected(cache, named('a'));
    }

    void rejectsATruncatedFile() {
        DiskCache cache = made();
        cache.put(named('a'), valueOf("some text"), kMiB);
        fs::resize_file(pathOf(named('a')).toStdString(), 100);

        expectRejected(cache, named('a'));
    }

    /// A full table of open files is over in a moment; the value may be minutes of work.
    void aFaultOfTheMomentCostsNoResult() {
        DiskCache cache = made();
        cache.put(named('a'), valueOf("some text"), kMiB);
        std::vector<std::unique_ptr<QFile>> open;
        do {
            open.push_back(std::make_unique<QFile>("/dev/null"));
        } while (open.back()->open(QIODevice::ReadOnly));

        const auto error = testing::errorOf([&] { (void)cache.find(named('a'), "VALUE"); });

        open.clear();
        QVERIFY(error && error->kind() == ErrorKind::Device);
        QVERIFY(cache.find(named('a'), "VALUE"));
    }

    void rejectsWhatBelongsElsewhere_data() {
        const testing::Rows<QString, QString, QString> row("from", "to", "complaint");
        row("another key", QString(64, 'a'), QString(64, 'b'), "another graph");
        row("another port", "\"value\",\"type\"", "\"ports\",\"type\"", "another graph");
        row("another type", "\"type\":\"VALUE\"", "\"type\":\"IMAGE\"", "holds IMAGE");
        row("another version",
            "\"lowtide_result\":\"5\"",
            "\"lowtide_result\":\"9\"",
            "another version");
        row("no hash", "content_hash", "content_harm", "hash");
    }

    /// Each edit leaves a valid safetensors file.
    void rejectsWhatBelongsElsewhere() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, complaint);
        DiskCache cache = made();
        cache.put(named('a'), valueOf("some text"), kMiB);
        QFile file(pathOf(named('a')));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        QVERIFY2(bytes.contains(from.toUtf8()), bytes.constData() + 8);
        bytes.replace(from.toUtf8(), to.toUtf8());
        file.seek(0);
        file.write(bytes);
        file.close();

        expectRejected(cache, named('a'), complaint);
    }

    void rejectsAFileUnderTheNameOfAnother() {
        DiskCache cache = made();
        for (const KeptName& other : {named('b'), named('a', "other")}) {
            cache.put(named('a'), valueOf("some text"), kMiB);
            QVERIFY(QFile::rename(pathOf(named('a')), pathOf(other)));

            expectRejected(cache, other, "another graph");
        }
    }

    void dropsTheFileUsedLongestAgo() {
        DiskCache cache = made();
        const Bytes each = cache.put(named('a'), valueOf(std::string(10000, 'x')), kMiB);
        cache.put(named('b'), valueOf(std::string(10000, 'x')), kMiB);
        age(named('a'), 3);
        age(named('b'), 2);
        QVERIFY(cache.find(named('a'), "VALUE"));  // now b is the older one

        cache.put(named('c'), valueOf(std::string(10000, 'x')), 2 * each + each / 2);

        QVERIFY(cache.find(named('a'), "VALUE"));
        QVERIFY(!cache.find(named('b'), "VALUE"));
        QVERIFY(cache.find(named('c'), "VALUE"));
    }

    void touchesNoFileThatIsNotItsOwn() {
        QStringList names = {"model.safetensors",
                             QString(64, 'a') + ".safetensors",
                             QString(64, 'a') + "-value.txt",
                             ".model.safetensors.0123456789abcdef.tmp"};
        for (const QString& name : names) {
            QFile file(folder_->filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(5000, 'x'));
            file.close();
            fs::last_write_time(file.fileName().toStdString(),
                                fs::file_time_type::clock::now() - std::chrono::hours(48));
        }
        DiskCache cache = made();

        cache.put(named('b'), valueOf("x"), 4000);

        for (const QString& name : names) {
            QVERIFY2(QFile::exists(folder_->filePath(name)), qPrintable(name));
        }
    }

    void removesWhatAnEndedProcessLeft() {
        const QString left =
            folder_->filePath("." + QString(64, 'a') + "-value.safetensors.0123456789abcdef.tmp");
        const QString fresh =
            folder_->filePath("." + QString(64, 'b') + "-value.safetensors.0123456789abcdef.tmp");
        for (const QString& name : {left, fresh}) {
            QFile file(name);
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        fs::last_write_time(left.toStdString(),
                            fs::file_time_type::clock::now() - std::chrono::hours(2));

        made().put(named('c'), valueOf("x"), kMiB);

        QVERIFY(!QFile::exists(left));
        QVERIFY(QFile::exists(fresh));  // another process is writing it
    }

    void refusesWhatIsLargerThanTheLimit() {
        DiskCache cache = made();
        cache.put(named('a'), valueOf("small"), kMiB);

        const auto error =
            testing::errorOf([&] { cache.put(named('b'), valueOf(std::string(3000, 'x')), 2000); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY(cache.find(named('a'), "VALUE"));  // and nothing else went for it
    }

    void refusesAFolderThatCannotBe() {
        const QString taken = folder_->filePath("file");
        QFile file(taken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        DiskCache cache((taken + "/results").toStdString(), stubCodecs());
        DiskCache nowhere("", stubCodecs());

        QVERIFY(testing::errorOf([&] { cache.put(named('a'), valueOf("x"), kMiB); }));
        QVERIFY(!cache.find(named('a'), "VALUE"));
        QVERIFY(testing::errorOf([&] { nowhere.put(named('a'), valueOf("x"), kMiB); }));
        QVERIFY(!nowhere.find(named('a'), "VALUE"));
    }

    void refusesATypeWithoutACodec() {
        DiskCache cache = made();
        const auto model = std::make_shared<StubValue>("MODEL", "x", "cpu", 0);

        const auto error = testing::errorOf([&] { cache.put(named('a'), model, kMiB); });

        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
    }

    /// What several processes at once do to one folder: a value is whole or not there.
    void isSafeForSeveralWritersAndReaders() {
        constexpr int kRounds = 60;
        constexpr std::string_view kNames = "abcdef";
        std::atomic<int> wrong = 0;
        std::atomic<int> found = 0;
        std::vector<std::thread> threads;
        for (int worker = 0; worker < 4; ++worker) {
            threads.emplace_back([&, worker] {
                DiskCache cache = made();
                for (int round = 0; round < kRounds; ++round) {
                    const char digit =
                        kNames[static_cast<size_t>(round * 7 + worker) % kNames.size()];
                    const std::string text(20000, digit);
                    try {
                        // Space for three of the six, so that files are also dropped all the time.
                        cache.put(named(digit), valueOf(text), 3 * 21000);
                        const memory::WireRef value = cache.find(named(digit), "VALUE");
                        found += value ? 1 : 0;
                        wrong += value && textOf(value) != text ? 1 : 0;
                    } catch (const Error& error) {
                        // Removed by another one between its name and its contents.
                        wrong += error.kind() == ErrorKind::NotFound ? 0 : 1;
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(wrong.load(), 0);
        QVERIFY(found > kRounds);
        QVERIFY(QDir(folder_->path()).entryList({"*.tmp"}, QDir::Files | QDir::Hidden).isEmpty());
    }

private:
    DiskCache made() const { return {folder_->path().toStdString(), stubCodecs()}; }

    QString pathOf(const KeptName& name) const {
        return folder_->filePath(QString::fromStdString(fileNameOf(name)));
    }

    void age(const KeptName& name, int hours) const {
        fs::last_write_time(pathOf(name).toStdString(),
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }

    void expectRejected(DiskCache& cache,
                        const KeptName& name,
                        const QString& complaint = "") const {
        const auto error = testing::errorOf([&] { static_cast<void>(cache.find(name, "VALUE")); });
        QVERIFY(error);
        QVERIFY2(error->kind() == ErrorKind::Corrupt, error->what());
        QVERIFY2(QString(error->what()).contains(complaint), error->what());
        QVERIFY(!QFile::exists(pathOf(name)));
        QVERIFY(!cache.find(name, "VALUE"));
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(DiskCacheTest)

}  // namespace disk_cache_test

#include "disk_cache_test.moc"
