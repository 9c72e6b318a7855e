// Weighted prompts, chunks and several conditionings against their definitions over diffusers'
// networks.

#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/prompt_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <numeric>

namespace prompts_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ConditioningEdit;
using testing::EncodeRequest;
using testing::EncodeResult;
using testing::ModelBench;
using testing::PromptBench;

namespace {

constexpr const char* kCases = "tests/unit/models/prompt_cases.json";
constexpr double kEqualPredictions = 1e-5;  ///< of the mean of two equal ones

Json readCases() {
    QFile file(testing::sourcePath(kCases));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("there is no prompt_cases.json");
    }
    return parseJson(file.readAll().toStdString(), "prompt_cases.json");
}

QString madeGoldens() {
    const QString script = testing::sourcePath("tests/unit/models/make_prompt_goldens.py");
    const QString cases = testing::sourcePath(kCases);
    const QString folder =
        testing::goldenFolder() + "/prompts-" + testing::hashOfScript(script, {cases});
    testing::runReference({script,
                           testing::sourcePath("tests/golden/reference"),
                           testing::goldenFolder() + "/checkpoints",
                           cases,
                           folder});
    return folder + "/prompts.safetensors";
}

bool haveSameBits(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() &&
           std::memcmp(
               a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(), a.nbytes()) == 0;
}

/// The rows of one list of the cases.
testing::DenoiseRequest smallRequest(PromptBench& bench) {
    return {.model = bench.model(),
            .positive = bench.prompt("a cat"),
            .negative = bench.prompt("dark"),
            .latent = bench.emptyLatent(96, 64, 1),
            .steps = 3,
            .cfg = 4,
            .seed = 2,
            .sampler = "euler"};
}

ConditioningEdit areaOf(const WireRef& conditioning, int64_t width, int64_t height) {
    return {.edit = testing::AreaEdit{.area = {.widthPixels = width, .heightPixels = height}},
            .first = conditioning};
}

}  // namespace

class PromptsTest : public QObject {
    Q_OBJECT

    testing::PromptBenches benches_;

private Q_SLOTS:

    void initTestCase() {
        cases_ = readCases();
        truth_ = testing::readTensorFile(madeGoldens().toStdString());
    }

    void embeddingsAreThoseOfTheDefinition_data() { testing::addCaseRows(cases_.at("encode")); }

    void embeddingsAreThoseOfTheDefinition() {
        QFETCH(int, index);
        const Json& test = cases_.at("encode").at(static_cast<size_t>(index));
        PromptBench& bench = benches_.of(test.at("checkpoint"));
        const QTemporaryDir folder;
        const EncodeRequest request{
            .model = bench.model(),
            .prompt = test.at("text"),
            .negative = test.at("text"),
            .clipSkip = test.value("clip_skip", -1),
            .weights = test.at("weights"),
            .graphFolder = bench.withEmbeddings(test, folder.path().toStdString())};

        const EncodeResult result = bench.encode(request);

        for (const WireRef& conditioning : {result.positive, result.negative}) {
            QCOMPARE(
                testing::disagreement(truth_,
                                      "embeds." + test.at("name").get<std::string>(),
                                      PromptBench::conditioningOf(conditioning).tensor("embeds")),
                std::string());
        }
        QVERIFY(testing::spec(bench.stages(), request).issues.empty());
    }

    /// diffusers' clip_skip is an argument of the prompt alone.
    void withoutWeightsTheNegativePromptKeepsItsLayers() {
        PromptBench& bench = benches_.of("sd15_0");
        EncodeRequest request{.model = bench.model(), .prompt = "a cat", .negative = "a cat"};
        const WireRef whole = bench.encode(request).positive;
        request.clipSkip = 1;

        const EncodeResult skipped = bench.encode(request);

        const auto embedsOf = [](const WireRef& conditioning) {
            return PromptBench::conditioningOf(conditioning).tensor("embeds");
        };
        QVERIFY(haveSameBits(embedsOf(skipped.negative), embedsOf(whole)));
        QVERIFY(!haveSameBits(embedsOf(skipped.positive), embedsOf(whole)));
    }

