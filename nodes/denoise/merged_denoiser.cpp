#include "nodes/denoise/merged_denoiser.hpp"

#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::nodes {

namespace {

constexpr int64_t kRowsAxis = -2;
constexpr int64_t kColumnsAxis = -1;
constexpr double kNothing = 1e-37;  ///< keeps the average finite where no prompt speaks
constexpr int64_t kWidestRamp = 8;
constexpr int64_t kRampParts = 4;

/// A view of `image` [.., H, W] where the entry speaks.
at::Tensor cropped(const at::Tensor& image, const std::optional<models::LatentArea>& area) {
    if (!area) {
        return image;
    }
    return image.narrow(kRowsAxis, area->y, area->height)
        .narrow(kColumnsAxis, area->x, area->width);
}

/// Lets `mask` rise along `axis` from both ends that lie inside the image.
void ramp(at::Tensor& mask, int64_t axis, bool atStart, bool atEnd) {
    const int64_t side = mask.size(axis);
    const int64_t lines = std::min(kWidestRamp, side / kRampParts);
    for (int64_t i = 0; i < lines; ++i) {
        const double fraction = 1.0 / static_cast<double>(lines) * static_cast<double>(i + 1);
        if (atStart) {
            mask.narrow(axis, i, 1).mul_(fraction);
        }
        if (atEnd) {
            mask.narrow(axis, side - 1 - i, 1).mul_(fraction);
        }
    }
}

/// A plane [count, 1, ..., h, w] for `latents`, the same for all their channels and frames.
at::Tensor planes(
    const at::Tensor& latents, int64_t count, int64_t height, int64_t width, double value) {
    std::vector<int64_t> sizes(static_cast<size_t>(latents.dim()), 1);
    sizes.front() = count;
    sizes[sizes.size() - 2] = height;
    sizes.back() = width;
    return at::full(sizes, value, latents.options());
}

/// What `calls` ask for the negative prompts, or for the positive ones.
void keepAsked(std::vector<PromptCall>& calls, bool isUncond) {
    for (PromptCall& call : calls) {
        (isUncond ? call.positive : call.negative) = nullptr;
    }
    std::erase_if(calls, [](const PromptCall& call) { return !call.positive && !call.negative; });
}

/// A mask at the size of `latents`, the same for all their channels and frames.
at::Tensor promptMaskOn(const at::Tensor& mask, const at::Tensor& latents) {
    std::vector<int64_t> sizes(static_cast<size_t>(latents.dim()), 1);
    sizes[sizes.size() - 2] = latents.size(kRowsAxis);
    sizes.back() = latents.size(kColumnsAxis);
    return tensor::kernels::interpolate(tensor::upload(mask, latents.device()),
                                        latents.size(kRowsAxis),
                                        latents.size(kColumnsAxis),
                                        tensor::kernels::Interpolation::Bilinear)
        .view(sizes);
}

/// Numbers the masks of the prompts.
void takeMasks(const tensor::Conditioning& conditioning,
               std::vector<RegionalEntry>& entries,
               std::vector<at::Tensor>& masks) {
    for (RegionalEntry& entry : entries) {
        const auto& tensors = conditioning.entries()[entry.prompt].tensors;
        if (const auto found = tensors.find(tensor::kPromptMask); found != tensors.end()) {
            entry.mask = masks.size();
            masks.push_back(found->second);
        }
    }
}

/// The entry's weight where it speaks: [1, 1, ..., h, w].
at::Tensor weightOf(const RegionalEntry& entry,
                    const std::vector<at::Tensor>& masks,
                    const at::Tensor& latents) {
    if (entry.mask) {
        return cropped(masks[*entry.mask], entry.area) * entry.strength;
    }
    const models::LatentArea whole{
        .y = 0, .x = 0, .height = latents.size(kRowsAxis), .width = latents.size(kColumnsAxis)};
    const models::LatentArea area = entry.area.value_or(whole);
    at::Tensor weight = planes(latents, 1, area.height, area.width, entry.strength);
    ramp(weight, kRowsAxis, area.y != 0, area.y + area.height < whole.height);
    ramp(weight, kColumnsAxis, area.x != 0, area.x + area.width < whole.width);
    return weight;
}

}  // namespace

