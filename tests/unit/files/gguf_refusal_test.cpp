#include "plugin/files/gguf.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/gguf_bytes.hpp"
#include "tests/unit/files/refused_bytes.hpp"

#include <QtTest/QtTest>

namespace gguf_refusal_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

constexpr uint64_t kHuge = 1ull << 60;

GgufHeader read(const std::string& bytes) {
    return readGgufHeader(MemoryBytes(std::as_bytes(std::span(bytes)), "a.gguf"));
}

std::string fileWith(const GgufTensorEntry& tensor) {
    return ggufBytes({.tensors = {ggufTensor(tensor)}});
}

/// A file whose only key is "k".
std::string fileWithValue(uint32_t type, const std::string& value) {
    return ggufBytes({.entries = {ggufEntry("k", type, value)}});
}

/// So many arrays in one another, the innermost empty.
std::string nested(int levels) {
    std::string value = ggufArray(4, 0, "");
    for (int i = 1; i < levels; ++i) {
        value = ggufArray(9, 1, value);
    }
    return value;
}

std::vector<RefusedBytes> badStarts() {
    using enum ErrorKind;
    const std::string good = ggufBytes({});
    return {
        {"empty", "", Corrupt, "is no GGUF file: it is empty, such files begin with \"GGUF\""},
        {"cut in the magic", "GGU", Corrupt, "is no GGUF file: it begins with \"GGU\", such"},
        {"a page of a server",
         "<!DOCTYPE html><html><body>Not found",
         Corrupt,
         "is a page of a server (HTML), not the file"},
        {"another magic", ggufBytes({.magic = "GGJT"}), Corrupt, "it begins with \"GGJT"},
        {"cut in the version", good.substr(0, 7), Corrupt, "ends at byte 7, but 4 more"},
        {"version 0", ggufBytes({.version = 0}), Unsupported, "GGUF version 0, versions 2 and 3"},
        {"version 1", ggufBytes({.version = 1}), Unsupported, "GGUF version 1, versions 2 and 3"},
        {"version 4", ggufBytes({.version = 4}), Unsupported, "GGUF version 4, versions 2 and 3"},
        {"big-endian", ggufBytes({.version = 3u << 24}), Unsupported, "is a big-endian GGUF file"},
        {"cut in the counts", good.substr(0, 20), Corrupt, "ends at byte 20, but 8 more"},
        {"2^60 tensors",
         ggufStart({}, kHuge, 0) + std::string(64, '\0'),
         Corrupt,
         "claims 1152921504606846976 tensors, but only 64 bytes follow"},
        {"2^60 keys",
         ggufStart({}, 0, kHuge) + std::string(64, '\0'),
         Corrupt,
         "claims 1152921504606846976 keys, but only 64 bytes follow"},
    };
}

std::vector<RefusedBytes> badKeys() {
    using enum ErrorKind;
    const std::string one = ggufEntry("k", 4, littleEndian(1, 4));
    return {
        {"twice", ggufBytes({.entries = {one, one}}), Corrupt, "key \"k\": is there twice"},
        {"a key that is not UTF-8",
         ggufBytes({.entries = {ggufEntry("\xFF", 4, littleEndian(1, 4))}}),
         Corrupt,
         "key \"?\": is not UTF-8"},
        {"a key of 65536 bytes",
         ggufBytes({.entries = {ggufEntry(std::string(65536, 'k'), 4, littleEndian(1, 4))}}),
         Corrupt,
         "a key is 65536 bytes long, at most 65535"},
        {"a key without end",
         ggufStart({}, 0, 1) + littleEndian(~0ull, 8) + std::string(64, 'k'),
         Corrupt,
         "a key is 18446744073709551615 bytes long"},
        {"cut in a key",
         ggufStart({}, 0, 1) + littleEndian(50, 8) + "general.name",
         Corrupt,
         "but 50 more are to follow byte 32"},
        {"type 13", fileWithValue(13, "x"), Unsupported, "key \"k\": its value has the type 13"},
        {"elements of type 13",
         fileWithValue(9, ggufArray(13, 1, "x")),
         Unsupported,
         "key \"k\": its value has the type 13"},
        {"a BOOL of 2", fileWithValue(7, "\2"), Corrupt, "key \"k\": it holds a BOOL of 2"},
        {"a BOOL of 2 in an array",
         fileWithValue(9, ggufArray(7, 2, "\1\2")),
         Corrupt,
         "key \"k\": it holds a BOOL of 2"},
        {"a text without end",
         fileWithValue(8, littleEndian(kHuge, 8)),
         Corrupt,
         "but 1152921504606846976 more are to follow"},
        {"an array of 2^60 numbers",
         fileWithValue(9, ggufArray(4, kHuge, "")),
         Corrupt,
         "claims 1152921504606846976 values of type UINT32"},
        {"an array of 2^60 texts",
         fileWithValue(9, ggufArray(8, kHuge, "")),
         Corrupt,
         "claims 1152921504606846976 values of type STRING"},
        {"an array of 2^60 arrays",
         fileWithValue(9, ggufArray(9, kHuge, "")),
         Corrupt,
         "claims 1152921504606846976 values of type ARRAY"},
        {"nine arrays in one another",
         fileWithValue(9, nested(9)),
         Unsupported,
         "key \"k\": its arrays are nested deeper than 8"},
        {"an alignment of 0", ggufBytes({.entries = {ggufAlignment(0)}}), Corrupt, "from 8 on"},
        {"an alignment of 4", ggufBytes({.entries = {ggufAlignment(4)}}), Corrupt, "from 8 on"},
        {"an alignment of 48", ggufBytes({.entries = {ggufAlignment(48)}}), Corrupt, "from 8 on"},
        {"an alignment of type UINT64",
         ggufBytes({.entries = {ggufEntry("general.alignment", 10, littleEndian(32, 8))}}),
         Corrupt,
         "\"general.alignment\": must be a UINT32"},
    };
}

