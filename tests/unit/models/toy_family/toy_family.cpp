#include "tests/unit/models/toy_family/toy_family.hpp"

#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::testing {

namespace {

using models::ComponentDesc;
using models::TextPair;

std::vector<ComponentDesc> toyComponents() {
    std::vector<ComponentDesc> components;
    for (const std::string& role : kToyEncoders) {
        components.push_back({.role = role, .label = "Toy " + role});
    }
    components.push_back({.role = kToyImageEncoder, .label = "Toy image encoder"});
    components.push_back({.role = std::string(models::kDenoiser), .label = "Toy denoiser"});
    components.push_back({.role = std::string(models::kAutoencoder), .label = "Toy autoencoder"});
    return components;
}

const memory::FamilyPrecision& toyPrecisions() {
    static const memory::FamilyPrecision precisions = [] {
        std::map<std::string, memory::ComponentPreset> preset;
        for (const ComponentDesc& component : toyComponents()) {
            preset[component.role] = {.storage = DType::F16, .compute = DType::F16};
        }
        return memory::FamilyPrecision{
            .presets = {{"quality", preset}, {"balanced", preset}, {"speed", preset}},
            .keptF32 = {},
            .keptFromF8 = {},
            .mayOverflow = {}};
    }();
    return precisions;
}

class ToyModel final : public models::FamilyModel {
public:
    explicit ToyModel(models::Checkpoint& checkpoint)
        : unet_(models::openUNet(checkpoint)), autoencoder_(models::openAutoencoder(checkpoint)) {
        for (const std::string& role : kToyEncoders) {
            encoders_.push_back(encoderOf(checkpoint, role));
        }
        encoders_.push_back(encoderOf(checkpoint, kToyImageEncoder));
        std::vector<models::TreeSource> sources = {models::openedSource(unet_.tree()),
                                                   models::openedSource(autoencoder_.tree())};
        for (const auto& encoder : encoders_) {
            sources.push_back(encoder->treeSource());
        }
        setComponents(toyComponents(), std::move(sources));
        info_.family = "toy";
        info_.checkpoint = checkpoint.name();
        info_.schedulerConfig = models::readScheduler(checkpoint);
        info_.latent = latentSpaceOf(autoencoder_.config());
        info_.conditioning = {
            .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text().config().width}}};
        info_.files = checkpoint.files();
    }

    [[nodiscard]] const models::ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return toyPrecisions();
    }

    [[nodiscard]] models::PromptsSpec promptsSpec(
        const models::PromptRequest& request) const override {
        const TextPair texts = textsOf(request);
        const auto specOf = [&](const models::CutPrompt& branch) {
            return models::ConditioningSpec(
                info_.conditioning.fields,
                {{.tensors = {
                      {tensor::kEmbeds, {1, texts.tokensOf(branch), text().config().width}}}}});
        };
        return {.positive = specOf(texts.positive()), .negative = specOf(texts.negative())};
    }

    [[nodiscard]] models::EncodedPrompts encodePrompts(
        models::StageContext& context, const models::PromptRequest& request) const override {
        const TextPair texts = textsOf(request);
        const auto count = static_cast<double>(kToyEncoders.size());
        at::Tensor positive;
        at::Tensor negative;
        for (size_t i = 0; i < kToyEncoders.size(); ++i) {
            const models::ClipTextModel& model = encoders_[i]->model();
            models::Forward forward(context, *model.tree());
            const TextPair::Outputs outputs = texts.encode(forward, model, "_" + std::to_string(i));
            const at::Tensor own = outputs.positive.embeds / count;
            const at::Tensor other = outputs.negative.embeds / count;
            positive = i == 0 ? own : positive + own;
            negative = i == 0 ? other : negative + other;
        }
        context.record.put("embeds.prompt", positive);
        const auto conditioningOf = [&](const at::Tensor& embeds) {
            return std::make_shared<const tensor::Conditioning>(
                info_.conditioning.fields,
                std::vector<tensor::ConditioningEntry>{{.tensors = {{tensor::kEmbeds, embeds}}}},
                std::string(),
                -1);
        };
        return {.positive = conditioningOf(positive), .negative = conditioningOf(negative)};
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        models::StageContext& context, const models::DenoiserRequest& request) const override {
        return std::make_unique<models::UNet2DDenoiser>(context, unet_, request);
    }

    [[nodiscard]] at::Tensor decode(models::StageContext& context,
                                    const at::Tensor& latents) const override {
        models::Forward forward(context, *autoencoder_.tree());
        return autoencoder_.decode(forward, latents);
    }

    [[nodiscard]] at::Tensor encode(models::StageContext& context,
                                    const at::Tensor& pixels) const override {
        models::Forward forward(context, *autoencoder_.tree());
        return autoencoder_.encode(forward, pixels);
    }

private:
    static std::unique_ptr<const models::ClipEncoder> encoderOf(models::Checkpoint& checkpoint,
                                                                const std::string& role) {
        return std::make_unique<const models::ClipEncoder>(
            checkpoint, "tokenizer", models::ClipTextUse{.role = role});
    }

    [[nodiscard]] const models::ClipEncoder& text() const { return *encoders_.front(); }

    [[nodiscard]] TextPair textsOf(const models::PromptRequest& request) const {
        return {text().tokenizer(),
                models::promptWeightsNamed(request.weights),
                {.text = request.prompt, .parameter = "prompt", .clipSkip = -1},
                {.text = request.negative, .parameter = "negative", .clipSkip = -1}};
    }

    models::UNet2DCondition unet_;
    models::AutoencoderKL autoencoder_;
    std::vector<std::unique_ptr<const models::ClipEncoder>> encoders_;  ///< the image's last
    models::ModelInfo info_;
};

}  // namespace

const models::Family& toyFamily() {
    static const models::Family family{
        .name = "toy",
        .components = toyComponents(),
        .detect =
            [](const models::Checkpoint& checkpoint) {
                return checkpoint.pipelineClass() == kToyPipeline;
            },
        .open = [](models::Checkpoint& checkpoint) -> std::shared_ptr<const models::Model> {
            return std::make_shared<const ToyModel>(checkpoint);
        }};
    return family;
}

ToyCheckpoint::ToyCheckpoint() {
    copy_.set("model_index.json", "_class_name", kToyPipeline);
    const QString encoder = sourcePath("resources/mini/model/text_encoder");
    for (const std::string& role : kToyEncoders) {
        if (role != kToyEncoders.front()) {
            copyFolder(encoder, copy_.file(QString::fromStdString(role)));
        }
    }
    copyFolder(encoder, copy_.file(kToyImageEncoder));
}

}  // namespace lowtide::testing
