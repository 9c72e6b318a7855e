#include "plugin/files/input_file.hpp"
#include "plugin/files/os.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace input_file_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;

namespace {

sigjmp_buf busError;

}  // namespace

class InputFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }

    std::string write(const char* name, const QByteArray& bytes) const {
        QFile file(folder_.filePath(name));
        const bool written = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        LOWTIDE_ASSERT(written);
        return path(name);
    }

    /// Bytes that differ from page to page.
    static QByteArray pages(int count) {
        QByteArray bytes(count * static_cast<int>(os::pageSize()), '\0');
        for (qsizetype i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<char>((i * 31 + i / os::pageSize()) % 251);
        }
        return bytes;
    }

    /// How much of a map is in this process, from /proc/self/smaps (mincore describes the page
    /// cache instead).
    static Bytes residentBytes(const std::byte* address) {
        QFile smaps("/proc/self/smaps");
        const bool opened = smaps.open(QIODevice::ReadOnly);
        LOWTIDE_ASSERT(opened);
        const QByteArray start = QByteArray::number(reinterpret_cast<quintptr>(address), 16) + "-";
        bool inside = false;
        const QList<QByteArray> lines = smaps.readAll().split('\n');
        for (const QByteArray& line : lines) {
            inside = inside || line.startsWith(start);
            if (inside && line.startsWith("Rss:")) {
                return line.mid(4).trimmed().split(' ').first().toLongLong() * kKiB;
            }
        }
        return -1;
    }