    void whatIsNotReadIsReportedBeforeTheRun() {
        PromptBench& bench = benches_.of("sd15_2");
        std::string longText;
        for (int i = 0; i < 40; ++i) {
            longText += "cat ";
        }
        EncodeRequest request{
            .model = bench.model(), .prompt = longText, .negative = "a (fox:1.2) <lora:pony:1>"};

        const Issues none = testing::spec(bench.stages(), request).issues;
        request.weights = "a1111";
        const Issues a1111 = testing::spec(bench.stages(), request).issues;

        QCOMPARE(none.size(), size_t{2});
        QCOMPARE(none[0].code, std::string("prompt_cut"));
        QCOMPARE(none[0].item, std::string("prompt"));
        QVERIFY2(none[0].message.str().starts_with("18 tokens"), none[0].message.str().c_str());
        QCOMPARE(none[1].code, std::string("prompt_syntax"));
        QCOMPARE(none[1].item, std::string("negative"));
        QVERIFY(none[1].message.str().find("(fox:1.2)") != std::string::npos);
        QVERIFY(none[1].message.str().find("<lora:pony:1>") != std::string::npos);
        // No token is lost and the weight is read; what no mode reads is still reported.
        QCOMPARE(a1111.size(), size_t{1});
        QCOMPARE(a1111[0].code, std::string("prompt_syntax"));
        QVERIFY(a1111[0].message.str().find("fox") == std::string::npos);
    }

    void imagesFollowSeveralPrompts_data() { testing::addCaseRows(cases_.at("denoise")); }

    void imagesFollowSeveralPrompts() {
        QFETCH(int, index);
        const Json& test = cases_.at("denoise").at(static_cast<size_t>(index));
        PromptBench& bench = benches_.of(test.at("checkpoint"));
        const at::Tensor latents =
            bench.denoise({.model = bench.model(),
                           .positive = bench.built(test.at("graph")),
                           .negative = bench.prompt("dark"),
                           .latent = bench.emptyLatent(
                               test.at("width"), test.at("height"), test.value("batch", 1)),
                           .steps = test.at("steps"),
                           .cfg = test.at("cfg"),
                           .seed = test.at("seed"),
                           .sampler = "ddim"});
        QCOMPARE(
            testing::disagreement(truth_, "latents." + test.at("name").get<std::string>(), latents),
            std::string());
    }

    void weightsOfOneChangeNoBit_data() {
        const testing::Rows<QString, QString> row("weights", "text");
        row("a1111, none", "a1111", "a photo of a cat, red");
        row("a1111, ones", "a1111", "a (photo:1.0) of a (cat:1), (red:1.00)");
        row("compel, none", "compel", "a photo of a cat, red");
        row("compel, ones", "compel", "a (photo)1 of (a cat,)1.0 red");
    }

    void weightsOfOneChangeNoBit() {
        QFETCH(QString, weights);
        QFETCH(QString, text);
        PromptBench& bench = benches_.of("sd15_0");
        const WireRef plain = bench.prompt("a photo of a cat, red");
        const EncodeResult weighted = bench.encode({.model = bench.model(),
                                                    .prompt = text.toStdString(),
                                                    .weights = weights.toStdString()});
        QVERIFY(haveSameBits(PromptBench::conditioningOf(plain).tensor("embeds"),
                             PromptBench::conditioningOf(weighted.positive).tensor("embeds")));
        QVERIFY(haveSameBits(PromptBench::conditioningOf(plain).tensor("pooled"),
                             PromptBench::conditioningOf(weighted.positive).tensor("pooled")));
    }

    /// All that one encoder reads goes through its layers together: its weights come once.
    void weightsComeOnceForAllChunks_data() {
        const testing::Rows<QString, QString, int> row("weights", "text", "forwards");
        row("both prompts", "none", "a cat", 1);
        row("chunks", "a1111", "a (cat:1.2) BREAK a dog BREAK a fox", 1);
        row("hidden parts", "compel", "a photo-- of a (cat)0.4 and a dog-", 1);
        row("more than go together",
            "a1111",
            "a BREAK b BREAK c BREAK d BREAK e BREAK f BREAK "
            "g BREAK h",
            2);
    }

    void weightsComeOnceForAllChunks() {
        QFETCH(QString, weights);
        QFETCH(QString, text);
        QFETCH(int, forwards);
        PromptBench& bench = benches_.of("sd15_0");
        const testing::StageSpec spec =
            testing::spec(bench.stages(),
                          testing::EncodeRequest{.model = bench.model(),
                                                 .prompt = text.toStdString(),
                                                 .negative = "dark",
                                                 .weights = weights.toStdString()});
        QCOMPARE(spec.dryRun({"cpu"}).components.front().forwards, int64_t{forwards});
    }

    void aPromptHasTheBitsThatItHasAlone_data() {
        const testing::Rows<QString, QString> row("weights", "negative");
        row("one more", "a1111", "dark");
        row("many more", "a1111", "a BREAK b BREAK c BREAK d BREAK e BREAK f BREAK g");
        row("hidden parts", "compel", "dark- or (blurry)0.3, night--");
    }

