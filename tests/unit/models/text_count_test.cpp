// Tokens of texts, counted before a run, against what encoding reads.

#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/text/text_count.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>

namespace text_count_test {

using namespace lowtide;
using models::TextCount;
using models::TokenizedPrompt;
using testing::EncodeRequest;
using testing::ModelBench;

namespace {

constexpr int64_t kAround = 2;  ///< begin and end

/// A tokenizer with a token for each word between spaces, an end token, and so many positions.
TokenizedPrompt wordsOf(std::string_view text, int64_t positions) {
    int64_t words = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        words += text[at] != ' ' && (at == 0 || text[at - 1] == ' ');
    }
    TokenizedPrompt prompt;
    prompt.cutTokens = std::max<int64_t>(0, words - (positions - 1));
    prompt.ids.assign(static_cast<size_t>(positions), 7);
    prompt.mask.assign(static_cast<size_t>(positions), 0);
    std::fill_n(prompt.mask.begin(), std::min(words + 1, positions), 1);
    return prompt;
}

TextCount counted(const std::string& text, int64_t positions) {
    return models::countText("prompt", "text_encoder", "T5", text, [=](std::string_view part) {
        return wordsOf(part, positions);
    });
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

/// What encoding the positive text recorded: tokens of each chunk, without begin and end.
std::vector<int64_t> recordedChunks(ModelBench& bench, const EncodeRequest& request) {
    bench.record();
    bench.runWith(request.model, models::kTextEncoder, [&] {
        (void)testing::encodePrompt(bench.stages(), request, bench.call("encode"));
    });
    std::vector<int64_t> chunks;
    const testing::TensorFile recorded = bench.recorded();
    for (const auto& [name, mask] : recorded) {
        if (name.starts_with("tokens_mask")) {
            chunks.push_back(testing::tensorIn(recorded, name).sum().item<int64_t>() - kAround);
        }
    }
    return chunks;
}

}  // namespace

class TextCountTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aTextThatFitsIsReadWhole() {
        const TextCount count = counted("a red cat", 8);

        QCOMPARE(count.chunks, std::vector<int64_t>{3});
        QCOMPARE(count.capacity, int64_t{7});
        QCOMPARE(count.cutTokens, int64_t{0});
        QCOMPARE(count.readBytes, int64_t{-1});
    }

    void theReadPartEndsBehindTheLastWholeWord() {
        const TextCount count = counted("one two three four five six", 5);

        QCOMPARE(count.chunks, std::vector<int64_t>{4});
        QCOMPARE(count.cutTokens, int64_t{2});
        QVERIFY(count.readBytes >= static_cast<int64_t>(std::string("one two three four").size()));
        QVERIFY(count.readBytes <= static_cast<int64_t>(std::string("one two three four ").size()));
    }

    /// Where the cut is takes no more than asking about what fits, however long the text is.
    void aLongTextIsAskedAboutItsBeginningAlone() {
        const std::string text = repeated("word ", 400000);
        size_t longest = 0;

        const int64_t read = models::bytesRead(text, [&](std::string_view beginning) {
            longest = std::max(longest, beginning.size());
            return wordsOf(beginning, 101).cutTokens > 0;
        });

        QVERIFY(read >= 499 && read <= 500);
        QVERIFY2(longest < 2048, qPrintable(QString::number(longest)));
    }

    void charactersAreNotSplit() {
        const std::string text = repeated("猫", 300);  // 3 bytes each
        const int64_t read = models::bytesRead(
            text, [](std::string_view beginning) { return beginning.size() > 100; });

        QCOMPARE(read, int64_t{99});
    }

    void theNumbersAreThoseOfEncoding_data() {
        const testing::Rows<QString, QString> add("weights", "text");
        for (const char* weights : {"a1111", "compel", "none"}) {
            const auto row = [&](const char* name, const QString& text) {
                add(qPrintable(QString("%1, %2").arg(weights, name)), weights, text);
            };
            row("empty", "");
            row("short", "a (red:1.2) cat, [blurred] \\(smile\\)");
            row("breaks", "a cat BREAK a dog BREAK BREAK a bird");
            row("long", QString("a painting of a cat, oil on canvas, ").repeated(12));
            row("no commas", QString("cat ").repeated(200));
            row("other scripts", QString::fromUtf8("猫と月、🐈‍⬛ été ").repeated(20));
            row("unbalanced", QString("((a cat:1.3 [dog))]] (").repeated(9));
        }
    }

    void theNumbersAreThoseOfEncoding() {
        QFETCH(QString, weights);
        QFETCH(QString, text);
        ModelBench bench;
        const EncodeRequest request{.model = bench.load(testing::miniModel()),
                                    .prompt = text.toStdString(),
                                    .negative = {},
                                    .weights = weights.toStdString()};

        const testing::StageSpec spec = testing::spec(bench.stages(), request);

        QVERIFY(spec.facts);
        const Json& texts = spec.facts->at("texts");
        QCOMPARE(texts.size(), size_t{2});
        const Json& positive = texts.at(0);
        QCOMPARE(positive.at("parameter"), Json("prompt"));
        QCOMPARE(positive.at("role"), Json("text_encoder"));
        QCOMPARE(texts.at(1).at("parameter"), Json("negative"));
        auto chunks = positive.at("chunks").get<std::vector<int64_t>>();
        const auto empty = texts.at(1).at("chunks").get<std::vector<int64_t>>();
        QCOMPARE(empty, std::vector<int64_t>{0});
        chunks.insert(chunks.end(), empty.begin(), empty.end());
        QCOMPARE(chunks, recordedChunks(bench, request));
        for (const int64_t tokens : chunks) {
            QVERIFY(tokens <= positive.at("room").get<int64_t>());
        }
    }

    /// What is called read is read whole, and one word more is not.
    void theCutLiesWhereEncodingCuts() {
        ModelBench bench;
        const nodes::WireRef model = bench.load(testing::miniModel());
        const std::string text = repeated("a photo of a cat ", 30);
        const auto countOf = [&](const std::string& prompt) {
            return testing::spec(bench.stages(),
                                 EncodeRequest{.model = model, .prompt = prompt, .weights = "none"})
                .facts->at("texts")
                .at(0);
        };

        const Json whole = countOf(text);
        const auto read = whole.at("read").get<size_t>();
        const size_t wordBehind = text.find(' ', read + 1);

        QVERIFY(whole.at("cut").get<int64_t>() > 0);
        QCOMPARE(countOf(text.substr(0, read)).at("cut"), Json(0));
        QVERIFY(countOf(text.substr(0, wordBehind)).at("cut").get<int64_t>() > 0);
    }

    /// Tags of LoRAs are no text: the position of the cut counts them along.
    void tagsBeforeTheCutAreCountedAlong() {
        ModelBench bench;
        const nodes::WireRef model = bench.load(testing::miniModel());
        const std::string text = repeated("a photo of a cat ", 30);
        const std::string tag = "<lora:ink:0.8>";
        const auto readOf = [&](const std::string& prompt) {
            return testing::spec(
                       bench.stages(),
                       EncodeRequest{
                           .model = model, .prompt = prompt, .hasTags = true, .weights = "none"})
                .facts->at("texts")
                .at(0)
                .at("read")
                .get<size_t>();
        };

        QCOMPARE(readOf(tag + text + tag), readOf(text) + tag.size());
    }
};

LOWTIDE_TEST(TextCountTest)

}  // namespace text_count_test

#include "text_count_test.moc"
