// Prompts as ComfyUI 0.33.0 reads them: weights, tokens, chunks, and what weights make of states.
// comfyui_prompts.json holds what it made of them.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/checkpoints/encoders/weighted_embedding.hpp"
#include "plugin/checkpoints/single_file/built_in_tokenizer.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/comfyui_prompt.hpp"
#include "plugin/text/unigram_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

namespace comfyui_prompts_test {

using namespace lowtide;
using models::CutPrompt;
using models::PromptChunk;
using models::PromptWeights;
using models::WeightedPart;

namespace {

constexpr int64_t kClipTokens = 49408;
constexpr int64_t kWidth = 4;
constexpr const char* kFolder = "tokenizer/";

/// A tokenizer of resources/tokenizers.
class BuiltInFiles final : public models::ModelFiles {
public:
    explicit BuiltInFiles(const char* folder) : folder_(folder) {
        if (folder_ == "clip") {
            models::ClipVocabulary made =
                models::clipVocabulary(published("merges.txt"), kClipTokens, "CLIP");
            vocabulary_ = std::move(made.tokens);
            merges_ = std::move(made.merges);
        }
    }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return folder_ + "/" + relative;
    }

    [[nodiscard]] bool has(const std::string& relative) const override {
        return isOfClip(relative) || std::filesystem::exists(pathIn(nameIn(relative)));
    }

    [[nodiscard]] std::string readText(const std::string& relative) override {
        return isOfClip(relative) ? merges_ : published(nameIn(relative));
    }

    [[nodiscard]] Json readJson(const std::string& relative) override {
        return isOfClip(relative) ? vocabulary_ : parseJson(readText(relative), relative);
    }

private:
    static std::string nameIn(const std::string& relative) {
        return relative.substr(std::string_view(kFolder).size());
    }

    [[nodiscard]] bool isOfClip(const std::string& relative) const {
        const std::string name = nameIn(relative);
        return folder_ == "clip" && (name == "vocab.json" || name == "merges.txt");
    }

    [[nodiscard]] std::string pathIn(const std::string& name) const {
        return models::builtInPath(
            testing::sourcePath("resources").toStdString(), folder_.c_str(), name.c_str());
    }

    [[nodiscard]] std::string published(const std::string& name) const {
        return models::readBuiltIn(pathIn(name));
    }

