// Texts for two encoders whose states are joined along their width.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace text_pair_test {

using namespace lowtide;
using models::ClipTextModel;
using models::ClipTokenizer;
using models::NamedText;
using models::PromptWeights;
using models::TextPair;
using testing::ModelBench;

namespace {

std::string longText() {
    std::string text;
    for (int i = 0; i < 50; ++i) {
        text += "red ";
    }
    return text;
}

/// The mini model's encoder.
struct Encoder {
    models::CheckpointFolder folder{testing::miniModel(), "mini"};
    ClipTextModel network{
        models::readClipTextConfig(folder.readJson("text_encoder/config.json"), "config"),
        folder.weights("text_encoder", "model"),
        {.role = "text_encoder"}};
    ClipTokenizer tokenizer{folder, "tokenizer", network.config().positions};

    [[nodiscard]] TextPair pairOf(const std::string& positive,
                                  const std::string& negative,
                                  PromptWeights weights = PromptWeights::A1111) const {
        return {tokenizer,
                weights,
                {.text = positive, .parameter = "prompt"},
                {.text = negative, .parameter = "negative"}};
    }
};

TextPair::Outputs encoded(const Encoder& encoder,
                          const TextPair& texts,
                          tensor::Recorder* recorder = nullptr) {
    ModelBench bench;
    TextPair::Outputs outputs;
    bench.runWith(encoder.network.tree(), [&] {
        models::StageContext context{bench.residency(), tensor::Record(recorder)};
        models::Forward forward(context, *encoder.network.tree());
        outputs = texts.encode(forward, encoder.network, "_2");
    });
    return outputs;
}

}  // namespace

class TextPairTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void evenedTextsHaveAsManyChunksForCondAndUncond() {
        const Encoder encoder;
        TextPair first = encoder.pairOf(longText(), "a cat");
        TextPair second = encoder.pairOf("a cat", "a BREAK dog BREAK or BREAK bird");
        const size_t chunks = first.positive().chunks.size();
        QVERIFY(chunks > 1 && chunks < 4);

        TextPair::evenOut(first, second);

