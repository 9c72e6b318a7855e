#include "plugin/sampling/two_stage_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

void TwoStageSampler::setLevels(Levels levels, const at::Tensor& middleTimesteps, int64_t ends) {
    levels_ = std::move(levels);
    for (size_t step = 0; step < levels_.middle.size(); ++step) {
        if (sigma(static_cast<int>(step) + 1) == 0) {
            levels_.middle[step] = 0;
        }
    }
    const at::Tensor timesteps = schedule().timesteps;
    const at::Tensor pairs = at::stack({middleTimesteps, timesteps.slice(0, 1)}, 1);
    const at::Tensor sigmas = schedule().sigmas;
    setCalls(at::cat({timesteps.slice(0, 0, 1), pairs.flatten()}),
             at::cat({sigmas.slice(0, 0, 1),
                      at::repeat_interleave(sigmas.slice(0, 1, -1), 2),
                      at::repeat_interleave(sigmas.slice(0, -1), ends)}));
}

std::vector<float> TwoStageSampler::nextSigmas() const {
    std::vector<float> next;
    for (int step = 1; step < schedule().sigmas.size(0); ++step) {
        next.push_back(sigma(step));
    }
    return next;
}

at::Tensor TwoStageSampler::slopeOf(const at::Tensor& /*first*/, const at::Tensor& second) const {
    return second;
}

float TwoStageSampler::inputSigma(int call) const {
    return solverStage(call) == 0 ? sigma(call / 2) : levels_.middle[static_cast<size_t>(call / 2)];
}

at::Tensor TwoStageSampler::scaleInput(const at::Tensor& latents, int call) const {
    return process().scaledInput(latents, inputSigma(call));
}

at::Tensor TwoStageSampler::step(const at::Tensor& prediction,
                                 int call,
                                 const at::Tensor& latents,
                                 const std::function<at::Tensor(at::IntArrayRef)>& noise) {
    const int step = call / 2;
    const float level = inputSigma(call);
    const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
    if (solverStage(call) == 1) {
        const at::Tensor moved = finish(slopeOf(firstSlope_, slope), step, noise);
        begin_.reset();
        firstSlope_.reset();
        return moved;
    }
    const float middle = levels_.middle[static_cast<size_t>(step)];
    if (middle > 0) {
        begin_ = latents;
        firstSlope_ = slope;
    }
    return latents + slope * (middle - level);
}

at::Tensor TwoStageSampler::finish(const at::Tensor& slope,
                                   int step,
                                   const std::function<at::Tensor(at::IntArrayRef)>& noise) const {
    const auto index = static_cast<size_t>(step);
    const at::Tensor moved = begin_ + slope * (levels_.target[index] - sigma(step));
    return levels_.fresh.empty() ? moved : moved + noise(slope.sizes()) * levels_.fresh[index];
}

at::Tensor TwoStageSampler::addNoise(const at::Tensor& clean,
                                     const at::Tensor& noise,
                                     int call) const {
    return process().noised(clean, noise, schedule().sigmas.const_data_ptr<float>()[call]);
}

}  // namespace lowtide::sampling