bool RegionalPrompts::isPlain(sampling::Guidance guidance) const {
    const auto isAlone = [](const std::vector<RegionalEntry>& branch) {
        return branch.size() == 1 && branch.front().isUnrestricted();
    };
    if (negative.empty()) {
        return isAlone(positive);
    }
    return isAlone(positive) && isAlone(negative) &&
           (guidance == sampling::Guidance::Sequential ||
            negative.front().tokens == positive.front().tokens);
}

RegionalPrompts regionalPrompts(const tensor::Conditioning& positive,
                                const tensor::Conditioning* negative,
                                const Canvas& canvas) {
    RegionalPrompts prompts{.positive = regionalEntries(specOf(positive), canvas, "positive"),
                            .negative = {}};
    takeMasks(positive, prompts.positive, prompts.masks);
    if (negative) {
        prompts.negative = regionalEntries(specOf(*negative), canvas, "negative");
        takeMasks(*negative, prompts.negative, prompts.masks);
        addCounterparts(prompts.positive, prompts.negative);
    }
    return prompts;
}

MergedDenoiser::MergedDenoiser(models::StageContext& context,
                               const models::Model& model,
                               const models::DenoiserRequest& request,
                               RegionalPrompts prompts)
    : context_(context.ofPart()),
      model_(model),
      request_(request),
      prompts_(std::move(prompts)),
      timeAt_(sampling::timeScaleOf(request.scheduler ? *request.scheduler
                                                      : model.info().schedulerConfig)) {}

at::Tensor MergedDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    const int64_t halves = latents.size(0) / request_.batch;
    LOWTIDE_ASSERT(halves == 1 || (halves == 2 && step.isGuided));
    static const std::vector<RegionalEntry> kNobody;
    const std::vector<RegionalEntry>& negative = step.isGuided ? prompts_.negative : kNobody;
    for (size_t i = masks_.size(); i < prompts_.masks.size(); ++i) {
        masks_.push_back(promptMaskOn(prompts_.masks[i], latents));
    }
    std::vector<int64_t> sizes = latents.sizes().vec();
    sizes[1] = model_.info().latent.channels;
    at::Tensor sums = at::zeros(sizes, latents.options());
    at::Tensor counts =
        planes(latents, halves, latents.size(kRowsAxis), latents.size(kColumnsAxis), kNothing);
    std::vector<PromptCall> calls =
        callsAt(prompts_.positive, negative, sampling::timestepIn(timestep), timeAt_);
    if (calls.empty() && step.decision.cache) {
        step.decision.cache->noteNothing();
    }
    if (halves == 1) {
        keepAsked(calls, step.slot.isUncond);
    }
    for (const PromptCall& call : calls) {
        sampling::StepInfo own = step;
        own.decision.next = &call == &calls.back() ? step.decision.next : step.decision.begins();
        add(call, latents, timestep, own, sums, counts);
    }
    for (int64_t half = 0; half < halves; ++half) {
        sums.narrow(0, half * request_.batch, request_.batch).div_(counts.narrow(0, half, 1));
    }
    return sums;
}

