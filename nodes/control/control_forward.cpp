#include "nodes/control/control_forward.hpp"

#include "plugin/nn/controls/hint_network.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace lowtide::nodes {

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

std::optional<models::LatentArea> areaOf(const models::ResidualsCall& call) {
    return call.area ? std::optional(*call.area) : std::nullopt;
}

/// sum + part in the last rows, `rows` in all. An undefined sum is 0; a part of all rows becomes
/// the sum.
void addTo(at::Tensor& sum, at::Tensor part, int64_t rows) {
    if (!sum.defined() && part.size(0) == rows) {
        sum = std::move(part);
        return;
    }
    if (!sum.defined()) {
        std::vector<int64_t> sizes = part.sizes().vec();
        sizes.front() = rows;
        sum = at::zeros(sizes, part.options());
    }
    lastRows(sum, part.size(0)).add_(part);
}

void addTo(std::vector<at::Tensor>& sums, std::vector<at::Tensor> parts, int64_t rows) {
    sums.resize(std::max(sums.size(), parts.size()));
    for (size_t i = 0; i < parts.size(); ++i) {
        addTo(sums[i], std::move(parts[i]), rows);
    }
}

/// As often as `rows` need it.
at::Tensor forRows(const at::Tensor& value, int64_t rows) {
    return value.repeat({rows / value.size(0), 1, 1, 1});
}

}  // namespace

bool ControlForward::Follower::isForPositives() const {
    return settings.mode == ControlMode::Guess || network.isForPositives();
}

const std::vector<at::Tensor>* ControlForward::Follower::readIn(
    const std::optional<models::LatentArea>& area) const {
    const auto known = std::find_if(
        read.begin(), read.end(), [&](const auto& each) { return each.first == area; });
    return known == read.end() ? nullptr : &known->second;
}

ControlForward::ControlForward(models::StageContext& context,
                               const Controls& controls,
                               const models::SpareCalls& calls)
    : calls_(calls), record_(context.record), dryRun_(context.dryRun), finite_(context.finite) {
    for (size_t i = 0; i < controls.entries().size(); ++i) {
        followers_.push_back(follower(context, controls, i));
    }
}

ControlForward::Follower ControlForward::follower(models::StageContext& context,
                                                  const Controls& controls,
                                                  size_t index) {
    const ControlEntry& entry = controls.entries()[index];
    const models::HintNetwork& network = entry.net->networkAs(controls.roleOf(entry));
    Follower made{.network = network,
                  .forward = models::Forward(context, *network.tree()),
                  .settings = entry.settings,
                  .hint = {}};
    onDeviceOf(dryRun_, made.forward.tree(), [&] { made.hint = hintOf(entry, made); });
    if (record_.isOn()) {
        const int64_t halves = calls_.isGuided && !made.isForPositives() ? 2 : 1;
        const int64_t rows = halves * calls_.latents[0];
        record_.putNext("control.pixels", made.hint.repeat({rows / made.hint.size(0), 1, 1, 1}));
    }
    if (network.takesBgr()) {
        onDeviceOf(dryRun_, made.forward.tree(), [&] {
            const at::Tensor& hint = made.hint;
            made.hint =
                at::cat({hint.narrow(1, 2, 1), hint.narrow(1, 1, 1), hint.narrow(1, 0, 1)}, 1);
        });
    }
    return made;
}

/// At the size of the image.
at::Tensor ControlForward::hintOf(const ControlEntry& entry, Follower& follower) const {
    const at::Tensor hint =
        tensor::resizedImage(tensor::upload(entry.hint, follower.forward.device()),
                             calls_.latents[2] * calls_.factor,
                             calls_.latents[3] * calls_.factor);
    return entry.settings.isInverted ? 1 - hint : hint;
}

bool ControlForward::runsIn(const Follower& follower, int call) const {
    return follower.settings.influence.isFeltIn(call, calls_.count);
}

uint64_t ControlForward::runningIn(int call, uint64_t seed) const {
    constexpr uint64_t kPrime = 1099511628211;  // FNV-1a
    for (const Follower& follower : followers_) {
        seed = (seed ^ (runsIn(follower, call) ? 1U : 0U)) * kPrime;
    }
    return seed;
}

std::vector<std::pair<ControlForward::Follower*, int64_t>> ControlForward::running(
    const models::ResidualsCall& call) {
    std::vector<std::pair<Follower*, int64_t>> found;
    for (Follower& follower : followers_) {
        const int64_t rows = follower.isForPositives() ? call.positives : call.latents.size(0);
        if (rows > 0 && runsIn(follower, call.step.taken)) {
            found.emplace_back(&follower, rows);
        }
    }
    return found;
}