std::vector<RefusedBytes> badTensors() {
    using enum ErrorKind;
    const uint64_t half = 1ull << 32;
    return {
        {"a name that is not UTF-8",
         fileWith({.name = "\xFF"}),
         Corrupt,
         "tensor \"?\": is not UTF-8"},
        {"a name of 4097 bytes",
         fileWith({.name = std::string(4097, 'n')}),
         Corrupt,
         "a tensor is 4097 bytes long, at most 4096"},
        {"six sizes",
         fileWith({.sizes = {1, 1, 1, 1, 1, 4}}),
         Corrupt,
         "tensor \"t\": has 6 sizes, at most 5"},
        {"2^32 - 1 sizes",
         ggufStart({}, 1, 0) + ggufText("t") + littleEndian(~0u, 4) + std::string(64, '\1'),
         Corrupt,
         "tensor \"t\": has 4294967295 sizes"},
        {"a size of 0", fileWith({.sizes = {4, 0}}), Corrupt, "has the shape [0, 4], each size"},
        {"a negative size",
         fileWith({.sizes = {~0ull}}),
         Corrupt,
         "has a size of 18446744073709551615"},
        {"2^64 elements",
         fileWith({.sizes = {half, half}}),
         Corrupt,
         "takes more than 2^63 - 1 bytes as F32 [4294967296, 4294967296]"},
        {"2^62 elements",
         fileWith({.sizes = {half, 1ull << 30}}),
         Corrupt,
         "takes more than 2^63 - 1 bytes as F32"},
        {"rows that are no blocks",
         fileWith({.sizes = {16, 2}, .type = 2}),
         Corrupt,
         "has rows of 16 elements, but Q4_0 stores blocks of 32"},
        {"a scalar of blocks",
         fileWith({.sizes = {}, .type = 8}),
         Corrupt,
         "has rows of 1 elements, but Q8_0 stores blocks of 32"},
        {"a type that was removed",
         fileWith({.type = 4}),
         Unsupported,
         "tensor \"t\": its element type has the number 4"},
        {"a type that is unknown",
         fileWith({.type = 42}),
         Unsupported,
         "tensor \"t\": its element type has the number 42"},
        {"cut in the list",
         ggufStart({}, 1, 0) + ggufTensor({}).substr(0, 27),
         Corrupt,
         "ends at byte 51, but 8 more are to follow byte 49"},
    };
}

