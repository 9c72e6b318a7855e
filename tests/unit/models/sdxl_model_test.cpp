// The family of Stable Diffusion XL: what it states, what it refuses, what an empty text means.

#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace sdxl_model_test {

using namespace lowtide;
using nodes::WireRef;
using testing::CheckpointCopy;
using testing::ModelBench;

namespace {

constexpr const char* kIndex = "model_index.json";

using Change = std::function<void(const CheckpointCopy&, const QString& checkpoints)>;

struct Refusal {
    const char* row;
    const char* checkpoint;
    Change change;
    const char* expected;
};

/// Brings a part of another checkpoint into the copy.
void take(const CheckpointCopy& copy, const QString& from, const QString& part) {
    for (const char* name : {"config.json", "diffusion_pytorch_model.safetensors"}) {
        QFile file(from + "/" + part + "/" + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        copy.write(part + "/" + name, file.readAll());
    }
}

std::vector<Refusal> sdxlRefusals() {
    const auto set = [](const char* file, const char* key, Json value) {
        return [=](const CheckpointCopy& copy, const QString&) { copy.set(file, key, value); };
    };
    return {{"a text encoder is missing",
             "sdxl_1",
             set(kIndex, "text_encoder", Json::array({nullptr, nullptr})),
             "the denoiser reads texts 192 wide (cross_attention_dim), the text encoders give 128 "
             "(text_encoder_2)"},
            {"the second text encoder is missing",
             "sdxl_1",
             set(kIndex, "text_encoder_2", Json::array({nullptr, nullptr})),
             "text_encoder_2 is missing, sdxl needs a CLIPTextModelWithProjection"},
            {"no projection",
             "sdxl_1",
             set(kIndex, "text_encoder_2", Json::array({"transformers", "CLIPTextModel"})),
             "text_encoder_2 is a CLIPTextModel, sdxl needs a CLIPTextModelWithProjection"},
            {"another projection",
             "sdxl_1",
             set("text_encoder_2/config.json", "projection_dim", 64),
             "adds 176 values to its time (projection_class_embeddings_input_dim); a pooled text "
             "of 64 with 6 numbers, or a refiner's 5, of 16 each"},
            {"a denoiser that adds nothing",
             "sdxl_1",
             set("unet/config.json", "addition_embed_type", nullptr),
             "adds 0 values to its time"},
            {"a refiner's denoiser in a base",
             "sdxl_1",
             [](const CheckpointCopy& copy, const QString& all) {
                 take(copy, all + "/refiner_0", "unet");
             },
             "the denoiser reads texts 128 wide (cross_attention_dim), the text encoders give 64 "
             "(text_encoder) and 128 (text_encoder_2)"},
            {"a base's denoiser in a refiner",
             "refiner_0",
             [](const CheckpointCopy& copy, const QString& all) {
                 take(copy, all + "/sdxl_0", "unet");
             },
             "the denoiser reads texts 192 wide (cross_attention_dim), the text encoders give 128 "
             "(text_encoder_2)"},
            {"one mean too few",
             "playground_1",
             set("vae/config.json", "latents_mean", Json::array({0.5, 0.5, 0.5})),
             "latents_mean has 3 numbers, needs 4 finite ones"},
            {"a deviation of 0",
             "playground_1",
             set("vae/config.json", "latents_std", Json::array({1, 1, 0, 1})),
             "latents_std has a number that is not above 0"},
            {"a shift of the latents",
             "sdxl_1",
             set("vae/config.json", "shift_factor", 0.5),
             "shift_factor is set, which sdxl does not know"},
            {"tokenizers of two lengths",
             "sdxl_1",
             set("tokenizer_2/tokenizer_config.json", "model_max_length", 40),
             "its tokenizers make 77 and 40 tokens"}};
}

const tensor::Conditioning& conditioningOf(const WireRef& value) {
    return dynamic_cast<const tensor::Conditioning&>(*value);
}

/// Of the numbers that the denoiser reads, in its order.
std::vector<std::string> numbersOf(const models::ModelInfo& info) {
    std::vector<std::string> names;
    for (const models::ConditioningNumber& number : info.conditioning.numbers) {
        names.push_back(number.name);
    }
    return names;
}

std::vector<std::string> encodersOf(const WireRef& model) {
    return models::rolesIn(ModelBench::modelOf(model), models::kTextEncoders);
}

}  // namespace

class SdxlModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { checkpoints_ = testing::sdxlGoldenFolder() + "/checkpoints"; }