    std::string folder_;
    Json vocabulary_;
    std::string merges_;
};

/// What ComfyUI made of the prompts.
const Json& made() {
    static const Json json = [] {
        const QByteArray text =
            testing::contentsOf(testing::sourcePath("tests/unit/models/comfyui_prompts.json"));
        return parseJson(text.toStdString(), "comfyui_prompts.json");
    }();
    return json;
}

/// A number, "inf" or "nan".
double weightIn(const Json& json) {
    if (json.is_number()) {
        return json.get<double>();
    }
    return json == "inf" ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
}

bool areEqual(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// With its last id as often as it follows again.
std::vector<int64_t> filledUp(std::vector<int64_t> ids, const Json& row) {
    ids.insert(ids.end(), row.at("more").get<size_t>(), ids.back());
    return ids;
}

QString shown(const std::vector<WeightedPart>& parts) {
    QString text;
    for (const WeightedPart& part : parts) {
        text += QString("\"%1\" %2 ").arg(QString::fromStdString(part.text)).arg(part.weight);
    }
    return text;
}

bool arePieces(const std::vector<WeightedPart>& parts, const Json& wanted) {
    bool same = parts.size() == wanted.size();
    for (size_t i = 0; same && i < parts.size(); ++i) {
        same = !parts[i].isBreak && parts[i].text == wanted[i][0] &&
               areEqual(parts[i].weight, weightIn(wanted[i][1]));
    }
    return same;
}

/// Prompts that are refused here: a weight that is not finite gives ComfyUI states that are no
/// numbers, and a black image.
const std::set<std::string>& refusedPrompts() {
    static const std::set<std::string> prompts = {"(a cat:inf)", "(a cat:nan)"};
    return prompts;
}

/// The function in place of a network, of one row of ids.
models::ClipTextModel::Output toyStates(const std::vector<int64_t>& ids) {
    at::Tensor states = at::empty({1, static_cast<int64_t>(ids.size()), kWidth});
    float* values = states.data_ptr<float>();
    for (size_t i = 0; i < ids.size(); ++i) {
        for (int64_t c = 0; c < kWidth; ++c) {
            const auto remainder = static_cast<double>((ids[i] * (c + 3)) % 101);
            *values++ = static_cast<float>(remainder / 50 - 1 + 0.1 * static_cast<double>(i));
        }
    }
    return {.embeds = states, .pooled = states.mean(1)};
}

at::Tensor tensorOf(const Json& rows) {
    std::vector<float> values;
    for (const Json& row : rows) {
        for (const Json& value : row) {
            values.push_back(value.get<float>());
        }
    }
    return at::tensor(values).view({1, -1, kWidth});
}

}  // namespace

class ComfyUiPromptsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        QVERIFY(QDir(folder_.path()).mkpath("embeddings"));
        for (const auto& [name, vectors] : {std::pair("good", 2), std::pair("other", 1)}) {
            const std::vector<float> values(static_cast<size_t>(vectors * kWidth), 0.5F);
            const std::string bytes(reinterpret_cast<const char*>(values.data()),
                                    values.size() * sizeof(float));
            const QString path = folder_.filePath(QString("embeddings/%1.safetensors").arg(name));
            testing::writeTensorFile(
                path.toStdString(),
                {{"emb_params", {.type = DType::F32, .shape = {vectors, kWidth}, .bytes = bytes}}});
        }
    }

    void prompts_data() {
        const testing::Rows<int> row("index");
        QCOMPARE(made().at("prompts").size(), size_t{82});
        for (int i = 0; i < static_cast<int>(made().at("prompts").size()); ++i) {
            row(QString("%1").arg(i).toStdString(), i);
        }
    }

    void prompts() {
        QFETCH(int, index);
        const Json& wanted = made().at("prompts")[static_cast<size_t>(index)];
        const auto text = wanted.at("text").get<std::string>();
        const std::vector<WeightedPart> parts = models::parseComfyUiPrompt(text);
        QVERIFY2(arePieces(parts, wanted.at("pieces")), qPrintable(shown(parts)));

        const std::vector<std::string> locations = {folder_.path().toStdString()};
        const models::EmbeddingLibrary library(models::embeddingFolders(locations),
                                               std::make_shared<models::EmbeddingCache>());
        models::PromptTokens tokens(clip_, {.library = &library, .width = kWidth});
        const auto cut = [&] {
            return models::cutPrompt(tokens, PromptWeights::ComfyUi, text, "prompt");
        };
        if (refusedPrompts().contains(text)) {
            const auto error = testing::errorOf([&] { (void)cut(); });
            QVERIFY(error.has_value() && error->kind() == ErrorKind::InvalidInput);
            return;
        }
        const CutPrompt prompt = cut();
        QCOMPARE(prompt.chunks.size(), wanted.at("chunks").size());
        for (size_t i = 0; i < prompt.chunks.size(); ++i) {
            compareChunk(prompt.chunks[i], wanted.at("chunks")[i]);
        }
    }

    void numbersAreThoseOfPython_data() {
        const testing::Rows<QString, bool, double> row("text", "isNumber", "value");
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const auto number = [&](const char* text, double value) {
            row(QString("number %1").arg(text).toStdString(), QString::fromUtf8(text), true, value);
        };
        number("1_0", 10);
        number("1_0.0_1", 10.01);
        number("\xEF\xBC\x91_\xEF\xBC\x90", 10);  // full-width digits
        number("\xD9\xA3.\xD9\xA5", 3.5);         // Arabic ones
        number("\xF0\x9D\x9F\x99", 1);            // a double-struck one, after its zero
        number(
            "\xC2\xA0"
            "1\xE3\x80\x80",
            1);  // no-break and ideographic space
        number("\t 1\n", 1);
        number("+.5", 0.5);
        number("-2.", -2);
        number("5E-1", 0.5);
        number("-INF", -kInfinity);
        number("infinity", kInfinity);
        number("1e999", kInfinity);
        number("-1e999", -kInfinity);
        number("1e-999", 0);
        number("0.000e99999999999", 0);
        number("1e99999999999", kInfinity);
        number("1e-99999999999", 0);
        for (const char* text : {"",
                                 " ",
                                 "1__0",
                                 "_1",
                                 "1_",
                                 "1_e5",
                                 "1e_5",
                                 "nan(1)",
                                 "0x10",
                                 "1._0",
                                 "1e",
                                 "e5",
                                 ".",
                                 ".e1",
                                 "+ 5",
                                 "+-5",
                                 "1.2.3",
                                 "1,5",
                                 "inf1",
                                 "\xE2\x88\x92"
                                 "1",
                                 "1\xFF",
                                 "\x1C"
                                 "1"}) {
            row(QString("none %1").arg(QString::fromLatin1(text)).toStdString(),
                QString::fromLatin1(text),
                false,
                0);
        }
    }

    void numbersAreThoseOfPython() {
        QFETCH(QString, text);
        QFETCH(bool, isNumber);
        QFETCH(double, value);
        const std::optional<double> number =
            models::pythonNumber(isNumber ? text.toStdString() : text.toLatin1().toStdString());
        QCOMPARE(number.has_value(), isNumber);
        QVERIFY(!number || *number == value);
    }

    void notANumberIsOne() {
        for (const char* text : {"nan", "+NaN", " -nan "}) {
            const std::optional<double> number = models::pythonNumber(text);
            QVERIFY(number.has_value() && std::isnan(*number));
        }
    }

    void encoders_data() {
        const testing::Rows<int, int> row("encoder", "text");
        const Json& encoders = made().at("encoders");
        QCOMPARE(encoders.size(), size_t{11});
        for (int i = 0; i < static_cast<int>(encoders.size()); ++i) {
            const Json& encoder = encoders[static_cast<size_t>(i)];
            for (int k = 0; k < static_cast<int>(encoder.at("texts").size()); ++k) {
                row(encoder.at("name").get<std::string>() + ", " + std::to_string(k), i, k);
            }
        }
    }

    /// Ids of other vocabularies. No family here gives weights to texts for a language model.
    void encoders() {
        QFETCH(int, encoder);
        QFETCH(int, text);
        const Json& kind = made().at("encoders")[static_cast<size_t>(encoder)];
        const Json& wanted = kind.at("texts")[static_cast<size_t>(text)];
        const std::vector<int64_t> all =
            filledUp(wanted.at("ids").get<std::vector<int64_t>>(), wanted);
        const Json& stated = wanted.at("weights");
        if (kind.at("tokenizer") == "t5") {
            models::TokenizedPrompt prompt = models::comfyUiTokens(
                t5_, kind.at("least"), wanted.at("text").get<std::string>(), "prompt");
            QCOMPARE(prompt.ids, all);
            prompt.weights.resize(prompt.ids.size(), 1);
            for (size_t i = 0; i < all.size(); ++i) {
                QCOMPARE(prompt.weights[i], i < stated.size() ? stated[i].get<float>() : 1.0F);
                QCOMPARE(prompt.mask[i], int64_t{all[i] == 0 ? 0 : 1});
            }
            return;
        }
        std::string written = kind.at("template").get<std::string>();
        written.replace(written.find("{}"), 2, wanted.at("text").get<std::string>());
        std::vector<WeightedPart> parts = {{.text = written}};
        if (kind.at("reads_weights").get<bool>()) {
            parts = models::parseComfyUiPrompt(written);
        }
        std::vector<int64_t> ids;
        std::vector<double> weights;
        for (const WeightedPart& part : parts) {
            const std::vector<models::TokenId> own = qwen_.tokensOf(part.text, "prompt");
            ids.insert(ids.end(), own.begin(), own.end());
            weights.resize(ids.size(), part.weight);
        }
        constexpr int64_t kEndOfText = 151643;
        ids.resize(std::max(ids.size(), all.size()), kEndOfText);
        QCOMPARE(ids, all);
        weights.resize(std::max(weights.size(), stated.size()), 1);
        for (size_t i = 0; i < weights.size(); ++i) {
            QCOMPARE(weights[i], i < stated.size() ? stated[i].get<double>() : 1.0);
        }
    }

    void arithmetic_data() {
        const testing::Rows<int> row("index");
        const Json& cases = made().at("arithmetic");
        QCOMPARE(cases.size(), size_t{3});
        for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
            row(cases[static_cast<size_t>(i)].at("name").get<std::string>(), i);
        }
    }

    void arithmetic() {
        QFETCH(int, index);
        const Json& wanted = made().at("arithmetic")[static_cast<size_t>(index)];
        CutPrompt prompt;
        for (const Json& row : wanted.at("chunks")) {
            PromptChunk& chunk = prompt.chunks.emplace_back();
            for (const Json& pair : row) {
                chunk.ids.push_back(pair[0].get<int64_t>());
                chunk.weights.push_back(pair[1].get<float>());
            }
            chunk.mask.resize(chunk.ids.size(), 1);
            chunk.parts.resize(chunk.ids.size(), PromptChunk::kNoPart);
        }
        const std::vector<int64_t> empty = {49406, 49407, 49407, 49407, 49407, 49407};
        const models::WeightedEmbedding embedding(prompt, PromptWeights::ComfyUi, empty, -1);
        QCOMPARE(embedding.rows().size(), wanted.at("rows").size());
        std::vector<models::ClipTextModel::Output> states;
        for (size_t i = 0; i < embedding.rows().size(); ++i) {
            QCOMPARE(embedding.rows()[i].ids, wanted.at("rows")[i].get<std::vector<int64_t>>());
            states.push_back(toyStates(embedding.rows()[i].ids));
        }
        const models::ClipTextModel::Output output = embedding.of(states);
        constexpr double kWritten = 2e-6;  // six decimals are stated
        const at::Tensor embeds = tensorOf(wanted.at("embeds"));
        QVERIFY(output.embeds.sizes() == embeds.sizes());
        QVERIFY((output.embeds - embeds).abs().max().item<double>() < kWritten);
        const at::Tensor pooled = at::tensor(wanted.at("pooled").get<std::vector<float>>());
        QVERIFY((output.pooled[0] - pooled).abs().max().item<double>() < kWritten);
    }

