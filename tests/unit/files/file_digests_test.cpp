#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/file_digests.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/os.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>

namespace file_digests_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;

namespace {

std::string digestOf(FileDigests& digests, const std::string& path) {
    return digests.of(std::vector{path});
}

qsizetype threadCount() {
    return QDir("/proc/self/task").entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
}

}  // namespace

class FileDigestsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void givesTheHashOfAFile_andOfTheHashesOfSeveral() {
        const std::string a = write("a", "one");
        const std::string b = write("b", "two");
        FileDigests digests;
        QCOMPARE(digestOf(digests, a), sha256Hex("one"));
        QCOMPARE(digests.of(std::vector{b, a}), sha256Hex(sha256Hex("two") + sha256Hex("one")));
    }

    void partsHaveDigestsOfTheirOwn_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("tensors");  ///< the part that is hashed
        QTest::addColumn<QByteArray>("sample");
        const QByteArray length("\x02\0\0\0\0\0\0\0", 8);
        const QByteArray large = QByteArray(1 << 20, 'x') + QByteArray(1 << 16, 'y') + "z";
        QTest::newRow("safetensors")
            << "a.safetensors" << length + "{}data" << QByteArray("data") << QByteArray();
        QTest::newRow("another case")
            << "a.SafeTensors" << length + "{}data" << QByteArray("data") << QByteArray();
        QTest::newRow("others") << "a.pt" << length + "{}data" << length + "{}data" << QByteArray();
        QTest::newRow("cut off") << "a.safetensors" << length.left(5) << length.left(5)
                                 << QByteArray();
        QTest::newRow("longer than the file")
            << "a.safetensors" << QByteArray(8, '\xff') + "{}" << QByteArray() << QByteArray();
        QTest::newRow("large") << "a.ckpt" << large << large << QByteArray(1 << 16, 'y');
        QTest::newRow("a part of the sample") << "a.ckpt" << large.left((1 << 20) + 3)
                                              << large.left((1 << 20) + 3) << QByteArray("yyy");
    }

    /// By Qt's hash; kept apart in memory and on disk.
    void partsHaveDigestsOfTheirOwn() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, tensors);
        QFETCH(QByteArray, sample);
        const std::string path = write(qPrintable(name), bytes);
        const auto hashOf = [](const QByteArray& part) {
            return QCryptographicHash::hash(part, QCryptographicHash::Sha256).toHex().toStdString();
        };
        for (int process = 0; process < 2; ++process) {
            FileDigests digests(cache());
            const std::vector<std::string> paths = {path};
            QCOMPARE(digests.of(paths, {}, DigestedPart::Tensors), hashOf(tensors));
            QCOMPARE(digests.of(paths), hashOf(bytes));
            QCOMPARE(digests.of(paths, {}, DigestedPart::Sample), hashOf(sample));
            QCOMPARE(digests.of(paths, {}, DigestedPart::Tensors), hashOf(tensors));
        }
    }

    void aChangedFileIsReadAgain() {
        const std::string path = write("a", "one");
        FileDigests digests(cache());
        QCOMPARE(digestOf(digests, path), sha256Hex("one"));
        write("a", "other");
        QCOMPARE(digestOf(digests, path), sha256Hex("other"));
        FileDigests later(cache());
        QCOMPARE(digestOf(later, path), sha256Hex("other"));
    }

    /// What was read once is not read again: the bytes change, but neither size, time nor inode.
    void theNextProcessReadsNothing() {
        const std::string path = write("a", "one");
        const auto time = std::filesystem::last_write_time(path);
        {
            FileDigests digests(cache());
            QCOMPARE(digestOf(digests, path), sha256Hex("one"));
        }
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write("two") == 3);
        file.close();
        std::filesystem::last_write_time(path, time);
        FileDigests later(cache());
        QCOMPARE(digestOf(later, path), sha256Hex("one"));
        FileDigests withoutFolder;
        QCOMPARE(digestOf(withoutFolder, path), sha256Hex("two"));
    }

    /// Nor does the end of the program.
    void nobodyWaitsForAnotherProcessThatHasTheStore() {
        QVERIFY(QDir().mkpath(QString::fromStdString(cache())));
        os::Descriptor other;
        QVERIFY(!os::openLocked(cache() + "/.hashes.json.lock", other));
        const std::string a = write("a", "one");
        const std::string b = write("b", "two");
        QElapsedTimer timer;
        timer.start();
        {
            FileDigests digests(cache());
            QCOMPARE(digestOf(digests, a), sha256Hex("one"));
            QTest::qWait(100);  // it is being stored
            QCOMPARE(digestOf(digests, b), sha256Hex("two"));
        }
        QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
    }

    void thePathStandsNowhere() {
        const std::string path = write("secret_name", "one");
        FileDigests digests(cache());
        (void)digestOf(digests, path);
        digests.stop();
        const QByteArray stored = storedText();
        QVERIFY(stored.contains(sha256Hex("one").c_str()));
        QVERIFY2(!stored.contains("secret") && !stored.contains('/'), stored.constData());
    }

    void anUnreadableStoreIsReplaced_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("another format") << QByteArray(R"({"format": 9, "files": {}})");
        QTest::newRow("no object") << QByteArray(R"({"format": 1, "files": [1]})");
        QTest::newRow("odd entries") << QByteArray(R"({"format": 1, "files": {"a": 1, "b": []}})");
    }

    void anUnreadableStoreIsReplaced() {
        QFETCH(QByteArray, text);
        const std::string path = write("a", "one");
        QVERIFY(QDir().mkpath(QString::fromStdString(cache())));
        QFile file(QString::fromStdString(cache() + "/hashes.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        FileDigests digests(cache());
        QCOMPARE(digestOf(digests, path), sha256Hex("one"));
        digests.stop();
        QVERIFY2(storedText().contains(sha256Hex("one").c_str()), storedText().constData());
    }

    void theStoreDoesNotGrowForEver() {
        Json files = Json::object();
        for (int i = 0; i < 1000; ++i) {
            files["old" + std::to_string(i)] = {{"number", i + 5}};
        }
        QVERIFY(QDir().mkpath(QString::fromStdString(cache())));
        QFile file(QString::fromStdString(cache() + "/hashes.json"));
        const std::string text = Json{{"format", 1}, {"files", files}}.dump();
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
        file.close();
        FileDigests digests(cache());
        (void)digestOf(digests, write("a", "one"));
        digests.stop();
        const Json kept = Json::parse(storedText().toStdString()).at("files");
        QCOMPARE(kept.size(), size_t{1000});
        QVERIFY(!kept.contains("old0") && kept.contains("old1"));
    }

    void whoCancelsDoesNotWait_andNobodyWaitsForTheRest() {
        // A sparse file takes seconds to read, and no space.
        const std::string path = write("large", "");
        std::filesystem::resize_file(path, uint64_t{8} << 30);
        QElapsedTimer timer;
        timer.start();
        {
            FileDigests digests(cache());
            digests.begin(std::vector{path});
            StopSource source;
            source.cancel(CancelMode::Now);
            const auto error =
                errorOf([&] { (void)digests.of(std::vector{path}, source.token()); });
            QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        }
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    /// What is known is still reported; nothing else is begun.
    void whoStopsLeavesNoThread() {
        const std::string known = write("known", "one");
        const std::string path = write("large", "");
        std::filesystem::resize_file(path, uint64_t{8} << 30);
        FileDigests digests;
        QCOMPARE(digestOf(digests, known), sha256Hex("one"));
        digests.begin(std::vector{path});
        const qsizetype threads = threadCount();
        digests.stop();
        QCOMPARE(threadCount(), threads - 1);
        digests.begin(std::vector{path});
        const auto error = errorOf([&] { (void)digestOf(digests, path); });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(digestOf(digests, known), sha256Hex("one"));
        QCOMPARE(threadCount(), threads - 1);
        digests.stop();
    }

    void whatIsNotThereIsNamed() {
        FileDigests digests;
        const std::string path = folder_->filePath("nothing.safetensors").toStdString();
        for (int i = 0; i < 2; ++i) {
            const auto error = errorOf([&] { (void)digestOf(digests, path); });
            QVERIFY(error && error->kind() == ErrorKind::NotFound);
            QVERIFY(error->message().str().find("nothing.safetensors") != std::string::npos);
        }
        QFile::remove(QString::fromStdString(path));
        QCOMPARE(digestOf(digests, write("nothing.safetensors", "one")), sha256Hex("one"));
    }

private:
    std::string cache() const { return folder_->filePath("cache").toStdString(); }

    QByteArray storedText() const {
        QFile file(QString::fromStdString(cache() + "/hashes.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::string write(const char* name, const QByteArray& bytes) const {
        QFile file(folder_->filePath(name));
        const bool written = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        LOWTIDE_ASSERT(written);
        return file.fileName().toStdString();
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(FileDigestsTest)

}  // namespace file_digests_test

#include "file_digests_test.moc"