    void theBaseReadsTwoTexts() {
        ModelBench bench;
        const WireRef model = load(bench, "sdxl_1");
        const models::ModelInfo& info = ModelBench::modelOf(model).info();
        QCOMPARE(info.family, std::string("sdxl"));
        QCOMPARE(encodersOf(model), (std::vector<std::string>{"text_encoder", "text_encoder_2"}));
        QVERIFY(info.conditioning.takes("prompt_2") && info.conditioning.takes("target_width"));
        QVERIFY(!info.conditioning.takes("aesthetic_score"));
        QCOMPARE(info.conditioning.fields.front().width, int64_t{192});
        QCOMPARE(info.conditioning.fields.back().width, int64_t{80});
        QCOMPARE(info.cachePoints.deepest, 9);
        // As diffusers 0.42.1 puts them together, _get_add_time_ids.
        QCOMPARE(numbersOf(info),
                 (std::vector<std::string>{"original_height",
                                           "original_width",
                                           "crop_top",
                                           "crop_left",
                                           "target_height",
                                           "target_width"}));
    }

    void aRefinerReadsOneTextAndAScore() {
        ModelBench bench;
        const WireRef model = load(bench, "refiner_0");
        const models::ModelInfo& info = ModelBench::modelOf(model).info();
        QCOMPARE(encodersOf(model), std::vector<std::string>{"text_encoder_2"});
        QVERIFY(!info.conditioning.takes("prompt_2") && !info.conditioning.takes("target_width"));
        QVERIFY(info.conditioning.takes("aesthetic_score"));
        QVERIFY(info.conditioning.takes("negative_aesthetic_score"));
        QCOMPARE(
            numbersOf(info),
            (std::vector<std::string>{
                "original_height", "original_width", "crop_top", "crop_left", "aesthetic_score"}));
    }

    void refusesWhatDoesNotFit_data() { testing::addEach(sdxlRefusals(), &Refusal::row); }

    void refusesWhatDoesNotFit() {
        QFETCH(int, index);
        const Refusal refusal = sdxlRefusals()[static_cast<size_t>(index)];
        const CheckpointCopy copy(checkpoints_ + "/" + refusal.checkpoint);
        refusal.change(copy, checkpoints_);
        ModelBench bench;
        const auto error = testing::errorOf([&] { (void)bench.load(copy.path()); });
        QVERIFY(error.has_value());
        QVERIFY2(error->message().str().find(refusal.expected) != std::string::npos,
                 error->message().str().c_str());
        QCOMPARE(error->item(), std::string("checkpoint"));
    }

    void anEmptyNegativeIsWhatTheCheckpointStates_data() {
        const testing::Rows<QString, QString, QString, bool, bool> row(
            "checkpoint", "negative", "negative2", "encodesEmpty", "isZero");
        row("zeros", "sdxl_0", "", "", false, true);
        row("white space", "sdxl_0", " ", "", false, false);
        row("for one encoder", "sdxl_0", "", "dark", false, false);
        row("encoded", "sdxl_1", "", "", false, false);
        row("encoded on demand", "sdxl_0", "", "", true, false);
    }