private:
    static void compareChunk(const PromptChunk& chunk, const Json& wanted) {
        std::vector<int64_t> ids;
        for (const Json& id : wanted.at("ids")) {
            ids.push_back(id.is_number() ? id.get<int64_t>() : kVectors);
        }
        const std::vector<int64_t> all = filledUp(ids, wanted);
        std::vector<int64_t> seen = chunk.ids;
        for (const models::TokenOverride& own : chunk.overrides) {
            for (int64_t i = 0; i < own.count; ++i) {
                QVERIFY(seen[static_cast<size_t>(own.position + i)] >= kClipTokens);
                seen[static_cast<size_t>(own.position + i)] = kVectors;
            }
        }
        QCOMPARE(seen, all);
        const Json& weights = wanted.at("weights");
        const Json& pieces = wanted.at("pieces");
        for (size_t i = 0; i < seen.size(); ++i) {
            const double weight = i < weights.size() ? weights[i].get<double>() : 1;
            QCOMPARE(chunk.weights[i], static_cast<float>(weight));
            QCOMPARE(chunk.parts[i] + 1, i < pieces.size() ? pieces[i].get<int64_t>() : int64_t{0});
        }
    }

    static constexpr int64_t kVectors = -1;

    QTemporaryDir folder_;
    BuiltInFiles clipFiles_{"clip"};
    BuiltInFiles t5Files_{"t5"};
    BuiltInFiles qwenFiles_{"qwen"};
    models::ClipTokenizer clip_{clipFiles_, "tokenizer", 77};
    models::UnigramTokenizer t5_{t5Files_, "tokenizer"};
    models::ByteLevelTokenizer qwen_{qwenFiles_, "tokenizer"};
};

LOWTIDE_TEST(ComfyUiPromptsTest)

}  // namespace comfyui_prompts_test

#include "comfyui_prompts_test.moc"
