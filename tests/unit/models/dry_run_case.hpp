#pragma once

#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::testing {

/// One way through the stages at one size, for tests of the dry run.
struct DryRunCase {
    std::string checkpoint = "mini";  ///< or a folder of the golden checkpoints
    int64_t width = 64;
    int64_t height = 64;
    int64_t batch = 1;
    double cfg = 7.5;
    std::string sampler = "ddim";
    int steps = 2;
    double rescale = 0;
    int64_t tile = 0;

    /// "sd15_1 104x72 batch 3 cfg 7.5 ddim".
    [[nodiscard]] std::string name() const;
};

[[nodiscard]] nodes::WireRef loadModel(ModelBench& bench, const std::string& checkpoint);

/// A checkpoint on a device.
struct OpenedModel {
    OpenedModel(const std::string& device, const std::string& checkpoint);

    ModelBench bench;
    nodes::WireRef model;
};

/// Those of a test, each opened once: vocabularies are large.
class OpenedModels {
public:
    [[nodiscard]] OpenedModel& on(const std::string& device, const std::string& checkpoint);

private:
    std::map<std::string, std::unique_ptr<OpenedModel>> models_;
};

/// With an empty latent and without prompts.
[[nodiscard]] DenoiseRequest requestOf(ModelBench& bench,
                                       const nodes::WireRef& model,
                                       const DryRunCase& dryRunCase);
/// What the wires of that request would be.
[[nodiscard]] DenoiseShapes shapesOf(const nodes::WireRef& model, const DryRunCase& dryRunCase);
/// The UNet of sd15_0 with `factor` times the channels, of which only names and shapes exist.
[[nodiscard]] models::UNet2DCondition widenedUNet(int64_t factor);

}  // namespace lowtide::testing
