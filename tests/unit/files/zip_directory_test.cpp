#include "plugin/files/zip_directory.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/refused_bytes.hpp"
#include "tests/unit/files/zip_bytes.hpp"

#include <QtTest/QtTest>

namespace zip_directory_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

ZipDirectory read(const std::string& bytes) {
    return readZipDirectory(MemoryBytes(std::as_bytes(std::span(bytes)), "a.ckpt"));
}

std::string contentOf(const std::string& bytes, const ZipEntry& entry) {
    return bytes.substr(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.bytes));
}

std::string withDirectory(const ZipParts& parts, uint64_t entries, uint64_t size, uint64_t at) {
    return parts.files + parts.directory + zipEnd(entries, size, at);
}

/// Archives whose own numbers are right, but not what they state about their files.
std::vector<RefusedBytes> badFiles() {
    using enum ErrorKind;
    const ZipFile good{.name = "a/x", .content = "hello"};
    const auto one = [&](auto change) {
        ZipFile file = good;
        change(file);
        return zipBytes({file});
    };
    return {
        {"compressed", one([](ZipFile& f) { f.method = 8; }), Unsupported, "compressed"},
        {"encrypted", one([](ZipFile& f) { f.flags = 1; }), Unsupported, "encrypted"},
        {"parent", one([](ZipFile& f) { f.name = "a/../../x"; }), Corrupt, "no name"},
        {"absolute", one([](ZipFile& f) { f.name = "/etc/x"; }), Corrupt, "no name"},
        {"backslash", one([](ZipFile& f) { f.name = "a\\x"; }), Corrupt, "no name"},
        {"no name", one([](ZipFile& f) { f.name = ""; }), Corrupt, "no name"},
        {"another local name", one([](ZipFile& f) { f.localName = "a/y"; }), Corrupt, "agree"},
        {"a longer local name", one([](ZipFile& f) { f.localName = "a/xy"; }), Corrupt, "agree"},
        {"another size", one([](ZipFile& f) { f.statedBytes = 4; }), Corrupt, "agree"},
        {"reaches into the directory",
         one([](ZipFile& f) {
             f.statedBytes = 6;
             f.flags = 8;
         }),
         Corrupt,
         "reach into the directory"},
        {"no header there", one([](ZipFile& f) { f.statedOffset = 1; }), Corrupt, "agree"},
        {"behind the directory",
         one([](ZipFile& f) { f.statedOffset = 50; }),
         Corrupt,
         "before the directory"},
        {"outside", one([](ZipFile& f) { f.statedOffset = 0x7FFFFFFF; }), Corrupt, "its offset"},
        {"extra ends early",
         one([](ZipFile& f) { f.extra = std::string("\x01\x00\x10\x00", 4); }),
         Corrupt,
         "ends at byte"},
        {"zip64 size without end",
         one([](ZipFile& f) {
             f.statedBytes = 0xFFFFFFFF;
             f.flags = 8;
             f.extra = std::string("\x01\x00\x10\x00", 4) + std::string(16, '\xFF');
         }),
         Corrupt,
         "reach into"},
        {"twice", zipBytes({good, good}), Corrupt, "twice"},
        {"overlap",
         [&] {
             const ZipFile inner{.name = "a/y", .content = "12"};
             const ZipFile outer{.name = "a/x", .content = zipLocal(inner)};
             ZipFile stated = inner;
             stated.statedOffset = 30 + 3;
             ZipParts parts = zipParts({outer});
             parts.directory += zipEntry(stated, 0);
             return withDirectory(parts, 2, parts.directory.size(), parts.files.size());
         }(),
         Corrupt,
         "overlaps"},
    };
}

