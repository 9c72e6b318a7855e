#include "plugin/models/experts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/sampling/sampler.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

constexpr const char* kCfg2 = "cfg_2";
constexpr const char* kBoundary = "boundary";

void requireExperts(const ModelInfo& info, double value, const char* param) {
    requireThat(value == 0 || info.boundaryRatio > 0,
                std::string(param) + " is " + formatNumber(value) + ", and " + info.checkpoint +
                    " has one denoiser",
                "set it to 0; it is for models of two experts (WAN 2.2)",
                param);
}

}  // namespace

std::optional<sampling::SecondExpert> secondExpertFor(const Model& model,
                                                      const DenoiseRequest& request) {
    requireThat(std::isfinite(request.cfg2) && request.cfg2 >= 0,
                "the guidance of the second expert is " + formatNumber(request.cfg2),
                "choose a number above 0, or 0 for that of the first",
                kCfg2);
    requireThat(request.boundary >= 0 && request.boundary <= 1,
                "the boundary is " + formatNumber(request.boundary),
                "choose a share of the timesteps up to 1, or 0 for the model's own",
                kBoundary);
    const ModelInfo& info = model.info();
    requireExperts(info, request.cfg2, kCfg2);
    requireExperts(info, request.boundary, kBoundary);
    if (info.boundaryRatio == 0) {
        return std::nullopt;
    }
    const double share = request.boundary > 0 ? request.boundary : info.boundaryRatio;
    return sampling::SecondExpert{
        .boundary = share * static_cast<double>(sampling::trainStepsOf(info.schedulerConfig)),
        .guidanceScale = request.cfg2 > 0 ? request.cfg2 : request.cfg};
}

std::vector<std::shared_ptr<const memory::ComponentTree>> denoisersOf(const Model& model) {
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    for (const std::string& role : rolesIn(model, kDenoisers)) {
        trees.push_back(treeIn(model, role));
    }
    return trees;
}

}  // namespace lowtide::models