void ControlForward::read(Follower& follower,
                          const std::optional<models::LatentArea>& area,
                          uint32_t next) {
    at::Tensor part = follower.hint;
    if (area) {
        part = part.narrow(2, area->y * calls_.factor, area->height * calls_.factor)
                   .narrow(3, area->x * calls_.factor, area->width * calls_.factor)
                   .contiguous();
    }
    // No step has the sizes of an image of three channels.
    follower.read.emplace_back(
        area,
        skipForward(dryRun_,
                    follower.forward.tree(),
                    part.sizes(),
                    {.hint = {.pattern = follower.network.hintPattern(), .next = next},
                     .isLeftThere = true},
                    [&] { return follower.network.readHint(follower.forward, part, next); }));
}

void ControlForward::readMissing(const std::vector<std::pair<Follower*, int64_t>>& followers,
                                 const models::ResidualsCall& call) {
    const std::optional<models::LatentArea> area = areaOf(call);
    std::vector<Follower*> unread;
    for (const auto& [follower, rows] : followers) {
        if (!follower->readIn(area)) {
            unread.push_back(follower);
        }
    }
    for (auto each = unread.begin(); each != unread.end(); ++each) {
        const models::HintNetwork& network = (*each)->network;
        const bool isReadAgain = std::any_of(each + 1, unread.end(), [&](const Follower* later) {
            return &later->network == &network;
        });
        read(**each, area, isReadAgain ? network.hintPattern() : models::HintNetwork::kStepPattern);
    }
}

std::vector<at::Tensor> ControlForward::predicted(Follower& follower,
                                                  const models::ResidualsCall& call,
                                                  int64_t rows) {
    const models::HintNetwork& network = follower.network;
    // The network may have another device than the denoiser.
    const auto last = [&](const at::Tensor& value) {
        return tensor::upload(lastRows(value, rows), follower.forward.device());
    };
    // A denoiser that fills masks reads more channels than its ControlNet.
    const at::Tensor latents = last(call.latents.narrow(1, 0, network.stepChannels())).contiguous();
    const models::UNetConditioning conditioning{.context = last(call.conditioning.context),
                                                .guidance = last(call.conditioning.guidance),
                                                .added = last(call.conditioning.added)};
    at::Tensor hint = follower.readIn(areaOf(call))->front();
    if (hint.size(0) > 1) {
        hint = forRows(hint, rows);
    }
    std::vector<int64_t> sizes = latents.sizes().vec();
    sizes.insert(sizes.end(), {conditioning.context.size(1), hint.size(0)});
    return skipForward(dryRun_, follower.forward.tree(), sizes, {}, [&] {
        return network.predict(follower.forward, latents, call.timestep, conditioning, hint);
    });
}

models::UNetResiduals ControlForward::follow(Follower& follower,
                                             const models::ResidualsCall& call,
                                             int64_t rows) {
    std::vector<at::Tensor> results;
    if (follower.network.stepChannels() > 0) {
        results = predicted(follower, call, rows);
    } else {
        for (const at::Tensor& read : *follower.readIn(areaOf(call))) {
            results.push_back(forRows(read, rows));
        }
    }
    for (size_t i = 0; i < results.size(); ++i) {
        results[i] = tensor::upload(results[i], call.latents.device());
        if (finite_) {
            finite_->note(follower.forward.tree(),
                          results[i],
                          {.step = call.step.step, .steps = call.step.stepCount});
        }
        const double depth = follower.network.isForPositives()
                                 ? 1
                                 : depthScale(follower.settings.mode, i, results.size());
        if (const double scale = depth * follower.settings.influence.strength; scale != 1) {
            results[i].mul_(scale);
        }
    }
    if (follower.network.stepChannels() == 0) {
        return {.skips = {}, .middle = {}, .blocks = std::move(results)};
    }
    at::Tensor middle = std::move(results.back());
    results.pop_back();
    return {.skips = std::move(results), .middle = std::move(middle), .blocks = {}};
}

models::UNetResiduals ControlForward::residuals(const models::ResidualsCall& call) {
    const auto now = running(call);
    readMissing(now, call);
    models::UNetResiduals sum;
    const int64_t all = call.latents.size(0);
    for (const auto& [follower, rows] : now) {
        models::UNetResiduals parts = follow(*follower, call, rows);
        addTo(sum.skips, std::move(parts.skips), all);
        addTo(sum.blocks, std::move(parts.blocks), all);
        if (parts.middle.defined()) {
            addTo(sum.middle, std::move(parts.middle), all);
        }
    }
    recordFirst(sum);
    return sum;
}

void ControlForward::recordFirst(const models::UNetResiduals& residuals) {
    if (isRecorded_) {
        return;
    }
    isRecorded_ = true;
    for (size_t i = 0; i < residuals.skips.size(); ++i) {
        record_.put("controlnet.down." + std::to_string(i), residuals.skips[i]);
    }
    record_.put("controlnet.mid", residuals.middle);
}

}  // namespace lowtide::nodes
