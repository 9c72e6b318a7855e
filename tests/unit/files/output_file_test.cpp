#include "plugin/files/os.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QStorageInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <atomic>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace output_file_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;

class OutputFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string path(const QString& name) const { return folder_.filePath(name).toStdString(); }

    QByteArray contents(const QString& name) const {
        QFile file(folder_.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(absent)");
    }

    QStringList entries() const {
        return QDir(folder_.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

private Q_SLOTS:

    void init() {
        QVERIFY(QDir(folder_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(folder_.path()));
    }

    void appearsWholeAtCommit() {
        OutputFile file(path("a.txt"));
        file.write("hello ");
        file.write("world");
        QCOMPARE(contents("a.txt"), QByteArray("(absent)"));
        file.commit();
        QCOMPARE(contents("a.txt"), QByteArray("hello world"));
        QCOMPARE(entries(), QStringList{"a.txt"});
    }

    void leavesNothingWithoutCommit() {
        {
            OutputFile file(path("a.txt"));
            file.write("hello");
            QCOMPARE(entries().size(), 1);
        }
        QCOMPARE(entries(), QStringList{});
    }

    void theOldFileRemainsUntilCommit() {
        writeFileAtomically(path("a.txt"), "old");
        {
            OutputFile file(path("a.txt"));
            file.write("new");
            QCOMPARE(contents("a.txt"), QByteArray("old"));
        }
        QCOMPARE(contents("a.txt"), QByteArray("old"));
        writeFileAtomically(path("a.txt"), "new");
        QCOMPARE(contents("a.txt"), QByteArray("new"));
        QCOMPARE(entries(), QStringList{"a.txt"});
    }

    void twoWritersOfOneNameDoNotMix() {
        OutputFile first(path("a.txt"));
        OutputFile second(path("a.txt"));
        first.write("first");
        second.write("second");
        first.commit();
        QCOMPARE(contents("a.txt"), QByteArray("first"));
        second.commit();
        QCOMPARE(contents("a.txt"), QByteArray("second"));
    }

    void theTemporaryFileStatesWhoseItIs() {
        const OutputFile file(path("a.txt"));
        QVERIFY(QRegularExpression("^\\.a\\.txt\\.[0-9a-f]{16}\\.tmp$")
                    .match(entries().value(0))
                    .hasMatch());
    }

    void aNewFileNeverReplacesAnother() {
        writeFileAtomically(path("old"), "old");
        os::Descriptor file;
        QVERIFY(os::createForWriting(path("old"), file) == std::errc::file_exists);
        QVERIFY(!file.isOpen());
        QCOMPARE(contents("old"), QByteArray("old"));
    }

    void aNewNameIsOneThatNothingHas() {
        writeFileAtomically(path("1"), "old");
        makeFolders(path("2"));
        QVERIFY(QFile::link("nowhere", folder_.filePath("3")));
        int number = 0;
        const auto next = [&] { return path(QString::number(++number)); };
        QCOMPARE(writeNewFile(next, "new"), path("4"));
        QCOMPARE(contents("1"), QByteArray("old"));
        QCOMPARE(contents("4"), QByteArray("new"));
        QCOMPARE(entries(),
                 (QStringList{"1", "2", "4"}));  // a link that leads nowhere is not listed
    }

    void nobodyTakesANameThatIsTaken_data() {
        QTest::addColumn<bool>("byClaim");
        QTest::newRow("by the system") << false;
        QTest::newRow("by a claim") << true;
    }

    /// Threads give all their files names out of one series: each gets one of its own.
    void nobodyTakesANameThatIsTaken() {
        QFETCH(bool, byClaim);
        constexpr int kThreads = 4;
        constexpr int kFiles = 50;
        std::vector<std::thread> threads;
        std::atomic<int> failures = 0;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&, thread] {
                for (int file = 0, number = 0; file < kFiles; ++file) {
                    const QString own = QString("own %1").arg(thread);
                    writeFileAtomically(path(own), std::to_string(thread));
                    std::error_code code;
                    do {
                        const std::string name = path(QString("%1").arg(++number, 4));
                        code = byClaim ? os::claimAndRename(path(own), name)
                                       : os::renameToNew(path(own), name);
                    } while (code == std::errc::file_exists);
                    failures += code ? 1 : 0;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(failures, 0);
        QCOMPARE(entries().size(), kThreads * kFiles);
        std::map<QByteArray, int> counts;
        for (const QString& name : entries()) {
            ++counts[contents(name)];
        }
        QCOMPARE(counts,
                 (std::map<QByteArray, int>{
                     {"0", kFiles}, {"1", kFiles}, {"2", kFiles}, {"3", kFiles}}));
    }

    void aClaimThatCannotBeFilledIsGivenBack() {
        QVERIFY(os::claimAndRename(path("none"), path("new")) ==
                std::errc::no_such_file_or_directory);
        QVERIFY(os::renameToNew(path("none"), path("new")) == std::errc::no_such_file_or_directory);
        QCOMPARE(entries(), QStringList());
    }

    void takesTheLongestName() {
        const QString name(255, 'n');
        writeFileAtomically(path(name), "x");
        QCOMPARE(contents(name), QByteArray("x"));
    }

    void keepsEveryByte() {
        const std::string bytes("\0\r\n\xff", 4);
        writeFileAtomically(path("b.bin"), bytes);
        QCOMPARE(contents("b.bin"), QByteArray::fromStdString(bytes));
    }

    void othersMayReadTheFile() {
        const mode_t before = ::umask(022);
        writeFileAtomically(path("a.txt"), "x");
        ::umask(before);

        struct stat info {};

        QCOMPARE(::stat(path("a.txt").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t{0644});
    }

    void refusesPathsThatCannotBeWritten_data() {
        const testing::Rows<QString, QString> row("name", "text");
        row("no folder",
            "none/a.txt",
            "cannot write \"a.txt\": the folder \"none\" does not exist");
        row("a file for a folder",
            "file/a.txt",
            "cannot write \"a.txt\": the folder \"file\" is not a folder");
        row("a folder of that name", "taken", "cannot write \"taken\": a folder has that name");
        row("a slash at the end", "new/", "cannot write \"new\": a folder has that name");
        row("name too long", QString(256, 'n'), "the name is too long");
    }

    void refusesPathsThatCannotBeWritten() {
        QFETCH(QString, name);
        QFETCH(QString, text);
        writeFileAtomically(path("file"), "x");
        makeFolders(path("taken"));
        const auto error = errorOf([&] { writeFileAtomically(path(name), "x"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY2(!message.contains(folder_.path()), qPrintable(message));
        QCOMPARE(error->hint().str(), std::string("choose another folder"));
        QCOMPARE(entries(), (QStringList{"file", "taken"}));
    }

    void refusesAFolderWithoutPermission() {
        makeFolders(path("locked"));
        QCOMPARE(::chmod(path("locked").c_str(), 0555), 0);
        QCOMPARE(::chmod(folder_.path().toStdString().c_str(), 0755), 0);
        const uid_t self = ::geteuid();
        constexpr uid_t kNobody = 65534;
        if (self == 0 && ::seteuid(kNobody) != 0) {
            QSKIP("root cannot become an ordinary user here");
        }
        const auto file = errorOf([&] { writeFileAtomically(path("locked/a.txt"), "x"); });
        const auto folder = errorOf([&] { makeFolders(path("locked/b")); });
        QCOMPARE(self == 0 ? ::seteuid(0) : 0, 0);
        QVERIFY(file && folder);
        QCOMPARE(file->kind(), ErrorKind::InvalidInput);
        QCOMPARE(file->message().str(),
                 std::string("cannot write \"a.txt\": there is no permission to write in the "
                             "folder \"locked\""));
        QCOMPARE(folder->kind(), ErrorKind::InvalidInput);
        QVERIFY(folder->message().str().find("the folder \"locked\"") != std::string::npos);
    }

    void refusesNamesThatAreNone() {
        for (const std::string& name : {std::string(), path("a") + '\0' + "b"}) {
            const auto error = errorOf([&] { writeFileAtomically(name, "x"); });
            QVERIFY(error);
            QCOMPARE(error->kind(), ErrorKind::InvalidInput);
            QVERIFY(errorOf([&] { makeFolders(name); }));
        }
        QCOMPARE(entries(), QStringList{});
    }

    void neverReplacesADeviceOrPipe() {
        QCOMPARE(::mkfifo(path("fifo").c_str(), 0600), 0);
        const auto error = errorOf([&] { writeFileAtomically(path("fifo"), "x"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);

        struct stat info {};

        QCOMPARE(::stat(path("fifo").c_str(), &info), 0);
        QVERIFY(S_ISFIFO(info.st_mode));
    }

    void aFullDiskIsReported() {
        const os::Descriptor full(::open("/dev/full", O_WRONLY));
        QVERIFY(full.isOpen());
        const std::error_code code = os::writeAll(full, std::as_bytes(std::span("x")));
        QVERIFY(code == std::errc::no_space_on_device);
        const Error error = writeError(Attempt::Write, "pics/a.png", code);
        QCOMPARE(error.kind(), ErrorKind::Device);
        QCOMPARE(error.message().str(), std::string("cannot write \"a.png\": the disk is full"));
    }

    void everyReasonHasItsKind_data() {
        const testing::Rows<int, bool, QString> row("code", "device", "text");
        row("ENOSPC", ENOSPC, true, "the disk is full");
        row("EDQUOT", EDQUOT, true, "the disk is full");
        row("EIO", EIO, true, "Input/output error");
        row("EMFILE", EMFILE, true, "Too many open files");
        row("EACCES", EACCES, false, "no permission to write in the folder \"pics\"");
        row("EPERM", EPERM, false, "no permission to write in the folder \"pics\"");
        row("EROFS", EROFS, false, "the folder \"pics\" is on a disk that can only be read");
        row("ENOENT", ENOENT, false, "the folder \"pics\" does not exist");
        row("ENOTDIR", ENOTDIR, false, "the folder \"pics\" is not a folder");
        row("ELOOP", ELOOP, false, "the folder \"pics\" is a link");
    }

    void everyReasonHasItsKind() {
        QFETCH(int, code);
        QFETCH(bool, device);
        QFETCH(QString, text);
        const Error error =
            writeError(Attempt::Write, "/first/second/pics/a.png", {code, std::generic_category()});
        QCOMPARE(error.kind(), device ? ErrorKind::Device : ErrorKind::InvalidInput);
        const QString message = QString::fromStdString(error.message().str());
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY2(!message.contains("second"), qPrintable(message));
        QVERIFY(!error.hint().empty());
    }

    void theCurrentFolderIsCalledThat() {
        const Error error = writeError(Attempt::Write, "a.png", {EACCES, std::generic_category()});
        QVERIFY(error.message().str().find("in the current folder") != std::string::npos);
    }

    void makesFoldersAndTheirParents() {
        makeFolders(path("a/b//c/"));
        QVERIFY(QDir(folder_.filePath("a/b/c")).exists());
        makeFolders(path("a/b"));
        makeFolders(path("a/b/c/d"));
        QVERIFY(QDir(folder_.filePath("a/b/c/d")).exists());
    }

    void makesNoFolderWhereAFileIs() {
        writeFileAtomically(path("file"), "x");
        const auto same = errorOf([&] { makeFolders(path("file")); });
        const auto below = errorOf([&] { makeFolders(path("file/b")); });
        QVERIFY(same && below);
        QCOMPARE(
            same->message().str(),
            std::string(
                "cannot make the folder \"file\": something that is not a folder has that name"));
        QCOMPARE(same->kind(), ErrorKind::InvalidInput);
        QCOMPARE(below->kind(), ErrorKind::InvalidInput);
    }

    void knowsWhatADiskHasFree() {
        const auto free = freeBytesAt(path("a"));
        const QStorageInfo disk(folder_.path());
        QVERIFY(free.has_value());
        QVERIFY(std::abs(*free - disk.bytesAvailable()) < kGiB);  // others write meanwhile
        QVERIFY(!freeBytesAt(path("none/a")).has_value());
    }

    void aFileNeedsSpace() {
        const auto refusal = [&](const std::string& name, std::optional<Bytes> free) {
            const auto error = errorOf(
                [&] { requireSpace(name, 3 * kMiB, [&](const std::string&) { return free; }); });
            return error ? error->message().str() + "; " + error->hint().str() : "";
        };
        QCOMPARE(refusal("folder/a.gguf", kMiB),
                 std::string("\"a.gguf\" takes 3.0 MiB, the disk of the folder \"folder\" has 1.0 "
                             "MiB free; free 2.0 MiB there, or choose a folder on another disk"));
        QCOMPARE(refusal("a.gguf", 0).substr(0, 53),
                 std::string("\"a.gguf\" takes 3.0 MiB, the disk of the current folde"));
        QCOMPARE(refusal("a.gguf", 3 * kMiB), std::string());
        QCOMPARE(refusal("a.gguf", std::nullopt), std::string());
    }

    void splitsPaths_data() {
        const testing::Rows<QString, QString, QString> row("path", "folder", "last");
        row("plain", "a/b/c", "a/b", "c");
        row("slash at the end", "a/b/c//", "a/b", "c");
        row("double slash", "a//b", "a", "b");
        row("name only", "c", ".", "c");
        row("below the root", "/c", "/", "c");
        row("root", "/", "/", "/");
        row("parent", "../c", "..", "c");
        row("nothing", "", ".", "");
    }

    void splitsPaths() {
        QFETCH(QString, path);
        QFETCH(QString, folder);
        QFETCH(QString, last);
        QCOMPARE(QString::fromStdString(folderOf(path.toStdString())), folder);
        QCOMPARE(QString::fromStdString(lastPart(path.toStdString())), last);
    }

    void pathsOfAnotherEncodingBecomeText_data() {
        const testing::Rows<QByteArray, QByteArray> row("path", "text");
        row("UTF-8", "/m/\xC3\xA8/\xF0\x9F\x98\x80", "/m/\xC3\xA8/\xF0\x9F\x98\x80");
        row("Latin-1", "mod\xE8le", "mod\\xE8le");
        row("cut", "a\xF0\x9F\x98", "a\\xF0\\x9F\\x98");
        row("a surrogate", "\xED\xA0\x80", "\\xED\\xA0\\x80");
        row("nothing", "", "");
    }

    void pathsOfAnotherEncodingBecomeText() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, text);
        QCOMPARE(QByteArray::fromStdString(pathText(path.toStdString())), text);
    }
};

LOWTIDE_TEST(OutputFileTest)

}  // namespace output_file_test

#include "output_file_test.moc"