private Q_SLOTS:

    /// A host's own handler, which was there before maps were guarded.
    void initTestCase() {
        struct sigaction action {};

        action.sa_handler = [](int) { siglongjmp(busError, 1); };
        QCOMPARE(::sigaction(SIGBUS, &action, nullptr), 0);
    }

    void knowsNameAndSize() {
        const InputFile file(write("a.bin", "hello"));
        QCOMPARE(file.name(), std::string("a.bin"));
        QCOMPARE(file.path(), path("a.bin"));
        QCOMPARE(file.identity().size, Bytes{5});
        QVERIFY(file.identity().modifiedNanoseconds > 0);
        QVERIFY(file.identity() == file.identityNow());
    }

    void reportsThatTheFileWasChanged() {
        const InputFile file(write("changed.bin", "hello"));
        write("changed.bin", "hello again");
        QVERIFY(file.identity() != file.identityNow());
    }

    void reportsThatTheFileWasReplacedByOneOfEqualSizeAndTime() {
        const InputFile file(write("replaced.bin", "hello"));
        write("other.bin", "jello");

        struct stat info {};

        QCOMPARE(::stat(path("replaced.bin").c_str(), &info), 0);
        const std::array times = {info.st_atim, info.st_mtim};
        QCOMPARE(::utimensat(AT_FDCWD, path("other.bin").c_str(), times.data(), 0), 0);
        QCOMPARE(::rename(path("other.bin").c_str(), path("replaced.bin").c_str()), 0);
        QVERIFY(file.identity() != file.identityNow());
    }

    void reportsThatTheFileWasRemoved() {
        const InputFile file(write("removed.bin", "hello"));
        QCOMPARE(::unlink(path("removed.bin").c_str()), 0);
        QVERIFY(file.identity() != file.identityNow());
    }

    void anOpenFileRemainsAsItIs_whenItsPathIsReplacedOrRemoved() {
        const InputFile file(write("kept.bin", "hello"));
        write("other.bin", "jello");
        QCOMPARE(::rename(path("other.bin").c_str(), path("kept.bin").c_str()), 0);
        QVERIFY(file.isUnchanged());
        QCOMPARE(::unlink(path("kept.bin").c_str()), 0);
        QVERIFY(file.isUnchanged());
    }

    void anOpenFileIsChanged_whenItIsWrittenToOrCutOff() {
        const InputFile written(write("written.bin", "hello"));
        const InputFile cut(write("cut.bin", "hello"));

        struct timespec tick {
            .tv_sec = 0, .tv_nsec = 20'000'000
        };

        ::nanosleep(&tick, nullptr);  // the times of files move in ticks of some milliseconds
        QFile file(folder_.filePath("written.bin"));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write("j") == 1);
        file.close();
        QCOMPARE(::truncate(path("cut.bin").c_str(), 2), 0);
        QVERIFY(!written.isUnchanged());
        QVERIFY(!cut.isUnchanged());
    }

    void whatAGuardedMapLostReadsAsZero() {
        guardMaps();
        const QByteArray bytes = pages(4);
        const InputFile file(write("guarded.bin", bytes));
        const InputFile other(write("untouched.bin", bytes));
        const auto page = static_cast<size_t>(os::pageSize());
        const volatile std::byte* map = file.map();
        QVERIFY(map && other.map());
        QVERIFY(map[3 * page + 5] == std::byte(bytes[static_cast<int>(3 * page + 5)]));
        QCOMPARE(::truncate(path("guarded.bin").c_str(), static_cast<off_t>(page)), 0);
        QVERIFY(!file.isTruncated());

        QVERIFY(map[2 * page + 5] == std::byte{0});

        QVERIFY(file.isTruncated());
        QVERIFY(map[3 * page + 5] == std::byte{0});
        QVERIFY(map[5] == std::byte(bytes[5]));
        QVERIFY(!file.isUnchanged());
        QVERIFY(!other.isTruncated() && other.isUnchanged());
    }

    void aGuardPassesOnWhatIsNotItsOwn() {
        guardMaps();
        const std::string name = write("foreign.bin", pages(2));
        const int handle = ::open(name.c_str(), O_RDONLY);
        const auto page = static_cast<size_t>(os::pageSize());
        void* map = ::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, handle, 0);
        QVERIFY(map != MAP_FAILED);
        QCOMPARE(::truncate(name.c_str(), 0), 0);

        volatile bool isPassedOn = false;
        if (sigsetjmp(busError, 1) == 0) {
            static_cast<void>(static_cast<const volatile std::byte*>(map)[page]);
        } else {
            isPassedOn = true;
        }

        ::munmap(map, 2 * page);
        ::close(handle);
        QVERIFY(isPassedOn);
    }

    void refusesWhatIsNoRegularFile_data() {
        const testing::Rows<QString, ErrorKind, QString> row("name", "kind", "text");
        row("absent",
            folder_.filePath("none.bin"),
            ErrorKind::NotFound,
            "\"none.bin\" was not found");
        row("in an absent folder",
            folder_.filePath("none/x.bin"),
            ErrorKind::NotFound,
            "\"x.bin\" was not found");
        row("below a file", "/proc/version/x.bin", ErrorKind::NotFound, "\"x.bin\" was not found");
        row("no name", "", ErrorKind::NotFound, "no file name");
        row("folder", folder_.path(), ErrorKind::Corrupt, "is a folder");
        row("folder with a slash", folder_.path() + "/", ErrorKind::Corrupt, "is a folder");
        row("device", "/dev/zero", ErrorKind::Corrupt, "\"zero\" is a device");
        row("FIFO", folder_.filePath("fifo"), ErrorKind::Corrupt, "\"fifo\" is a device, pipe");
        row("socket",
            folder_.filePath("socket"),
            ErrorKind::Corrupt,
            "\"socket\" is a device, pipe");
        row("link to itself",
            folder_.filePath("loop"),
            ErrorKind::NotFound,
            "\"loop\" was not found");
        row("name too long", "/" + QString(300, 'n'), ErrorKind::NotFound, "was not found");
        QCOMPARE(::mkfifo(path("fifo").c_str(), 0600), 0);
        QCOMPARE(::symlink("loop", path("loop").c_str()), 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path("socket").c_str(), sizeof address.sun_path - 1);
        const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
        QCOMPARE(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::close(server);
    }

    /// A FIFO without a writer blocks a plain open() for ever: then the test's time limit speaks.
    void refusesWhatIsNoRegularFile() {
        QFETCH(QString, name);
        QFETCH(ErrorKind, kind);
        QFETCH(QString, text);
        const auto error = errorOf([&] { const InputFile file(name.toStdString()); });
        QVERIFY(error);
        QCOMPARE(error->kind(), kind);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY2(!message.contains(folder_.path()), "messages name no folders");
    }

    void aNameWithANulIsNotCutThere() {
        const std::string cut = write("cut.bin", "hello");
        const auto error = errorOf([&] { const InputFile file(cut + '\0' + ".safetensors"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::NotFound);
    }

    void refusesAFileWithoutPermission() {
        const std::string secret = write("secret.bin", "hello");
        QCOMPARE(::chmod(secret.c_str(), 0), 0);
        QCOMPARE(::chmod(folder_.path().toStdString().c_str(), 0755), 0);
        const uid_t self = ::geteuid();
        constexpr uid_t kNobody = 65534;
        if (self == 0 && ::seteuid(kNobody) != 0) {
            QSKIP("root cannot become an ordinary user here");
        }
        const auto error = errorOf([&] { const InputFile file(secret); });
        QCOMPARE(self == 0 ? ::seteuid(0) : 0, 0);
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(error->message().str().find("permission denied") != std::string::npos);
    }

    void readsAnyRange() {
        const QByteArray bytes = pages(3);
        const InputFile file(write("range.bin", bytes));
        std::vector<std::byte> target(5000);
        file.read(target, 1234);
        QVERIFY(std::memcmp(target.data(), bytes.constData() + 1234, target.size()) == 0);
        file.read(std::span(target).first(0), bytes.size());
    }

    void refusesToReadBehindTheEnd() {
        const InputFile file(write("short.bin", "hello"));
        std::vector<std::byte> target(4);
        const auto error = errorOf([&] { file.read(target, 2); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(error->message().str().find("\"short.bin\" ends at byte 5") != std::string::npos);
    }

    void refusesToReadAFileThatShrank() {
        const InputFile file(write("shrank.bin", "hello"));
        QCOMPARE(::truncate(path("shrank.bin").c_str(), 3), 0);
        const auto error = errorOf([&] { (void)file.readAll(100); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
    }

    void readAllHasALimit() {
        const InputFile file(write("limit.bin", "hello"));
        QCOMPARE(file.readAll(5), std::string("hello"));
        const auto error = errorOf([&] { (void)file.readAll(4); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
    }

    void aCancelledRunReadsNothing() {
        const InputFile file(write("cancel.bin", "hello"));
        StopSource source;
        source.cancel(CancelMode::Now);
        std::vector<std::byte> target(5, std::byte{7});
        const auto error = errorOf([&] { file.read(target, 0, source.token()); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
        QCOMPARE(target, std::vector<std::byte>(5, std::byte{7}));
    }

    /// Another thread cancels while the first piece arrives. On a busy machine it may come too
    /// late: then once more.
    void cancelStopsAtTheNextPiece() {
        constexpr Bytes kSize = 4 * kReadPiece;
        QCOMPARE(::truncate(write("large.bin", "").c_str(), kSize), 0);
        const InputFile file(path("large.bin"));
        std::optional<Error> error;
        std::vector<std::byte> target;
        for (int attempt = 0; attempt < 50 && !error; ++attempt) {
            target.assign(kSize, std::byte{7});
            StopSource source;
            std::thread canceller([&, first = std::atomic_ref(target.front())] {
                while (first.load() != std::byte{0}) {
                }
                source.cancel(CancelMode::Now);
            });
            error = errorOf([&] { file.read(target, 0, source.token()); });
            canceller.join();
        }
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
        QCOMPARE(target.front(), std::byte{0});
        QCOMPARE(target.back(), std::byte{7});
    }

    void readsMoreThanOnePiece() {
        constexpr qsizetype kSize = 2 * kReadPiece + 5;
        QByteArray bytes(kSize, 'x');
        bytes[qsizetype{kReadPiece} - 1] = 'a';
        bytes[qsizetype{kReadPiece}] = 'b';
        bytes[kSize - 1] = 'c';
        const InputFile file(write("pieces.bin", bytes));
        QVERIFY(file.readAll(kSize) == bytes.toStdString());
    }

    void mapsTheWholeFileOnce() {
        const QByteArray bytes = pages(3) + "tail";
        const InputFile file(write("map.bin", bytes));
        QVERIFY2(file.isLocal(), "the folder for temporary files must be on a local disk");
        std::vector<const std::byte*> seen(8);
        std::vector<std::thread> threads;
        for (const std::byte*& slot : seen) {
            threads.emplace_back([&] { slot = file.map(); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QVERIFY(seen[0]);
        QCOMPARE(std::count(seen.begin(), seen.end(), seen[0]), std::ptrdiff_t{8});
        QVERIFY(std::memcmp(seen[0], bytes.constData(), static_cast<size_t>(bytes.size())) == 0);
    }

    void anEmptyFileHasNoMap() {
        const InputFile file(write("empty.bin", ""));
        QVERIFY(!file.map());
        QCOMPARE(file.readAll(10), std::string());
        file.willNeed(0, 100);
        file.dontNeed(0, 100);
    }

    void advisedPagesKeepTheirBytes() {
        const QByteArray bytes = pages(8);
        const InputFile file(write("advice.bin", bytes));
        const std::byte* map = file.map();
        QVERIFY(map);
        file.willNeed(-5, 1 << 20);
        file.dontNeed(0, bytes.size() + 100);
        QVERIFY(std::memcmp(map, bytes.constData(), static_cast<size_t>(bytes.size())) == 0);
    }

    void letsGoOfWholePagesOnly_data() {
        const testing::Rows<int, int, int> row("offset", "count", "pagesLeft");
        const int page = static_cast<int>(os::pageSize());
        const int size = 8 * page + 10;  // nine pages, the last holds ten bytes
        row("everything", 0, size, 0);
        row("one page", page, page, 8);
        row("less than a page", page, page - 1, 9);
        row("over an edge, no whole page", page - 1, page, 9);
        row("rounded inward at both ends", 1, 3 * page - 2, 8);
        row("a last page that is not full", 8 * page, 10, 8);
        row("one byte before the end", 7 * page, page + 9, 8);
        row("nothing", 4 * page, 0, 9);
    }

    void letsGoOfWholePagesOnly() {
        QFETCH(int, offset);
        QFETCH(int, count);
        QFETCH(int, pagesLeft);
        const QByteArray bytes = pages(8) + QByteArray(10, 'x');
        const InputFile file(write("pages.bin", bytes));
        const std::byte* map = file.map();
        QVERIFY(map);
        QVERIFY(std::memcmp(map, bytes.constData(), static_cast<size_t>(bytes.size())) == 0);
        QCOMPARE(residentBytes(map), 9 * os::pageSize());
        file.dontNeed(offset, count);
        QCOMPARE(residentBytes(map), pagesLeft * os::pageSize());
    }

    void knowsLocalFileSystems_data() {
        const testing::Rows<uint, bool> row("type", "local");
        // Numbers of statfs(2).
        row("ext4", 0xef53u, true);
        row("xfs", 0x58465342u, true);
        row("btrfs", 0x9123683eu, true);
        row("tmpfs", 0x01021994u, true);
        row("overlay", 0x794c7630u, true);
        row("zfs", 0x2fc12fc1u, true);
        row("nfs", 0x6969u, false);
        row("smb", 0x517bu, false);
        row("cifs", 0xff534d42u, false);
        row("smb2", 0xfe534d42u, false);
        row("fuse", 0x65735546u, false);
        row("9p", 0x01021997u, false);
        row("vfat on a stick", 0x4d44u, false);
        row("unknown", 0x12345678u, false);
    }

    void knowsLocalFileSystems() {
        QFETCH(uint, type);
        QFETCH(bool, local);
        QCOMPARE(os::isLocalFileSystem(type), local);
    }

    void hashesAWholeFile() {
        const QByteArray bytes = pages(5) + "x";
        const std::string name = write("hash.bin", bytes);
        QCOMPARE(QByteArray::fromStdString(sha256OfFile(name)),
                 QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
        QCOMPARE(QByteArray::fromStdString(sha256OfFile(write("nothing.bin", ""))),
                 QCryptographicHash::hash("", QCryptographicHash::Sha256).toHex());
    }

    void hashesAFileOfMoreThanOnePiece() {
        const QByteArray bytes = QByteArray(kReadPiece, 'a') + QByteArray(kReadPiece + 1, 'b');
        QCOMPARE(QByteArray::fromStdString(sha256OfFile(write("hash2.bin", bytes))),
                 QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
    }

    void hashingCanBeCancelled() {
        StopSource source;
        source.cancel(CancelMode::Now);
        const std::string name = write("hash.bin", "x");
        const auto error = errorOf([&] { (void)sha256OfFile(name, source.token()); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
    }
};

LOWTIDE_TEST(InputFileTest)

}  // namespace input_file_test

#include "input_file_test.moc"
