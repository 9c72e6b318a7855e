// ComfyUI's weights of words in the encoders of FLUX.1 and WAN: what T5 and UMT5 are given, and
// what is made of their states.

#include "plugin/nn/model.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/prompt_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace comfyui_encoders_test {

using namespace lowtide;
using testing::EncodeRequest;
using testing::EncodeResult;
using testing::ModelBench;
using testing::PromptBench;

namespace {

/// Rows that are encoded together may differ by their rounding from those that are not.
constexpr double kRounding = 1e-4;

bool areClose(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && at::allclose(a, b, kRounding, kRounding);
}

/// A checkpoint whose first field is what T5 or UMT5 makes.
struct Encoders {
    ModelBench bench{};
    nodes::WireRef model;

    explicit Encoders(const QString& checkpoint) : model(bench.load(checkpoint.toStdString())) {}

    [[nodiscard]] const models::Model& opened() const { return ModelBench::modelOf(model); }

    [[nodiscard]] EncodeRequest requestOf(const std::string& prompt,
                                          const std::string& weights) const {
        return {.model = model, .prompt = prompt, .weights = weights};
    }

    [[nodiscard]] EncodeResult encode(const std::string& prompt, const std::string& weights) {
        std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
        for (const std::string& role : models::rolesIn(opened(), models::kTextEncoders)) {
            trees.push_back(opened().tree(role));
        }
        EncodeResult result;
        bench.runWith(std::move(trees), [&] {
            result = testing::encodePrompt(
                bench.stages(), requestOf(prompt, weights), bench.call("encode"));
        });
        return result;
    }

    /// [1, T, D] of the prompt.
    [[nodiscard]] at::Tensor states(const std::string& prompt,
                                    const std::string& weights = "comfyui") {
        return PromptBench::conditioningOf(encode(prompt, weights).positive)
            .tensor("embeds")
            .clone();
    }

    /// Tokens of a text in the encoder.
    [[nodiscard]] int64_t tokensOf(const std::string& prompt) const {
        const models::PromptsSpec spec =
            opened().promptsSpec({.prompt = prompt, .weights = "comfyui"});
        const auto count =
            std::find_if(spec.counts.begin(), spec.counts.end(), [](const auto& each) {
                return each.parameter == "prompt" && each.encoder != "CLIP-L";
            });
        return count->chunks.front();
    }

    [[nodiscard]] std::vector<std::string> syntaxHints(const std::string& prompt,
                                                       const std::string& weights) {
        std::vector<std::string> hints;
        for (const Issue& issue :
             testing::spec(bench.stages(), requestOf(prompt, weights)).issues) {
            if (issue.code == "prompt_syntax" || issue.code == "prompt_cut") {
                hints.push_back(issue.hint.str());
            }
        }
        return hints;
    }
};

}  // namespace

class ComfyUiEncodersTest : public QObject {
    Q_OBJECT

    static void addCheckpoints() {
        const testing::Rows<QString, qint64> row("checkpoint", "fewest");
        row("FLUX.1 dev", testing::fluxGoldenFolder() + "/checkpoints/flux_0", 256);
        row("FLUX.1 schnell", testing::fluxGoldenFolder() + "/checkpoints/flux_1", 256);
        row("WAN", testing::wanGoldenFolder() + "/checkpoints/wan_t2v_0", 512);
    }

private Q_SLOTS:

    void weightsMoveStatesAwayFromTheEmptyText_data() { addCheckpoints(); }

    void weightsMoveStatesAwayFromTheEmptyText() {
        QFETCH(QString, checkpoint);
        Encoders encoders(checkpoint);
        const int64_t first = encoders.tokensOf("red");
        const int64_t second = encoders.tokensOf("cat");
        QVERIFY(first > 0 && second > 0);
        QCOMPARE(encoders.tokensOf("(red:0.5) (cat:1.5)"), first + second);
        const at::Tensor empty = encoders.states("");
        const at::Tensor plain = encoders.states("red cat");
        at::Tensor expected = plain.clone();
        const auto move = [&](int64_t begin, int64_t count, double weight) {
            const at::Tensor from = empty.narrow(1, begin, count);
            expected.narrow(1, begin, count)
                .copy_((plain.narrow(1, begin, count) - from) * weight + from);
        };
        move(0, first, 0.5);
        move(first, second, 1.5);

        const at::Tensor weighted = encoders.states("(red:0.5) (cat:1.5)");

        QVERIFY(areClose(weighted, expected));
        QVERIFY(!areClose(weighted, plain));
        QVERIFY(areClose(encoders.states("(red:1.0) (cat:1)"), plain));
    }

    void longTextsAreNotCut_data() { addCheckpoints(); }

    void longTextsAreNotCut() {
        QFETCH(QString, checkpoint);
        QFETCH(qint64, fewest);
        Encoders encoders(checkpoint);
        std::string text;
        for (int i = 0; i < 600; ++i) {
            text += "cat ";
        }
        const int64_t tokens = encoders.tokensOf(text);
        QCOMPARE(tokens, 600 * encoders.tokensOf("cat"));

        QCOMPARE(encoders.states("cat").size(1), int64_t{fewest});
        QCOMPARE(encoders.states(text).size(1), tokens + 1);
        const models::PromptsSpec spec =
            encoders.opened().promptsSpec({.prompt = text, .weights = "comfyui"});
        QCOMPARE(spec.positive.shape().at(1), tokens + 1);
        QCOMPARE(spec.negative.shape().at(1), int64_t{fewest});
        QVERIFY(encoders.syntaxHints(text, "comfyui").empty());
        QCOMPARE(encoders.syntaxHints(text, "a1111").size(), size_t{1});
    }

    void otherWeightsAreWords_data() { addCheckpoints(); }

    void otherWeightsAreWords() {
        QFETCH(QString, checkpoint);
        Encoders encoders(checkpoint);
        const std::string text = "a (cat:1.5)";
        QVERIFY(at::equal(encoders.states(text, "a1111"), encoders.states(text, "none")));
        QCOMPARE(encoders.syntaxHints(text, "a1111"),
                 std::vector<std::string>{"choose the weights comfyui, which read it"});
        QVERIFY(encoders.syntaxHints(text, "comfyui").empty());
    }

    /// The same bits, since the encoder reads the same tokens.
    void pooledStatesHaveNoWeights() {
        Encoders encoders(testing::fluxGoldenFolder() + "/checkpoints/flux_0");
        const auto pooledOf = [&](const std::string& text) {
            return PromptBench::conditioningOf(encoders.encode(text, "comfyui").positive)
                .tensor("pooled")
                .clone();
        };
        QVERIFY(at::equal(pooledOf("a (cat:1.5)"), pooledOf("a (cat:1)")));
        QVERIFY(!at::equal(pooledOf("a (cat:1.5)"), pooledOf("a (dog:1.5)")));
    }
};

LOWTIDE_TEST(ComfyUiEncodersTest)

}  // namespace comfyui_encoders_test

#include "comfyui_encoders_test.moc"