    void aPromptHasTheBitsThatItHasAlone() {
        QFETCH(QString, weights);
        QFETCH(QString, negative);
        PromptBench& bench = benches_.of("sd15_0");
        EncodeRequest request{
            .model = bench.model(), .prompt = "a red cat", .weights = weights.toStdString()};
        const EncodeResult plain = bench.encode(request);
        request.negative = negative.toStdString();

        const EncodeResult batched = bench.encode(request);

        QVERIFY(haveSameBits(PromptBench::conditioningOf(batched.positive).tensor("embeds"),
                             PromptBench::conditioningOf(plain.positive).tensor("embeds")));
        QVERIFY(haveSameBits(PromptBench::conditioningOf(batched.positive).tensor("pooled"),
                             PromptBench::conditioningOf(plain.positive).tensor("pooled")));
        // And on the other side, where rows stand before it.
        std::swap(request.prompt, request.negative);
        QVERIFY(haveSameBits(
            PromptBench::conditioningOf(bench.encode(request).negative).tensor("embeds"),
            PromptBench::conditioningOf(plain.positive).tensor("embeds")));
    }

    void withoutWeightsBracketsAreText() {
        PromptBench& bench = benches_.of("sd15_2");
        const std::string text =
            "(one) two three four five six seven eight nine ten eleven twelve "
            "thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
        const EncodeResult none = bench.encode({.model = bench.model(), .prompt = text});
        const EncodeResult a1111 =
            bench.encode({.model = bench.model(), .prompt = text, .weights = "a1111"});
        QCOMPARE(PromptBench::conditioningOf(none.positive).tensor("embeds").size(1), int64_t{24});
        const int64_t tokens = PromptBench::conditioningOf(a1111.positive).tensor("embeds").size(1);
        QVERIFY(tokens > 24 && tokens % 24 == 0);
    }

    void whatCannotBeIsRefused_data() {
        const testing::Rows<QString, QString, QString, QString> row(
            "weights", "text", "item", "word");
        row("another way", "compell", "a", "weights", "compell");
        row("blend", "compel", "(\"a\", \"b\").blend(1, 1)", "prompt", ".blend");
        row("a huge weight", "a1111", "(a:99999)", "prompt", "99999");
        row("no UTF-8", "a1111", "", "prompt", "UTF-8");
    }

    void whatCannotBeIsRefused() {
        QFETCH(QString, weights);
        QFETCH(QString, text);
        QFETCH(QString, item);
        QFETCH(QString, word);
        PromptBench& bench = benches_.of("sd15_2");
        const EncodeRequest request{.model = bench.model(),
                                    .prompt = text.isEmpty() ? "(\xff)" : text.toStdString(),
                                    .weights = weights.toStdString()};
        const auto error = testing::errorOf([&] { (void)testing::spec(bench.stages(), request); });
        QVERIFY(error.has_value());
        QCOMPARE(QString::fromStdString(error->item()), item);
        QVERIFY2(error->message().str().find(word.toStdString()) != std::string::npos,
                 error->message().str().c_str());
    }

    void specsKnowTheShapes_data() { testing::addCaseRows(cases_.at("encode")); }

    void specsKnowTheShapes() {
        QFETCH(int, index);
        const Json& test = cases_.at("encode").at(static_cast<size_t>(index));
        PromptBench& bench = benches_.of(test.at("checkpoint"));
        const EncodeRequest request{.model = bench.model(),
                                    .prompt = "a cat",
                                    .negative = test.at("text"),
                                    .weights = test.at("weights")};
        const testing::StageSpec spec = testing::spec(bench.stages(), request);
        const EncodeResult result = bench.encode(request);
        const auto shapeOf = [](const WireRef& value) {
            return PromptBench::conditioningOf(value).tensor("embeds").sizes().vec();
        };
        QCOMPARE(spec.output().shape, shapeOf(result.positive));
        QCOMPARE(spec.outputs[1].shape, shapeOf(result.negative));
        QCOMPARE(
            std::accumulate(spec.output().tensors.begin(), spec.output().tensors.end(), Bytes{0}),
            result.positive->bytesOn("cpu"));
    }

    void anAreaOfTheImageChangesNoBit() {
        PromptBench& bench = benches_.of("sd15_2");
        testing::DenoiseRequest request = smallRequest(bench);
        const at::Tensor plain = bench.denoise(request);
        request.positive = bench.edited(areaOf(request.positive, 96, 64));
        QVERIFY(haveSameBits(bench.denoise(request), plain));
    }