/// Archives whose end record is wrong.
std::vector<RefusedBytes> badEnds() {
    using enum ErrorKind;
    const ZipParts parts = zipParts({{.name = "a/x", .content = "hello"}});
    const uint64_t size = parts.directory.size();
    const uint64_t at = parts.files.size();
    const std::string whole = parts.files + parts.directory;
    const auto with64 = [&](uint64_t entries, uint64_t bytes, uint64_t offset, uint64_t index) {
        return whole + zipEnd64(entries, bytes, offset, index) + zipEnd(1, size, at);
    };
    return {
        {"empty", "", Corrupt, "directory of the archive is missing"},
        {"no end", whole, Corrupt, "directory of the archive is missing"},
        {"cut off", zipBytes({}).substr(0, 21), Corrupt, "directory of the archive is missing"},
        {"one entry too many", withDirectory(parts, 2, size, at), Corrupt, "ends at byte"},
        {"one entry too few", withDirectory(parts, 0, size, at), Corrupt, "behind its last"},
        {"a short directory", withDirectory(parts, 1, size - 1, at), Corrupt, "there are"},
        {"a directory elsewhere", withDirectory(parts, 1, size, at - 1), Corrupt, "there are"},
        {"a directory outside", withDirectory(parts, 1, size, 0x7FFFFFFF), Corrupt, "offset of"},
        {"zip64 is missing", withDirectory(parts, 0xFFFF, size, at), Corrupt, "zip64"},
        {"zip64 contradicts", with64(2, size, at, whole.size()), Corrupt, "contradict"},
        {"zip64 lies elsewhere", with64(1, size, at, 3), Corrupt, "not where"},
        {"zip64 lies outside", with64(1, size, at, uint64_t{1} << 63), Corrupt, "at most"},
        {"a million files",
         whole + zipEnd64(2'000'000, size, at, whole.size()) + zipEnd(0xFFFF, size, at),
         Corrupt,
         "at most 1000000"},
        {"several parts",
         [&] {
             std::string bytes = withDirectory(parts, 1, size, at);
             bytes[bytes.size() - 18] = 1;
             return bytes;
         }(),
         Unsupported,
         "several parts"},
    };
}

std::vector<RefusedBytes> allBad() {
    std::vector<RefusedBytes> all = badFiles();
    const std::vector<RefusedBytes> ends = badEnds();
    all.insert(all.end(), ends.begin(), ends.end());
    return all;
}

}  // namespace

/// Archives of stored files: where their files lie, and what is refused with which words.
class ZipDirectoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void findsFilesWhereTheyLie() {
        const std::string bytes = zipBytes(
            {{.name = "a/data.pkl", .content = "pickle"},
             {.name = "a/data/0", .content = "weights", .localExtra = std::string(20, 'Z')},
             {.name = "a/empty", .content = ""}});
        const ZipDirectory directory = read(bytes);
        QCOMPARE(directory.size(), 3u);
        QCOMPARE(contentOf(bytes, directory.at("a/data.pkl")), std::string("pickle"));
        QCOMPARE(contentOf(bytes, directory.at("a/data/0")), std::string("weights"));
        QCOMPARE(directory.at("a/empty").bytes, 0);
    }

    void takesNumbersFromZip64() {
        ZipFile file{.name = "a/x",
                     .content = "hello",
                     .flags = 8,
                     .extra = std::string("\x01\x00\x18\x00", 4) + littleEndian(5, 8) +
                              littleEndian(5, 8) + littleEndian(0, 8),
                     .statedBytes = 0xFFFFFFFF,
                     .statedOffset = 0xFFFFFFFF};
        const ZipParts parts = zipParts({file});
        const std::string whole = parts.files + parts.directory;
        const std::string bytes =
            whole + zipEnd64(1, parts.directory.size(), parts.files.size(), whole.size()) +
            zipEnd(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF);
        QCOMPARE(contentOf(bytes, read(bytes).at("a/x")), std::string("hello"));
    }

    void readsAnArchiveWithAComment() {
        std::string bytes = zipBytes({{.name = "a/x", .content = "hello"}});
        bytes[bytes.size() - 2] = 3;
        bytes += "abc";
        QCOMPARE(read(bytes).size(), 1u);
    }

    void refusesWhatIsNotTrue_data() { addRows(allBad()); }

    void refusesWhatIsNotTrue() {
        checkRow(allBad(), "a.ckpt", [](const std::string& bytes) { (void)read(bytes); });
    }

    void everyCutIsRefused() {
        const std::string bytes = zipBytes({{.name = "a/x", .content = "hello"}});
        for (size_t length = 0; length < bytes.size(); ++length) {
            QVERIFY(errorOf([&] { (void)read(bytes.substr(0, length)); }));
        }
    }
};

LOWTIDE_TEST(ZipDirectoryTest)

}  // namespace zip_directory_test

#include "zip_directory_test.moc"
