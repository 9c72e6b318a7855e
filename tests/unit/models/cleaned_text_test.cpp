#include "plugin/files/input_file.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/ftfy/cleaned_text.hpp"
#include "plugin/text/ftfy/html_text.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cstring>

namespace cleaned_text_test {

using namespace lowtide;

namespace {

/// A text, and what html.unescape, ftfy and diffusers make of it.
struct ReferenceText {
    std::string text;
    std::string unescaped;
    std::string fixed;
    std::string cleaned;
};

/// The reference's file, made once and kept under the script's hash.
QString goldenTexts() {
    const QString script = testing::sourcePath("tests/unit/models/make_cleaned_text_goldens.py");
    const QString amount = testing::isFullTest() ? "whole" : "fixed";
    const QString folder =
        testing::cacheFolder() + "/cleaned-texts-" + amount + "-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder, {script, folder, amount});
    return folder + "/texts.bin";
}

/// Takes a length and a text from the front.
std::string takeText(std::string_view& bytes) {
    uint32_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof(size));
    const std::string text(bytes.substr(sizeof(size), size));
    bytes.remove_prefix(sizeof(size) + size);
    return text;
}

std::vector<ReferenceText> readTexts(const QString& path) {
    const std::string file = files::InputFile(path.toStdString()).readAll(Bytes{1} << 30);
    std::vector<ReferenceText> texts;
    for (std::string_view left = file; !left.empty();) {
        ReferenceText& each = texts.emplace_back();
        for (std::string* part : {&each.text, &each.unescaped, &each.fixed, &each.cleaned}) {
            *part = takeText(left);
        }
    }
    return texts;
}

std::string shown(const std::string& text) {
    constexpr int kMost = 200;
    return QString::fromStdString(text).left(kMost).toStdString();
}

/// `make` of each text is the reference's; reports the first that is not.
template <class Make>
void compareTexts(const std::vector<ReferenceText>& texts,
                  std::string ReferenceText::*wanted,
                  Make make) {
    size_t differing = 0;
    std::string first;
    for (const ReferenceText& each : texts) {
        const std::string made = make(each.text);
        if (made != each.*wanted) {
            first = differing == 0
                        ? shown(each.text) + ": " + shown(made) + ", not " + shown(each.*wanted)
                        : first;
            ++differing;
        }
    }
    QVERIFY2(differing == 0,
             (std::to_string(differing) + " of " + std::to_string(texts.size()) + ", as " + first)
                 .c_str());
}

std::string repeated(std::string_view text, size_t count) {
    std::string all;
    for (size_t n = 0; n < count; ++n) {
        all += text;
    }
    return all;
}

}  // namespace

/// Texts as Python's html, the package ftfy and diffusers' WAN pipeline clean them.
class CleanedTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        texts_ = readTexts(goldenTexts());
        QVERIFY2(texts_.size() > (testing::isFullTest() ? 700000 : 25000),
                 std::to_string(texts_.size()).c_str());
    }

    void unescapesAsPythonDoes() {
        compareTexts(texts_, &ReferenceText::unescaped, [](const std::string& text) {
            return models::narrowText(models::unescapedHtml(models::wideText(text)));
        });
    }

    void fixesAsFtfyDoes() {
        compareTexts(texts_, &ReferenceText::fixed, [](const std::string& text) {
            return models::narrowText(models::fixedText(models::wideText(text)));
        });
    }

    void cleansAsDiffusersDoes() {
        compareTexts(texts_, &ReferenceText::cleaned, models::cleanedText);
    }

    void leavesAloneWhatIsNoUtf8() {
        QCOMPARE(models::cleanedText(" caf\xE9 &amp;"), std::string(" caf\xE9 &amp;"));
    }

    /// Python refuses to read so long a number.
    void longNumbersAreNoCharacter() {
        QCOMPARE(models::cleanedText("&#" + repeated("9", 5000) + ";"),
                 std::string("\xEF\xBF\xBD"));
    }

    void longTextsTakeSeconds_data() {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QByteArray::fromStdString(text);
        };
        row("names in names", "&" + repeated("amp;", 250000));
        row("a letter for each round", "Ã" + repeated("ƒ", 500000));
        row("the same in lines", repeated("Ã" + repeated("ƒ", 2000) + "\n", 250));
        row("mojibake of mojibake at the end", repeated("é", 400000) + "Ã" + repeated("ƒ", 60000));
        row("parts", repeated("Ãƒ.", 200000));
        row("marks out of order", "a" + repeated("\u0301\u0327", 250000));
        row("digits", "&#" + repeated("9", 1000000));
        row("escapes", "\x1b[" + repeated("1;", 500000));
        row("names without semicolons", repeated("&aacutebbbbbbbbbbbbbbbbbbbbbbbbbb", 31000));
    }

    /// A megabyte of what makes a search slow: 3 s of two busy cores at most, hours if each round
    /// looked at all of it.
    void longTextsTakeSeconds() {
        QFETCH(QByteArray, text);
        constexpr double kMost = 20000;  // milliseconds
        const testing::CpuTimer timer;
        const std::string cleaned = models::cleanedText(text.toStdString());
        QVERIFY(!cleaned.empty());
        QVERIFY2(timer.milliseconds() < kMost, std::to_string(timer.milliseconds()).c_str());
    }

private:
    std::vector<ReferenceText> texts_;
};

LOWTIDE_TEST(CleanedTextTest)

}  // namespace cleaned_text_test

#include "cleaned_text_test.moc"
