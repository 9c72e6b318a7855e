#include "plugin/models/controls/control_pass.hpp"

#include "plugin/models/conditioning/placed_entries.hpp"
#include "plugin/models/controls/control_network.hpp"
#include "plugin/models/walk/walked_passes.hpp"
#include "plugin/sampling/step_info.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_resize.hpp"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace lowtide::models {

namespace {

/// Of residual `index` of `count`.
double depthScale(ControlMode mode, size_t index, size_t count) {
    constexpr double kPromptBase = 0.825;
    const double behind = static_cast<double>(count - 1 - index);
    switch (mode) {
        case ControlMode::Guess:
            return std::pow(10.0, -behind / static_cast<double>(count - 1));
        case ControlMode::Prompt:
            return std::pow(kPromptBase, behind);
        case ControlMode::Balanced:
            break;
    }
    return 1;
}

/// The last `rows`.
at::Tensor lastRows(const at::Tensor& value, int64_t rows) {
    return value.defined() ? value.narrow(0, value.size(0) - rows, rows) : value;
}

/// The part of a hint where an area of the latent lies, as often as `rows` need it.
at::Tensor hintFor(const at::Tensor& hint, const LatentArea* area, int64_t factor, int64_t rows) {
    at::Tensor part = hint;
    if (area) {
        part = hint.narrow(2, area->y * factor, area->height * factor)
                   .narrow(3, area->x * factor, area->width * factor)
                   .contiguous();
    }
    return part.size(0) == 1 ? part : part.repeat({rows / part.size(0), 1, 1, 1});
}

/// sum + part, where the part is of the last rows alone, or the same for all pixels. An undefined
/// sum is 0; a part of the whole `shape` becomes the sum.
void addTo(at::Tensor& sum, at::Tensor part, const Shape& shape) {
    if (!sum.defined() && part.sizes() == at::IntArrayRef(shape)) {
        sum = std::move(part);
        return;
    }
    if (!sum.defined()) {
        sum = at::zeros(shape, part.options());
    }
    lastRows(sum, part.size(0)).add_(part);
}

}  // namespace

bool ControlPass::Follower::isForPositives() const {
    return settings.mode == ControlMode::Guess || network.config().poolsGlobally;
}

ControlPass::ControlPass(StageContext& context,
                         const Controls& controls,
                         const ControlledCalls& calls)
    : calls_(calls), record_(context.record), walk_(context.walk) {
    for (size_t i = 0; i < controls.entries().size(); ++i) {
        followers_.push_back(follower(context, controls, i));
    }
}

ControlPass::Follower ControlPass::follower(StageContext& context,
                                            const Controls& controls,
                                            size_t index) {
    const ControlEntry& entry = controls.entries()[index];
    const ControlNetwork& network = entry.net->networkAs(controls.roleOf(entry));
    Follower made{.network = network,
                  .pass = Pass(context, *network.tree()),
                  .settings = entry.settings,
                  .hint = {}};
    const int64_t factor = network.config().hintFactor();
    made.hint = tensor::resizedPicture(tensor::upload(entry.hint, made.pass.device()),
                                       calls_.latents[2] * factor,
                                       calls_.latents[3] * factor);
    if (entry.settings.isInverted) {
        made.hint = 1 - made.hint;
    }
    if (record_.isOn()) {
        const int64_t halves = calls_.isGuided && !made.isForPositives() ? 2 : 1;
        const int64_t rows = halves * calls_.latents[0];
        record_.putNext("control.pixels", made.hint.repeat({rows / made.hint.size(0), 1, 1, 1}));
    }
    if (network.config().takesBgr) {
        made.hint = made.hint.flip({1});
    }
    return made;
}

bool ControlPass::runsIn(const Follower& follower, int call) const {
    const double begin = static_cast<double>(call) / calls_.count;
    const double end = static_cast<double>(call + 1) / calls_.count;
    const ControlSettings& settings = follower.settings;
    return settings.strength != 0 && begin >= settings.start && end <= settings.end;
}

std::vector<at::Tensor> ControlPass::follow(Follower& follower,
                                            const ResidualsCall& call,
                                            int64_t rows) {
    const ControlNetwork& network = follower.network;
    // A denoiser that fills masks reads more channels than its ControlNet.
    const at::Tensor latents =
        lastRows(call.latents, rows).narrow(1, 0, network.config().unet.inChannels).contiguous();
    const UNetConditioning conditioning{.context = lastRows(call.conditioning.context, rows),
                                        .guidance = lastRows(call.conditioning.guidance, rows),
                                        .added = lastRows(call.conditioning.added, rows)};
    const at::Tensor hint = hintFor(follower.hint, call.area, network.config().hintFactor(), rows);
    std::vector<int64_t> sizes = latents.sizes().vec();
    sizes.insert(sizes.end(), {conditioning.context.size(1), hint.size(0)});
    std::vector<at::Tensor> results = passOver(walk_, follower.pass.tree(), sizes, [&] {
        return network.predict(follower.pass, latents, call.timestep, conditioning, hint);
    });
    for (size_t i = 0; i < results.size(); ++i) {
        const double depth = network.config().poolsGlobally
                                 ? 1
                                 : depthScale(follower.settings.mode, i, results.size());
        if (const double scale = depth * follower.settings.strength; scale != 1) {
            results[i].mul_(scale);
        }
    }
    return results;
}

UNetResiduals ControlPass::residuals(const ResidualsCall& call) {
    UNetResiduals sum;
    for (Follower& follower : followers_) {
        const int64_t rows = follower.isForPositives() ? call.positives : call.latents.size(0);
        if (rows == 0 || !runsIn(follower, call.step.taken)) {
            continue;
        }
        const UNetResidualShapes shapes =
            residualShapes(follower.network.config().unet, call.latents.sizes());
        std::vector<at::Tensor> parts = follow(follower, call, rows);
        sum.skips.resize(shapes.skips.size());
        for (size_t i = 0; i < shapes.skips.size(); ++i) {
            addTo(sum.skips[i], std::move(parts[i]), shapes.skips[i]);
        }
        addTo(sum.middle, std::move(parts.back()), shapes.middle);
    }
    recordFirst(sum);
    return sum;
}

void ControlPass::recordFirst(const UNetResiduals& residuals) {
    if (isRecorded_) {
        return;
    }
    isRecorded_ = true;
    for (size_t i = 0; i < residuals.skips.size(); ++i) {
        record_.put("controlnet.down." + std::to_string(i), residuals.skips[i]);
    }
    record_.put("controlnet.mid", residuals.middle);
}

}  // namespace lowtide::models