    /// Zeros of the length of the prompt, however many chunks it has.
    void anEmptyNegativeIsWhatTheCheckpointStates() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, negative);
        QFETCH(QString, negative2);
        QFETCH(bool, encodesEmpty);
        QFETCH(bool, isZero);
        ModelBench bench;
        const WireRef model = load(bench, checkpoint);
        const testing::EncodeRequest request{
            .model = model,
            .prompt = "a cat BREAK a dog",
            .negative = negative.toStdString(),
            .encodesEmpty = encodesEmpty,
            .others = {{{.prompt = {}, .negative = negative2.toStdString()}}},
            .weights = "a1111"};
        const auto prompts = encode(bench, request);
        const at::Tensor embeds = conditioningOf(prompts.negative).tensor("embeds");
        const at::Tensor pooled = conditioningOf(prompts.negative).tensor("pooled");
        const testing::StageSpec spec = testing::spec(bench.stages(), request);
        QCOMPARE(embeds.sizes().vec(), spec.outputs[1].shape);
        QCOMPARE(embeds.size(1), int64_t{isZero ? 154 : 77});
        QCOMPARE(embeds.abs().sum().item<double>() == 0, isZero);
        QCOMPARE(pooled.abs().sum().item<double>() == 0, isZero);
    }

    void textsOfTwoEncodersHaveOneLength_data() {
        QTest::addColumn<bool>("isNegative");
        QTest::newRow("prompt") << false;
        QTest::newRow("negative") << true;
    }

    /// The shorter of two texts is read with empty chunks, and each text by its own encoder.
    void textsOfTwoEncodersHaveOneLength() {
        QFETCH(bool, isNegative);
        ModelBench bench;
        const WireRef model = load(bench, "sdxl_1");
        const auto encodedOf = [&](const std::string& first, const std::string& second) {
            testing::EncodeRequest request{.model = model, .prompt = "one", .weights = "a1111"};
            (isNegative ? request.negative : request.prompt) = first;
            (isNegative ? request.others[0].negative : request.others[0].prompt) = second;
            const auto both = encode(bench, request);
            return isNegative ? both.negative : both.positive;
        };
        const WireRef ofBoth = encodedOf("a cat", "a dog BREAK a bird");
        const WireRef alone = encodedOf("a cat", "");
        const WireRef other = encodedOf("a dog BREAK a bird", "");
        const auto partOf = [](const WireRef& value, int64_t column, int64_t width) {
            return conditioningOf(value).tensor("embeds").narrow(2, column, width);
        };
        const at::Tensor first = partOf(ofBoth, 0, 64);
        QCOMPARE(first.size(1), int64_t{154});
        QVERIFY(at::equal(first.narrow(1, 0, 77), partOf(alone, 0, 64)));
        QVERIFY(at::equal(partOf(ofBoth, 64, 128), partOf(other, 64, 128)));
    }

    /// Each by its parameter; a text that both encoders read is named once.
    void textsThatAreCutAreNamed() {
        ModelBench bench;
        const WireRef model = load(bench, "sdxl_1");
        std::string text;
        for (int i = 0; i < 100; ++i) {
            text += "red ";
        }
        const auto namedIn = [&](const testing::EncodeRequest& request) {
            std::vector<std::string> items;
            for (const Issue& issue : testing::spec(bench.stages(), request).issues) {
                if (issue.code == "prompt_cut") {
                    items.push_back(issue.item);
                }
            }
            return items;
        };
        QCOMPARE(namedIn({.model = model, .prompt = text, .negative = text}),
                 (std::vector<std::string>{"prompt", "negative"}));
        QCOMPARE(
            namedIn(
                {.model = model, .prompt = "a", .others = {{{.prompt = text, .negative = text}}}}),
            (std::vector<std::string>{"prompt_2", "negative_2"}));
    }

    /// What is set, else what the side has by default.
    void condAndUncondHoldTheirOwnNumbers() {
        ModelBench bench;
        const WireRef model = load(bench, "refiner_0");
        const auto prompts = encode(bench,
                                    {.model = model,
                                     .prompt = "a cat",
                                     .numbers = {{"crop_left", 8}, {"aesthetic_score", 7}}});
        const auto heldBy = [](const WireRef& conditioning) {
            return conditioningOf(conditioning).entries().front().numbers;
        };
        QCOMPARE(heldBy(prompts.positive).at("crop_left"), 8.0);
        QCOMPARE(heldBy(prompts.negative).at("crop_left"), 8.0);
        QCOMPARE(heldBy(prompts.positive).at("aesthetic_score"), 7.0);
        QCOMPARE(heldBy(prompts.negative).at("aesthetic_score"), 2.5);
    }

    void precisionIsAsTheAutoencoderNeeds_data() {
        const testing::Rows<QString, QString, QString> row("checkpoint", "preset", "compute");
        row("force_upcast", "sdxl_0", "balanced", "f32");
        row("force_upcast, speed", "sdxl_0", "speed", "f32");
        row("no force_upcast", "sdxl_2", "balanced", "f16");
        row("no force_upcast, quality", "sdxl_2", "quality", "f32");
    }

    /// On a GPU: a half precision that overflows is not computed first.
    void precisionIsAsTheAutoencoderNeeds() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, preset);
        QFETCH(QString, compute);
        ModelBench bench;
        const WireRef value = load(bench, checkpoint);
        const models::Model& model = ModelBench::modelOf(value);
        const auto resolved = [&](std::string_view role) {
            return memory::resolvePrecision({.preset = preset.toStdString()},
                                            model.precisions(),
                                            std::string(role),
                                            memory::NumericTraits::ofCuda(86),
                                            [&] { return fileTypesOf(*model.tree(role)); });
        };
        QCOMPARE(memory::shortNameOf(resolved(models::kAutoencoder).compute),
                 compute.toStdString());
        QCOMPARE(resolved(models::kAutoencoder).checksFinite, compute == "f16");
        const bool isExact = preset == "quality";
        for (const std::string& role : models::rolesIn(model, models::kTextEncoders)) {
            QCOMPARE(memory::shortNameOf(resolved(role).compute),
                     std::string(isExact ? "f32" : "f16"));
        }
    }

    void whoSumsInHalfIsSeenByTheSchedule_data() {
        const testing::Rows<QString, bool> row("checkpoint", "sumsInHalf");
        row("base", "sdxl_1", false);
        row("velocity", "sdxl_2", false);
        row("refiner", "refiner_0", false);
        row("playground", "playground_1", true);
    }

    /// Under `speed` on a GPU.
    void whoSumsInHalfIsSeenByTheSchedule() {
        QFETCH(QString, checkpoint);
        QFETCH(bool, sumsInHalf);
        ModelBench bench;
        const WireRef value = load(bench, checkpoint);
        const models::Model& model = ModelBench::modelOf(value);
        const auto precision =
            memory::resolvePrecision({.preset = "speed"},
                                     model.precisions(),
                                     std::string(models::kDenoiser),
                                     memory::NumericTraits::ofCuda(86),
                                     [&] { return fileTypesOf(*model.tree(models::kDenoiser)); });
        QVERIFY(precision.stateOf(memory::NumericSwitch::MatmulHalfAccumulation) ==
                (sumsInHalf ? memory::SwitchState::On : memory::SwitchState::Off));
        QCOMPARE(precision.notes.size(), size_t{1});
    }

    /// One latent space at two scales: the same latents of the autoencoder look the same.
    void previewsAreAtTheScaleOfTheLatents() {
        ModelBench bench;
        const WireRef base = load(bench, "sdxl_1");
        const WireRef playground = load(bench, "playground_1");
        const at::Tensor moments =
            at::cat({at::linspace(-9, 9, 4 * 4).view({1, 4, 2, 2}), at::zeros({1, 4, 2, 2})}, 1);
        const auto looks = [&](const WireRef& value) {
            const models::Model& model = ModelBench::modelOf(value);
            return models::rgbOf(models::forDenoiser(model.info().latent, moments).mean[0],
                                 *model.info().latentToRgb);
        };
        QVERIFY(at::allclose(looks(base), looks(playground), 1e-5, 1e-6));
        QVERIFY(looks(base).std().item<double>() > 0.01);
    }

private:
    [[nodiscard]] WireRef load(ModelBench& bench, const QString& name) const {
        return bench.load((checkpoints_ + "/" + name).toStdString());
    }

    static testing::EncodeResult encode(ModelBench& bench, const testing::EncodeRequest& request) {
        const models::Model& model = ModelBench::modelOf(request.model);
        std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
        for (const std::string& role : models::rolesIn(model, models::kTextEncoders)) {
            trees.push_back(model.tree(role));
        }
        testing::EncodeResult result;
        bench.runWith(trees, [&] {
            result = testing::encodePrompt(bench.stages(), request, bench.call("encode"));
        });
        return result;
    }

    QString checkpoints_;
};

LOWTIDE_TEST(SdxlModelTest)

}  // namespace sdxl_model_test

#include "sdxl_model_test.moc"