std::vector<RefusedBytes> badOffsets() {
    using enum ErrorKind;
    const std::string second = ggufTensor({.name = "u", .offset = 32});
    return {
        {"a misaligned offset",
         fileWith({.offset = 16}),
         Corrupt,
         "tensor \"t\": begins at byte 16 of the data, which is no multiple of the alignment 32"},
        {"misaligned by the file's alignment",
         ggufBytes({.entries = {ggufAlignment(64)},
                    .tensors = {ggufTensor({}), second},
                    .dataBytes = 48,
                    .alignment = 64}),
         Corrupt,
         "tensor \"u\": begins at byte 32 of the data, which is no multiple of the alignment 64"},
        {"one byte too few",
         ggufBytes({.dataBytes = 15}),
         Corrupt,
         "tensor \"t\": takes 16 bytes from byte 0 of the data on, which is only 15 bytes long"},
        {"no data",
         ggufStart({}, 1, 0) + ggufTensor({}),
         Corrupt,
         "takes 16 bytes from byte 0 of the data on, which is only 0 bytes long"},
        {"behind the data",
         fileWith({.offset = 1ull << 40}),
         Corrupt,
         "takes 16 bytes from byte 1099511627776"},
        {"at the last multiple below 2^63",
         fileWith({.offset = (1ull << 63) - 32}),
         Corrupt,
         "takes 16 bytes from byte 9223372036854775776"},
        {"at 2^63",
         fileWith({.offset = 1ull << 63}),
         Corrupt,
         "begins at byte 9223372036854775808"},
        {"terabytes",
         fileWith({.sizes = {1ull << 20, 1ull << 20}}),
         Corrupt,
         "takes 4398046511104 bytes"},
        {"twice",
         ggufBytes({.tensors = {ggufTensor({}), ggufTensor({.offset = 32})}, .dataBytes = 48}),
         Corrupt,
         "tensor \"t\": is there twice"},
        {"overlap",
         ggufBytes({.tensors = {second, ggufTensor({.sizes = {9}})}, .dataBytes = 48}),
         Corrupt,
         "tensor \"u\": overlaps the tensor \"t\""},
        {"the same bytes twice",
         ggufBytes({.tensors = {ggufTensor({}), ggufTensor({.name = "u"})}}),
         Corrupt,
         "overlaps the tensor"},
    };
}

}  // namespace

class GgufRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusesStarts_data() { addRows(badStarts()); }

    void refusesStarts() { checkRow(badStarts(), "a.gguf", read); }

    void refusesKeys_data() { addRows(badKeys()); }

    void refusesKeys() { checkRow(badKeys(), "a.gguf", read); }

    void refusesTensors_data() { addRows(badTensors()); }

    void refusesTensors() { checkRow(badTensors(), "a.gguf", read); }

    void refusesOffsets_data() { addRows(badOffsets()); }

    void refusesOffsets() { checkRow(badOffsets(), "a.gguf", read); }

    void everyCutIsRefused() {
        const std::string whole =
            ggufBytes({.entries = {ggufEntry("a", 8, ggufText("text")),
                                   ggufEntry("b", 9, ggufArray(8, 2, ggufText("x") + ggufText(""))),
                                   ggufEntry("c", 9, nested(3)),
                                   ggufEntry("d", 12, littleEndian(0, 8))},
                       .tensors = {ggufTensor({}), ggufTensor({.name = "u", .offset = 32})},
                       .dataBytes = 48});
        QVERIFY(!errorOf([&] { (void)read(whole); }));
        for (size_t size = 0; size < whole.size(); ++size) {
            const auto error = errorOf([&] { (void)read(whole.substr(0, size)); });
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(size)));
            QVERIFY(!error->hint().empty());
        }
    }

    /// A file of 1 TiB must not make a header of 1 TiB.
    void aHeaderOfHundredsOfMegabytesIsRefused() {
        class LargeFile final : public ReadableBytes {
        public:
            std::string name() const override { return "large.gguf"; }

            Bytes size() const override { return 1024 * kGiB; }

            void read(std::span<std::byte> target, Bytes offset) const override {
                const std::string start =
                    ggufStart({}, 0, 1) + ggufEntry("k", 9, ggufArray(0, 512 * kMiB, ""));
                for (size_t i = 0; i < target.size(); ++i) {
                    const size_t at = static_cast<size_t>(offset) + i;
                    target[i] = static_cast<std::byte>(at < start.size() ? start[at] : '\0');
                }
            }
        };

        const auto error = errorOf([] { (void)readGgufHeader(LargeFile()); });
        QVERIFY(error);
        QVERIFY2(error->message().str().find("longer than the 256.0 MiB") != std::string::npos,
                 error->what());
    }
};

LOWTIDE_TEST(GgufRefusalTest)

}  // namespace gguf_refusal_test

#include "gguf_refusal_test.moc"
