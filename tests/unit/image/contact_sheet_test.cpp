#include "plugin/image/canvas.hpp"
#include "plugin/image/contact_sheet.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace contact_sheet_test {

using namespace lowtide;
using namespace lowtide::image;

namespace {

constexpr Colour kBlack{0, 0, 0};
constexpr Colour kWhite{255, 255, 255};

Image8 flat(int width, int height, uint8_t level) {
    const auto count = static_cast<size_t>(3 * width * height);
    const auto pixels = std::make_shared<uint8_t[]>(count);
    std::fill_n(pixels.get(), count, level);
    return {.widthPixels = width, .heightPixels = height, .channels = 3, .pixels = pixels};
}

int redAt(const Image8& image, int x, int y) {
    return image.pixels[static_cast<size_t>((y * image.widthPixels + x) * image.channels)];
}

/// The rows of a glyph as it stands on a canvas.
QStringList drawn(const char* text) {
    Canvas canvas(kGlyphWidth, kGlyphHeight, kBlack);
    canvas.write(text, 0, 0, kWhite, 1);
    const Image8 image = canvas.image();
    QStringList rows;
    for (int y = 0; y < kGlyphHeight; ++y) {
        QString row;
        for (int x = 0; x < kGlyphWidth; ++x) {
            row += redAt(image, x, y) > 0 ? '#' : '.';
        }
        rows << row;
    }
    return rows;
}

/// Left and right end of the stretches where a row of the image is `level`.
std::vector<std::pair<int, int>> runsOf(const Image8& image, int y, int level) {
    std::vector<std::pair<int, int>> runs;
    for (int x = 0; x < image.widthPixels; ++x) {
        if (redAt(image, x, y) == level) {
            const bool continues = !runs.empty() && runs.back().second == x - 1;
            continues ? runs.back().second = x : (runs.emplace_back(x, x), x);
        }
    }
    return runs;
}

}  // namespace

/// Sheets of images with their labels.
class ContactSheetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void lettersStandUpright() {
        const QStringList f = drawn("F");
        QCOMPARE(f.mid(2, 9),
                 (QStringList{"######.",
                              "#......",
                              "#......",
                              "#......",
                              "####...",
                              "#......",
                              "#......",
                              "#......",
                              "#......"}));
    }

    void everyCharacterOfLatin1HasItsPosition() {
        QVERIFY(drawn("\xc3\xa9") != drawn("e"));  // e with an accent
        QVERIFY(drawn("\xc3\xa9") != drawn("\xc3\xa8"));
        QCOMPARE(drawn("\xe7\x8c\xab"), drawn("?"));  // a character that Latin-1 lacks
        QCOMPARE(drawn("\t"), drawn("?"));
        QCOMPARE(shownAsLatin1("a\xc3\xa9\xe7\x8c\xab!"), std::string("a\xe9?!"));
        QCOMPARE(drawn(" "), QStringList(13, "......."));
    }

    void whatLiesOutsideIsCutOff() {
        Canvas canvas(4, 3, kBlack);
        canvas.fill({-5, -5, 6, 6}, kWhite);
        canvas.draw(flat(2, 2, 200), 3, 2, 5);
        canvas.write("W", 2, -4, kBlack, 1);
        const Image8 image = canvas.image();
        QCOMPARE(redAt(image, 0, 0), 255);
        QCOMPARE(redAt(image, 1, 1), 0);
        QCOMPARE(redAt(image, 3, 2), 200);
    }

    void linesBreakAtSpaces_andInLongWords() {
        QCOMPARE(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
        QCOMPARE(wrapped("abcdefgh ij", 3), (std::vector<std::string>{"abc", "def", "gh", "ij"}));
        QCOMPARE(wrapped("\xc3\xa9\xc3\xa9\xc3\xa9", 2),
                 (std::vector<std::string>{"\xc3\xa9\xc3\xa9", "\xc3\xa9"}));
        QCOMPARE(wrapped("", 5), std::vector<std::string>{""});
    }

    void imagesStandInColumnsOfOneWidth() {
        const ContactSheet sheet{.title = "t",
                                 .columns = 2,
                                 .cells = {{{flat(300, 40, 201)}, {"a"}},
                                           {{flat(300, 40, 202)}, {"b", "c"}},
                                           {{flat(280, 30, 203)}, {"d"}}},
                                 .footers = {}};
        const Image8 image = drawContactSheet(sheet);
        int firstRow = 0;
        while (runsOf(image, firstRow, 201).empty()) {
            ++firstRow;
        }
        const auto left = runsOf(image, firstRow, 201);
        const auto right = runsOf(image, firstRow, 202);
        QCOMPARE(left.size(), 1U);
        QCOMPARE(left[0].second - left[0].first + 1, 300);
        QVERIFY(right[0].first > left[0].second);
        int secondRow = firstRow + 40;
        while (runsOf(image, secondRow, 203).empty()) {
            ++secondRow;
        }
        QCOMPARE(runsOf(image, secondRow, 203)[0].first, left[0].first);
    }

    void smallImagesAreEnlarged_andSeveralStandSideBySide() {
        const Image8 image =
            drawContactSheet({.title = "",
                              .columns = 1,
                              .cells = {{{flat(64, 64, 201), flat(64, 64, 202)}, {"two"}}},
                              .footers = {}});
        int row = 0;
        while (runsOf(image, row, 201).empty()) {
            ++row;
        }
        const auto first = runsOf(image, row, 201)[0];
        const auto second = runsOf(image, row, 202)[0];
        QCOMPARE(first.second - first.first + 1, 256);
        QCOMPARE(second.second - second.first + 1, 256);
        QVERIFY(second.first > first.second);
    }

    void hugeSheetsAreShrunk() {
        const Image8 image =
            drawContactSheet({.title = "",
                              .columns = 4,
                              .cells = std::vector<SheetCell>(8, {{flat(4096, 4096, 201)}, {}}),
                              .footers = {}});
        QVERIFY(image.byteCount() / 3 < size_t{80} << 20);
        QCOMPARE(runsOf(image, image.heightPixels / 4, 201).size(), 4U);
    }

    void aSheetWithoutCellsIsRefused() {
        QVERIFY(testing::errorOf([] { (void)drawContactSheet({}); }));
    }

    void heatGrowsWithTheDifference() {
        const Image8 reference = flat(8, 8, 100);
        const auto redOf = [&](uint8_t level) {
            return redAt(heatMap(reference, flat(8, 8, level)), 3, 3);
        };
        QCOMPARE(redOf(100), 0);
        QVERIFY(redOf(104) > redOf(100) && redOf(115) > redOf(104));
        QCOMPARE(redOf(255), 252);
        const Image8 legend = heatLegend();
        QCOMPARE(redAt(legend, 4 + 255, kGlyphHeight + 5), 252);
    }
};

LOWTIDE_TEST(ContactSheetTest)

}  // namespace contact_sheet_test

#include "contact_sheet_test.moc"
