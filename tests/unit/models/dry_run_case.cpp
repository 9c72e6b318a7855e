#include "tests/unit/models/dry_run_case.hpp"

#include "plugin/base/text.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/truth.hpp"

#include <QFile>

#include <algorithm>
#include <stdexcept>

namespace lowtide::testing {

std::string DryRunCase::name() const {
    return checkpoint + " " + std::to_string(width) + "x" + std::to_string(height) + " batch " +
           std::to_string(batch) + " cfg " + formatNumber(cfg) + " " + sampler +
           (rescale > 0 ? " rescaled" : "") +
           (tile > 0 ? " tile " + std::to_string(tile) : std::string());
}

nodes::WireRef loadModel(ModelBench& bench, const std::string& checkpoint) {
    return bench.load(checkpoint == "mini" ? miniModel() : goldenCheckpoint(checkpoint));
}

OpenedModel::OpenedModel(const std::string& device, const std::string& checkpoint)
    : bench({.kind = device}), model(loadModel(bench, checkpoint)) {}

OpenedModel& OpenedModels::on(const std::string& device, const std::string& checkpoint) {
    std::unique_ptr<OpenedModel>& opened = models_[device + " " + checkpoint];
    if (!opened) {
        opened = std::make_unique<OpenedModel>(device, checkpoint);
    }
    return *opened;
}

DenoiseRequest requestOf(ModelBench& bench,
                         const nodes::WireRef& model,
                         const DryRunCase& dryRunCase) {
    return {.model = model,
            .latent = testing::run(bench.stages(),
                                   EmptyLatentRequest{.widthPixels = dryRunCase.width,
                                                      .heightPixels = dryRunCase.height,
                                                      .batch = dryRunCase.batch},
                                   {})
                          .front(),
            .steps = dryRunCase.steps,
            .cfg = dryRunCase.cfg,
            .sampler = dryRunCase.sampler,
            .guidanceRescale = dryRunCase.rescale};
}

DenoiseShapes shapesOf(const nodes::WireRef& model, const DryRunCase& dryRunCase) {
    const models::PromptsSpec prompts = ModelBench::modelOf(model).promptsSpec({});
    return {.positive = prompts.positive.shape(),
            .negative = prompts.negative.shape(),
            .positiveEntries = prompts.positive.onHost(),
            .negativeEntries = prompts.negative.onHost(),
            .latentKind = emptyLatentSpec(dryRunCase.width, dryRunCase.height, dryRunCase.batch)};
}

models::UNet2DCondition widenedUNet(int64_t factor) {
    const std::string root = goldenCheckpoint("sd15_0");
    QFile file(QString::fromStdString(root + "/unet/config.json"));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("the golden checkpoint has no config");
    }
    models::UNet2DConfig config =
        models::readUNet2DConfig(parseJson(file.readAll().toStdString(), "config"), "config");
    models::WeightMap weights = models::openWeights(root, "unet", "diffusion_pytorch_model");
    config.timeWidth *= factor;
    for (models::UNetLevel& level : config.levels) {
        level.channels *= factor;
        level.contextWidth *= factor;
    }
    for (auto& [name, location] : weights.tensors) {
        for (size_t axis = 0; axis < std::min<size_t>(location.shape.size(), 2); ++axis) {
            const bool isLatent = location.shape[axis] == config.inChannels;
            location.shape[axis] *= isLatent ? 1 : factor;
        }
    }
    return {config, weights, models::kDenoiser};
}

}  // namespace lowtide::testing