    void allTheTimeChangesNoBit() {
        PromptBench& bench = benches_.of("sd15_2");
        testing::DenoiseRequest request = smallRequest(bench);
        const at::Tensor plain = bench.denoise(request);
        request.positive = bench.edited(
            {.edit = testing::TimeEdit{.start = 0, .end = 1}, .first = request.positive});
        QVERIFY(haveSameBits(bench.denoise(request), plain));
    }

    void twoEqualPromptsAreOne() {
        PromptBench& bench = benches_.of("sd15_2");
        testing::DenoiseRequest request = smallRequest(bench);
        const at::Tensor plain = bench.denoise(request);
        request.positive = bench.edited({.edit = testing::CombineEdit{},
                                         .first = request.positive,
                                         .second = request.positive});
        const at::Tensor twice = bench.denoise(request);
        QVERIFY(at::linalg_norm(twice - plain).item<double>() <
                kEqualPredictions * at::linalg_norm(plain).item<double>());
    }

    void theFirstAloneIsTheAverageOfFractionOne() {
        PromptBench& bench = benches_.of("sd15_2");
        const WireRef first = bench.prompt("a cat");
        const WireRef average = bench.edited({.edit = testing::AverageEdit{.fraction = 1},
                                              .first = first,
                                              .second = bench.prompt("a red car")});
        QVERIFY(at::equal(PromptBench::conditioningOf(average).tensor("embeds"),
                          PromptBench::conditioningOf(first).tensor("embeds")));
    }

    void anAverageIsCutOrFilledToTheFirst() {
        PromptBench& bench = benches_.of("sd15_2");
        const WireRef one = bench.prompt("a cat");
        const WireRef two =
            bench.edited({.edit = testing::ConcatEdit{}, .first = one, .second = one});
        const auto half = [&](const WireRef& first, const WireRef& second) {
            return PromptBench::conditioningOf(
                       bench.edited({.edit = testing::AverageEdit{.fraction = 0.5},
                                     .first = first,
                                     .second = second}))
                .tensor("embeds");
        };
        const at::Tensor& embeds = PromptBench::conditioningOf(one).tensor("embeds");
        QVERIFY(at::equal(half(one, two), embeds));
        QVERIFY(at::equal(half(two, one), at::cat({embeds, embeds * 0.5}, 1)));
    }

    void editsThatCannotBeAreRefused_data() {
        const testing::Rows<QString, QString> row("kind", "item");
        row("area without width", "area", "width");
        row("time that ends before it starts", "time", "start");
        row("two prompts appended", "concat", "second");
        row("nothing connected", "nothing", "second");
    }

    void editsThatCannotBeAreRefused() {
        QFETCH(QString, kind);
        QFETCH(QString, item);
        PromptBench& bench = benches_.of("sd15_2");
        const WireRef one = bench.prompt("a cat");
        const WireRef two =
            bench.edited({.edit = testing::CombineEdit{}, .first = one, .second = one});
        const std::map<QString, ConditioningEdit> edits = {
            {"area", areaOf(one, 0, 64)},
            {"time", {.edit = testing::TimeEdit{.start = 0.6, .end = 0.5}, .first = one}},
            {"concat", {.edit = testing::ConcatEdit{}, .first = one, .second = two}},
            {"nothing", {.edit = testing::CombineEdit{}, .first = one}}};
        const auto error = testing::errorOf([&] { (void)bench.edited(edits.at(kind)); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(QString::fromStdString(error->item()), item);
    }

    void textsAreJoinedAsOtherProgramsWriteThem() {
        PromptBench& bench = benches_.of("sd15_2");
        const WireRef cat = bench.prompt("a \"cat\"");
        const WireRef car = bench.prompt("a car");
        const auto textOf = [&](const ConditioningEdit& edit) {
            return PromptBench::conditioningOf(bench.edited(edit)).prompt();
        };
        QCOMPARE(textOf({.edit = testing::CombineEdit{}, .first = cat, .second = car}),
                 std::string("a \"cat\" AND a car"));
        QCOMPARE(textOf({.edit = testing::ConcatEdit{}, .first = cat, .second = car}),
                 std::string("a \"cat\" BREAK a car"));
        QCOMPARE(
            textOf({.edit = testing::AverageEdit{.fraction = 0.75}, .first = cat, .second = car}),
            std::string("(\"a \\\"cat\\\"\", \"a car\").blend(0.75, 0.25)"));
    }

private:
    Json cases_;
    testing::TensorFile truth_;
};

LOWTIDE_TEST(PromptsTest)

}  // namespace prompts_test

#include "prompts_test.moc"