void MergedDenoiser::add(const PromptCall& call,
                         const at::Tensor& latents,
                         const at::Tensor& timestep,
                         const sampling::StepInfo& step,
                         at::Tensor& sums,
                         at::Tensor& counts) {
    struct Part {
        const RegionalEntry* entry;
        int64_t half;
    };

    std::vector<Part> parts;
    if (call.negative) {
        parts.push_back({call.negative, 0});
    }
    if (call.positive) {
        parts.push_back({call.positive, latents.size(0) / request_.batch - 1});
    }
    const auto half = [&](const at::Tensor& image, const Part& part) {
        return cropped(image.narrow(0, part.half * request_.batch, request_.batch),
                       part.entry->area);
    };
    std::vector<at::Tensor> inputs;
    for (const Part& part : parts) {
        inputs.push_back(half(latents, part));
    }
    const at::Tensor input = inputs.size() == 1 ? inputs.front().contiguous() : at::cat(inputs);
    const Branch& branch = branchFor(call);
    area_ = parts.front().entry->area;  // the same for all parts of a call
    hasPositive_ = call.positive != nullptr;
    sampling::StepInfo ofBranch = step;
    ofBranch.slot = {.branch = branch.number};
    const at::Tensor prediction = branch.network->predict(input, timestep, ofBranch);
    for (size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        const at::Tensor weight = weightOf(*part.entry, masks_, latents);
        const at::Tensor own =
            prediction.narrow(0, static_cast<int64_t>(i) * request_.batch, request_.batch);
        half(sums, part).add_(own * weight);
        cropped(counts.narrow(0, part.half, 1), part.entry->area).add_(weight);
    }
}

uint64_t MergedDenoiser::promptsAt(const at::Tensor& timestep,
                                   const sampling::StepInfo& /*step*/) const {
    constexpr uint64_t kPrime = 1099511628211;  // FNV-1a
    uint64_t hash = 14695981039346656037U;
    const auto mix = [&](const std::vector<RegionalEntry>& all, const RegionalEntry* entry) {
        hash = (hash ^ (entry ? static_cast<uint64_t>(entry - all.data()) + 1 : 0)) * kPrime;
    };
    for (const PromptCall& call :
         callsAt(prompts_.positive, prompts_.negative, sampling::timestepIn(timestep), timeAt_)) {
        mix(prompts_.negative, call.negative);
        mix(prompts_.positive, call.positive);
    }
    return hash;
}

MergedDenoiser::Branch& MergedDenoiser::branchFor(const PromptCall& call) {
    const auto number = [](const RegionalEntry* entry) {
        return entry ? static_cast<int64_t>(entry->prompt) : -1;
    };
    const auto next = static_cast<uint32_t>(branches_.size());
    Branch& branch = branches_[{number(call.negative), number(call.positive)}];
    if (branch.network) {
        return branch;
    }
    branch.number = next;
    const auto promptOf = [](const tensor::Conditioning& conditioning, const RegionalEntry& entry) {
        tensor::ConditioningEntry own = conditioning.entries()[entry.prompt];
        own.scope = {};
        own.tensors.erase(tensor::kPromptMask);
        return tensor::Conditioning(
            conditioning.fields(), {std::move(own)}, {}, conditioning.clipSkip());
    };
    // A prompt alone is the network's positive one, whichever branch it is on.
    const tensor::Conditioning first = call.positive ? promptOf(request_.positive, *call.positive)
                                                     : promptOf(*request_.negative, *call.negative);
    std::optional<tensor::Conditioning> second;
    if (call.positive && call.negative) {
        second = promptOf(*request_.negative, *call.negative);
    }
    branch.network = model_.makeDenoiser(context_,
                                         {.positive = first,
                                          .negative = second ? &*second : nullptr,
                                          .image = request_.image,
                                          .batch = request_.batch,
                                          .cfg = request_.cfg,
                                          .second = request_.second,
                                          .residuals = inArea(request_.residuals),
                                          .images = inArea(request_.images),
                                          .visionEmbeds = request_.visionEmbeds,
                                          .checkpoint = request_.checkpoint});
    return branch;
}

template <class Result>
std::function<Result(const models::ResidualsCall&)> MergedDenoiser::inArea(
    const std::function<Result(const models::ResidualsCall&)>& asked) const {
    if (!asked) {
        return {};
    }
    return [this, &asked](const models::ResidualsCall& call) {
        models::ResidualsCall here = call;
        here.area = area_ ? &*area_ : nullptr;
        here.positives = hasPositive_ ? request_.batch : 0;
        return asked(here);
    };
}

}  // namespace lowtide::nodes