        QCOMPARE(first.positive().chunks.size(), chunks);
        QCOMPARE(second.positive().chunks.size(), chunks);
        QCOMPARE(first.negative().chunks.size(), size_t{4});
        QCOMPARE(second.negative().chunks.size(), size_t{4});
        QCOMPARE(second.tokensOf(second.positive()),
                 static_cast<int64_t>(chunks) * encoder.tokenizer.length());
        const TextPair empty = encoder.pairOf("", "");
        for (size_t i = 1; i < chunks; ++i) {
            QVERIFY(second.positive().chunks[i].ids == empty.positive().chunks.front().ids);
        }
    }

    /// What is behind a short text are the states of the empty one, and the rest is as it was.
    void anEvenedTextIsFollowedByTheEmptyOne() {
        const Encoder encoder;
        TextPair longer = encoder.pairOf(longText(), "");
        TextPair evened = encoder.pairOf("a (red:1.3) cat", "a dog");
        const TextPair::Outputs alone = encoded(encoder, evened);
        TextPair::evenOut(evened, longer);

        const TextPair::Outputs outputs = encoded(encoder, evened);

        const at::Tensor empty = encoded(encoder, encoder.pairOf("", "")).positive.embeds;
        std::vector<at::Tensor> expected(longer.positive().chunks.size(), empty);
        expected.front() = alone.positive.embeds;
        QVERIFY(at::equal(outputs.positive.embeds, at::cat(expected, 1)));
        QVERIFY(at::equal(outputs.positive.pooled, alone.positive.pooled));
        QVERIFY(at::equal(outputs.negative.embeds, alone.negative.embeds));
    }

    /// States of weighted tokens move away from the empty text's; the others have their bits.
    void comfyUiMovesWeightedStatesAlone() {
        const Encoder encoder;
        const auto statesOf = [&](const std::string& text) {
            return encoded(encoder, encoder.pairOf(text, "", PromptWeights::ComfyUi)).positive;
        };
        const ClipTextModel::Output plain = statesOf("red cat");
        const ClipTextModel::Output weighted = statesOf("red (cat:1.5)");
        const TextPair texts = encoder.pairOf("red (cat:1.5)", "", PromptWeights::ComfyUi);
        const std::vector<float>& weights = texts.positive().chunks.front().weights;
        const at::Tensor empty = statesOf("").embeds;
        QVERIFY(at::equal(weighted.pooled, plain.pooled));
        size_t moved = 0;
        for (size_t i = 0; i < weights.size(); ++i) {
            const auto at = static_cast<int64_t>(i);
            const at::Tensor own = plain.embeds.select(1, at);
            const at::Tensor seen = weighted.embeds.select(1, at);
            if (weights[i] == 1) {
                QVERIFY(at::equal(seen, own));
                continue;
            }
            ++moved;
            const at::Tensor expected = (own - empty.select(1, at)) * 1.5 + empty.select(1, at);
            QVERIFY(at::allclose(seen, expected, 1e-6, 1e-6));
            QVERIFY(!at::allclose(seen, own, 1e-3, 1e-3));
        }
        QVERIFY(moved > 0 && moved < weights.size());
    }

    /// Where a chunk holds the last vectors of an embedding alone, these stand in it.
    void vectorsAreReadFromTheFirstThatIsMeant() {
        const Encoder encoder;
        const int64_t width = encoder.network.config().width;
        const auto vectors = [&](int64_t begin, int64_t count) {
            std::vector<float> values;
            for (int64_t i = begin * width; i < (begin + count) * width; ++i) {
                values.push_back(static_cast<float>(i % 7) * 0.1F -
                                 0.2F * static_cast<float>(i / width));
            }
            return std::make_shared<const models::TokenVectors>(
                models::TokenVectors{.width = width, .values = std::move(values)});
        };
        const auto row = [&](models::TokenOverride own) {
            return ClipTextModel::Row{.ids = encoder.tokenizer.tokenize("red cat", "prompt").ids,
                                      .overrides = {std::move(own)}};
        };
        const std::vector<ClipTextModel::Row> rows = {
            row({.position = 1, .count = 1, .vectors = vectors(0, 3), .first = 2}),
            row({.position = 1, .count = 1, .vectors = vectors(2, 1)}),
            row({.position = 1, .count = 1, .vectors = vectors(0, 3)})};
        std::vector<ClipTextModel::Output> outputs;
        ModelBench bench;
        bench.runWith(encoder.network.tree(), [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            models::Forward forward(context, *encoder.network.tree());
            outputs = encoder.network.encode(forward, rows);
        });
        QVERIFY(at::equal(outputs[0].embeds, outputs[1].embeds));
        QVERIFY(!at::equal(outputs[0].embeds, outputs[2].embeds));
    }

    void condAndUncondLeaveOutTheirOwnLayers() {
        const Encoder encoder;
        const auto outputsOf = [&](int positive, int negative) {
            return encoded(encoder,
                           {encoder.tokenizer,
                            PromptWeights::A1111,
                            {.text = "a cat", .parameter = "prompt", .clipSkip = positive},
                            {.text = "a dog", .parameter = "negative", .clipSkip = negative}});
        };
        const TextPair::Outputs none = outputsOf(-1, -1);
        const TextPair::Outputs both = outputsOf(1, 1);
        QVERIFY(!at::equal(none.positive.embeds, both.positive.embeds));
        const TextPair::Outputs one = outputsOf(1, -1);
        QVERIFY(at::equal(one.positive.embeds, both.positive.embeds));
        QVERIFY(at::equal(one.negative.embeds, none.negative.embeds));
    }

    /// Ids of both sides, chunk by chunk, apart from those of another encoder.
    void idsAreRecordedForTheirEncoder() {
        const Encoder encoder;
        const TextPair texts = encoder.pairOf("a cat", "a dog BREAK a bird");
        tensor::Recorder recorder;
        (void)encoded(encoder, texts, &recorder);
        std::vector<std::vector<int64_t>> ids;
        for (const auto& [key, tensor] : recorder.tensors()) {
            if (key.starts_with("tokens")) {
                QVERIFY2(key.starts_with("tokens_2.") || key.starts_with("tokens_mask_2."),
                         key.c_str());
            }
            if (key.starts_with("tokens_2.")) {
                const auto* begin = tensor.const_data_ptr<int64_t>();
                ids.emplace_back(begin, begin + tensor.numel());
            }
        }
        QCOMPARE(ids.size(), size_t{3});
        QVERIFY(ids[0] == texts.positive().chunks[0].ids);
        QVERIFY(ids[1] == texts.negative().chunks[0].ids);
        QVERIFY(ids[2] == texts.negative().chunks[1].ids);
    }
};

LOWTIDE_TEST(TextPairTest)

}  // namespace text_pair_test

#include "text_pair_test.moc"
