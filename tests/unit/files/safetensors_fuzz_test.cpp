#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/unit/files/safetensors_bytes.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <random>

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;
using lowtide::testing::safetensorsBytes;

namespace {

constexpr int kMutations = 4000;

const std::string kHeader =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("b":{"dtype":"F16","shape":[0],"data_offsets":[8,8]},"c":{"dtype":"U8","shape":[7],"data_offsets":[8,15]}})";

using Random = std::mt19937_64;

size_t below(Random& random, size_t limit) {
    return random() % limit;
}

/// Pieces that make a header go wrong in its own language.
std::string token(Random& random) {
    constexpr std::array kTokens = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    ",",
                                    ":",
                                    "\"",
                                    "-1",
                                    "0",
                                    "1e9",
                                    "null",
                                    "true",
                                    "[]",
                                    "{}",
                                    "18446744073709551615",
                                    "9223372036854775807",
                                    "\"F64\"",
                                    "\"shape\"",
                                    "\\u0000"};
    return kTokens[below(random, kTokens.size())];
}

std::string mutatedText(std::string text, Random& random) {
    const size_t at = below(random, text.size());
    switch (below(random, 5)) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text.erase(at, 1 + below(random, 8));
            break;
        case 2:
            text.insert(at, token(random));
            break;
        case 3:
            text.replace(at, 1 + below(random, 4), token(random));
            break;
        default:
            text.insert(at, text.substr(below(random, text.size()), below(random, 60)));
            break;
    }
    return text;
}

/// Either the text of the header is changed under a right length, or any byte of the file.
std::string mutatedFile(Random& random) {
    std::string header = kHeader;
    for (size_t change = below(random, 3); change-- > 0;) {
        header = mutatedText(header, random);
    }
    std::string bytes = safetensorsBytes(header, 15);
    if (below(random, 2) == 0) {
        bytes = mutatedText(bytes, random);
    }
    return bytes;
}

}  // namespace

/// Whatever a file holds: reading its header gives a value that is true, or a lowtide::Error.
/// Sanitizer builds make it a search for memory errors.
class SafetensorsFuzzTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// The tensors cover the file from the end of the header to its own end, each byte once.
    static bool isTrue(const SafetensorsHeader& header, Bytes fileBytes) {
        Bytes covered = 0;
        for (const auto& [name, info] : header.tensors) {
            const auto elements = elementCount(info.shape);
            const bool fits = elements && *elements * sizeOf(info.type) == info.bytes &&
                              info.offset >= 8 && info.offset + info.bytes <= fileBytes;
            if (!fits) {
                return false;
            }
            covered += info.bytes;
        }
        return covered <= fileBytes - 8;
    }

private Q_SLOTS:

    void mutationsGiveAValueOrAnError() {
        constexpr uint64_t kSeed = 20260301;
        Random random(kSeed);
        const QString path = folder_.filePath("f.safetensors");
        int values = 0;
        int errors = 0;
        for (int i = 0; i < kMutations; ++i) {
            const std::string bytes = mutatedFile(random);
            QFile file(path);
            file.remove();  // truncating it instead makes ext4 flush each one
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(bytes.data(), static_cast<qint64>(bytes.size()));
            file.close();
            const auto error = errorOf([&] {
                const SafetensorsHeader header =
                    readSafetensorsHeader(InputFile(path.toStdString()));
                QVERIFY2(isTrue(header, static_cast<Bytes>(bytes.size())),
                         qPrintable(QString::number(i)));
            });
            const bool expected = !error || error->kind() == ErrorKind::Corrupt ||
                                  error->kind() == ErrorKind::Unsupported;
            QVERIFY2(expected, error ? error->what() : "");
            QVERIFY(!error ||
                    QString::fromStdString(error->message()).toStdString() == error->message());
            ++(error ? errors : values);
        }
        // Both outcomes must have been seen often, or the mutations are too tame or too wild.
        QVERIFY2(values > kMutations / 20 && errors > kMutations / 4,
                 qPrintable(QString::number(values)));
    }
};

QTEST_GUILESS_MAIN(SafetensorsFuzzTest)
#include "safetensors_fuzz_test.moc"
