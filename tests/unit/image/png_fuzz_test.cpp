#include "plugin/base/text.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

#include <random>

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

constexpr int kMutations = 6000;

using Random = std::mt19937_64;

int below(Random& random, qsizetype limit) {
    return static_cast<int>(random() % static_cast<uint64_t>(limit));
}

std::vector<QByteArray> seeds() {
    const QByteArray plain = QByteArray("\0\0\0\0\0", 5);
    const QByteArray texts =
        chunk("tEXt", QByteArray("a\0text", 6)) +
        chunk("zTXt", QByteArray("b\0\0", 3) + deflated("packed text")) +
        chunk("iTXt", "c" + plain + "\xE2\x82\xAC") +
        chunk("iTXt", QByteArray("d\0\1\0en\0D\0", 9) + deflated("\xE2\x82\xAC"));
    const QByteArray palette = chunk("PLTE", QByteArray::fromHex("102030405060708090a0b0c0"));
    return {
        pngOf({.width = 3, .height = 2, .color = 2},
              QByteArray::fromHex("0101020304050607080904010203040506070809"),
              texts),
        pngOf({.width = 4, .height = 2, .depth = 2, .color = 3},
              QByteArray::fromHex("001b00b1"),
              palette + chunk("tRNS", QByteArray::fromHex("00ff80")),
              texts),
        pngOf({.width = 2, .depth = 16, .color = 4},
              QByteArray::fromHex("000102030405060708"),
              chunk("gAMA", bigEndian(45455)) + chunk("pHYs", QByteArray(9, '\1'))),
        pngOf({.width = 3, .height = 3, .color = 0, .interlace = 1},
              QByteArray::fromHex("0001"
                                  "0002"
                                  "000304"
                                  "0005"
                                  "0006"
                                  "000708"
                                  "00090a0b")),
    };
}

QByteArray mutated(QByteArray bytes, Random& random) {
    if (bytes.isEmpty()) {
        return bytes;
    }
    const int at = below(random, bytes.size());
    switch (below(random, 6)) {
        case 0:
            bytes[at] = static_cast<char>(random());
            break;
        case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(random, 8));
            break;
        case 2:
            bytes.remove(at, 1 + below(random, 6));
            break;
        case 3:
            bytes.insert(at, static_cast<char>(random()));
            break;
        case 4:
            bytes.replace(at, 4, bigEndian(static_cast<uint32_t>(random() >> below(random, 64))));
            break;
        default:
            bytes.insert(at, bytes.mid(below(random, bytes.size()), below(random, 40)));
            break;
    }
    return bytes;
}

/// Changes below the checksums: chunks with other data, other order, twice, missing.
QByteArray mutatedChunks(const QByteArray& file, Random& random) {
    std::vector<RawChunk> chunks = chunksOf(file);
    const size_t at = static_cast<size_t>(below(random, static_cast<qsizetype>(chunks.size())));
    switch (below(random, 8)) {
        case 0:
            chunks.erase(chunks.begin() + static_cast<int>(at));
            break;
        case 1:
            chunks.push_back(chunks[at]);
            break;
        case 2:
            std::swap(
                chunks[at],
                chunks[static_cast<size_t>(below(random, static_cast<qsizetype>(chunks.size())))]);
            break;
        case 3:
            chunks.insert(chunks.begin() + static_cast<int>(at), chunks[at]);
            break;
        default:
            chunks[at].data = mutated(chunks[at].data, random);
            break;
    }
    QByteArray bytes = kPngSignature;
    for (const RawChunk& raw : chunks) {
        bytes += chunk(raw.type.constData(), raw.data);
    }
    return bytes;
}

}  // namespace

/// Whatever a file holds: decoding gives a picture or a lowtide::Error. Sanitizer builds make it a
/// search for memory errors.
class PngFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void mutationsGiveAPictureOrAnError() {
        constexpr uint64_t kSeed = 20260301;
        Random random(kSeed);
        const std::vector<QByteArray> files = seeds();
        int pictures = 0;
        int errors = 0;
        for (int i = 0; i < kMutations; ++i) {
            QByteArray file = files[static_cast<size_t>(i) % files.size()];
            for (int change = 1 + below(random, 3); change-- > 0;) {
                file = mutatedChunks(file, random);
            }
            if (below(random, 4) == 0) {
                file = mutated(file, random);
            }
            const auto error = errorOf([&] { checkDecoded(decodePng(bytesOf(file), "x.png"), i); });
            QVERIFY2(!error || error->kind() == ErrorKind::Corrupt, error ? error->what() : "");
            ++(error ? errors : pictures);
        }
        // Both outcomes must have been seen often, or the mutations are too tame or too wild.
        QVERIFY2(pictures > kMutations / 20 && errors > kMutations / 4,
                 qPrintable(QString::number(pictures)));
    }

private:
    static void checkDecoded(const Png& png, int number) {
        const Image8& picture = png.picture;
        const bool sane = picture.widthPixels > 0 && picture.heightPixels > 0 && picture.pixels &&
                          (picture.channels == 1 || picture.channels == 3 || picture.channels == 4);
        QVERIFY2(sane, qPrintable(QString::number(number)));
        unsigned sum = 0;  // touches every pixel
        for (size_t i = 0; i < picture.byteCount(); ++i) {
            sum += picture.pixels[i];
        }
        QVERIFY(sum <= 255u * picture.byteCount());
        for (const PngText& text : png.texts) {
            QVERIFY2(isValidUtf8(text.key) && isValidUtf8(text.text),
                     qPrintable(QString::number(number)));
        }
    }
};

QTEST_GUILESS_MAIN(PngFuzzTest)
#include "png_fuzz_test.moc"
