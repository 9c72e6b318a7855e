#include "plugin/nn/denoisers/unet2d_condition.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>

namespace lowtide::models {

namespace {

ConvSizes sameSizeConv(int64_t in, int64_t out, int64_t kernel) {
    return {.in = in, .out = out, .kernel = kernel, .padding = (kernel - 1) / 2};
}

std::vector<UNetDown> makeDown(NetworkBuilder& builder, const UNet2DConfig& config) {
    std::vector<UNetDown> blocks;
    for (size_t level = 0; level < config.levels.size(); ++level) {
        blocks.emplace_back(builder, config, level);
    }
    return blocks;
}

std::optional<UNetMid> makeMid(NetworkBuilder& builder, const UNet2DConfig& config) {
    return config.midTransformer > 0 ? std::optional(UNetMid(builder, config)) : std::nullopt;
}

std::vector<UNetUp> makeUp(NetworkBuilder& builder, const UNet2DConfig& config) {
    std::vector<UNetUp> blocks;
    for (size_t level = config.levels.size(); level-- > 0;) {
        blocks.emplace_back(builder, config, level);
    }
    return blocks;
}

}  // namespace

UNet2DCondition::Layers::Layers(NetworkBuilder& builder, const UNet2DConfig& config)
    : input(builder,
            "conv_in",
            sameSizeConv(config.inChannels, config.levels.front().channels, config.convInKernel)),
      time(builder, config),
      down(makeDown(builder, config)),
      mid(makeMid(builder, config)),
      up(makeUp(builder, config)),
      outputNorm(
          builder, "conv_norm_out", config.levels.front().channels, config.groups, config.epsilon),
      output(
          builder,
          "conv_out",
          sameSizeConv(config.levels.front().channels, config.outChannels, config.convOutKernel)) {}

UNet2DCondition::UNet2DCondition(const UNet2DConfig& config,
                                 const WeightMap& weights,
                                 std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "UNet2DConditionModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

/// The way down and up, as far as the step's cache wants it computed.
class UNet2DCondition::Evaluation {
public:
    Evaluation(const UNet2DCondition& unet,
               Forward& forward,
               const UNetInputs& inputs,
               const UNetResiduals& residuals,
               sampling::CachedCall& cached)
        : config_(unet.config_),
          layers_(*unet.layers_),
          forward_(forward),
          inputs_(inputs),
          residuals_(residuals),
          cached_(cached) {
        if (cached.depth() >= 0) {
            cut_ = cutAt(config_, cached.depth());
        }
    }

    at::Tensor run(at::Tensor hidden) {
        skips_ = {hidden};
        for (size_t level = 0; level < layers_.down.size() && !isPartial_; ++level) {
            hidden = goDown(level, std::move(hidden));
        }
        hidden = forwardMiddle(std::move(hidden));
        addToSkips();
        for (size_t level = isPartial_ ? cut_->level + 1 : layers_.up.size(); level-- > 0;) {
            hidden = goUp(level, std::move(hidden));
        }
        cached_.finish(unitsRun_ == unitCount() ? sampling::StepWork::Full
                                                : sampling::StepWork::Partial);
        return hidden;
    }

private:
    [[nodiscard]] at::Tensor ofBlock(size_t block) const {
        return block < residuals_.blocks.size() ? residuals_.blocks[block] : at::Tensor();
    }

    /// With the middle block as one.
    [[nodiscard]] size_t unitCount() const {
        size_t count = layers_.mid ? 1 : 0;
        for (const UNetLevel& level : config_.levels) {
            count += 2 * static_cast<size_t>(level.layers) + 1;
        }
        return count;
    }

    at::Tensor downUnits(size_t level, size_t first, size_t last, at::Tensor hidden) {
        unitsRun_ += last - first;
        return layers_.down[level].applyUnits(
            forward_, std::move(hidden), first, last, inputs_, ofBlock(level), skips_);
    }

    at::Tensor upUnits(size_t level, size_t first, size_t last, at::Tensor hidden) {
        unitsRun_ += last - first;
        return upOf(level).applyUnits(forward_, std::move(hidden), first, last, inputs_, skips_);
    }

    [[nodiscard]] const UNetUp& upOf(size_t level) const {
        return layers_.up[layers_.up.size() - 1 - level];
    }

    at::Tensor goDown(size_t level, at::Tensor hidden) {
        const UNetDown& block = layers_.down[level];
        size_t first = 0;
        if (cut_ && cut_->level == level) {
            first = cut_->downUnits;
            cached_.enter(hidden);
            hidden = downUnits(level, 0, first, std::move(hidden));
            isPartial_ = cached_.isReused(hidden);
            probe_ = hidden;
            if (isPartial_) {
                return hidden;
            }
        }
        hidden = downUnits(level, first, block.units.size(), std::move(hidden));
        return block.applyShrinking(forward_, std::move(hidden), ofBlock(level), skips_);
    }

    /// Through the middle block, or past it.
    at::Tensor forwardMiddle(at::Tensor hidden) {
        const bool isCutHere = cut_ && cut_->isAtMiddle(config_);
        if (isPartial_) {
            hidden = cached_.value(probe_);
        } else if (layers_.mid) {
            hidden = layers_.mid->apply(forward_, hidden, inputs_);
            ++unitsRun_;
        }
        if (isCutHere) {
            keep(hidden);
        }
        // What is kept, or without a middle block is the last skip too, must remain as it is.
        if (isCutHere || (!isPartial_ && !layers_.mid)) {
            hidden = withResidual(hidden, ofBlock(layers_.down.size()));
            return withResidual(hidden, residuals_.middle);
        }
        if (!isPartial_) {
            addResidual(hidden, ofBlock(layers_.down.size()));
            addResidual(hidden, residuals_.middle);
        }
        return hidden;
    }

    void keep(const at::Tensor& value) {
        if (!isPartial_) {
            cached_.keep(probe_, value);
        }
        probe_.reset();
    }

    /// Behind the middle block, or what goes past it with its residual, which read the last of
    /// them. The cut's probe is one.
    void addToSkips() {
        const size_t taken = std::min(residuals_.skips.size(), skips_.size());
        for (size_t i = 0; i < taken; ++i) {
            if (cut_) {
                skips_[i] = withResidual(skips_[i], residuals_.skips[i]);
            } else {
                addResidual(skips_[i], residuals_.skips[i]);
            }
        }
    }

    at::Tensor goUp(size_t level, at::Tensor hidden) {
        const UNetUp& block = upOf(level);
        size_t first = 0;
        if (cut_ && cut_->level == level) {
            first = cut_->upUnit;
            if (!isPartial_) {
                hidden = upUnits(level, 0, first, std::move(hidden));
            }
            if (!cut_->isAtMiddle(config_)) {
                keep(hidden);
            }
        }
        hidden = upUnits(level, first, block.units.size(), std::move(hidden));
        return block.applyGrowing(forward_, std::move(hidden), skips_);
    }

    const UNet2DConfig& config_;
    const Layers& layers_;
    Forward& forward_;
    const UNetInputs& inputs_;
    const UNetResiduals& residuals_;
    sampling::CachedCall& cached_;
    std::optional<UNetCut> cut_;
    at::Tensor probe_;  ///< what the way down had at the cut
    std::vector<at::Tensor> skips_;
    size_t unitsRun_ = 0;
    bool isPartial_ = false;
};

namespace {

/// Indices of a forward's inputs.
enum Input : size_t { kLatents, kWaves, kContext, kGuidance, kAdded };

}  // namespace

at::Tensor UNet2DCondition::predict(Forward& forward,
                                    const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const UNetConditioning& conditioning,
                                    const UNetResiduals& residuals,
                                    const sampling::StepInfo& step) const {
    checkResiduals(residuals, config_, latents.sizes());
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, forward.tree().id));
    forward.begin(forwardHint(step, cached.work()));
    const auto evaluate = [&](const residency::ForwardInputs& given) {
        const UNetInputs inputs{
            .time = layers_->time.apply(forward, given[kWaves], given[kGuidance], given[kAdded]),
            .context = given[kContext],
            .images = conditioning.images};
        at::Tensor hidden =
            Evaluation(*this, forward, inputs, residuals, cached)
                .run(layers_->input.apply(forward, forward.toCompute(given[kLatents])));
        hidden = layers_->outputNorm.applyActivatedOver(forward, std::move(hidden), {});
        return layers_->output.apply(forward, hidden).contiguous().to(at::kFloat);
    };
    const residency::ForwardInputs inputs{
        latents,
        tensor::upload(forward.toCompute(timeSinusoids(timestep, latents.size(0), config_)),
                       latents.device()),
        forward.toCompute(conditioning.context),
        forward.toCompute(conditioning.guidance),
        forward.toCompute(conditioning.added)};
    // A cache, residuals and images bring more into a forward than its inputs.
    const bool isPlain = cached.depth() < 0 && residuals.isEmpty() && conditioning.images.empty();
    return isPlain ? forward.run(inputs, evaluate) : evaluate(inputs);
}

}  // namespace lowtide::models
