#include "nodes/engine/stage_run.hpp"

#include "nodes/engine/controls.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/tensor/numerics_scope.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

namespace lowtide::nodes {

at::Tensor onWire(const Shape& shape, const memory::StageDevices& devices, std::string_view port) {
    return devices.isElsewhere(port) ? models::DryRun::elsewhere(shape)
                                     : models::DryRun::onWire(shape);
}

namespace {

WireRef conditioningOnWire(const WireRef& value,
                           const memory::StageDevices& devices,
                           const std::string& port) {
    const models::ConditioningSpec spec = specAt(value, port.c_str());
    std::vector<tensor::ConditioningEntry> entries;
    for (const models::EntrySpec& entry : spec.entries()) {
        tensor::ConditioningEntry& own = entries.emplace_back();
        own.scope = entry.scope;
        for (const auto& [name, shape] : entry.tensors) {
            own.tensors.emplace(name, onWire(shape, devices, port));
        }
    }
    return std::make_shared<const tensor::Conditioning>(
        spec.fields(), std::move(entries), std::string(), -1);
}

WireRef latentOnWire(const WireRef& value,
                     const memory::StageDevices& devices,
                     std::string_view port) {
    const WireRef kind = kindOf(value);
    std::shared_ptr<const tensor::ImageConditioning> imageConditioning;
    if (const ImageConditioningSpec shapes = imageConditioningIn(kind);
        !shapes.extraChannels.empty()) {
        imageConditioning =
            std::make_shared<const tensor::ImageConditioning>(tensor::ImageConditioning{
                .extraChannels = onWire(shapes.extraChannels, devices, port),
                .visionEmbeds = shapes.visionEmbeds.empty()
                                    ? at::Tensor()
                                    : onWire(shapes.visionEmbeds, devices, port)});
    }
    if (const EmptyLatentSpec* empty = emptyIn(kind)) {
        return std::make_shared<const tensor::EmptyLatents>(
            empty->size, empty->batch, empty->rate, std::move(imageConditioning));
    }
    const Shape shape = shapeOf(value);
    at::Tensor samples = onWire(shape, devices, port);
    at::Tensor deviation = isDistribution(kind) ? onWire(shape, devices, port) : at::Tensor();
    return std::make_shared<const tensor::Latents>(std::move(samples),
                                                   tensor::Provenance{},
                                                   nullptr,
                                                   std::move(deviation),
                                                   std::move(imageConditioning));
}

WireRef controlOnWire(const WireRef& value,
                      const memory::StageDevices& devices,
                      std::string_view port) {
    std::vector<ControlEntry> entries = controlsIn(value)->entries();
    for (ControlEntry& entry : entries) {
        entry.hint = onWire(entry.hintShape, devices, port);
    }
    return std::make_shared<const Controls>(std::move(entries));
}

WireRef imagePromptOnWire(const WireRef& value,
                          const memory::StageDevices& devices,
                          std::string_view port) {
    std::vector<ImagePromptEntry> entries = imagePromptsIn(value)->entries();
    for (ImagePromptEntry& entry : entries) {
        entry.tokens = onWire(entry.tokensShape, devices, port);
        entry.mask =
            entry.maskShape.empty() ? at::Tensor() : onWire(entry.maskShape, devices, port);
    }
    return std::make_shared<const ImagePrompts>(std::move(entries));
}

/// A value of the shapes that are known; what was loaded itself.
WireRef valueOnWire(const WireRef& value,
                    const memory::StageDevices& devices,
                    std::string_view port) {
    const std::string_view type = value ? value->type() : std::string_view();
    if (type == "CONDITIONING") {
        return conditioningOnWire(value, devices, std::string(port));
    }
    if (type == "LATENT") {
        return latentOnWire(value, devices, port);
    }
    if (type == "IMAGE") {
        return std::make_shared<const tensor::Images>(onWire(shapeOf(value), devices, port),
                                                      tensor::Provenance{});
    }
    if (type == "CONTROL") {
        return controlOnWire(value, devices, port);
    }
    if (type == "IMAGE_PROMPT") {
        return imagePromptOnWire(value, devices, port);
    }
    if (type == "MASK") {
        return std::make_shared<const tensor::Masks>(onWire(shapeOf(value), devices, port));
    }
    return value;
}

/// An image that the program has not taken yet: in host memory, one at a time.
at::Tensor onItsWay(const Image8& image) {
    const tensor::DryRunMeter::Elsewhere onHost(tensor::DryRunMeter::current());
    return at::empty({static_cast<int64_t>(image.byteCount())},
                     at::TensorOptions(at::kByte).device(c10::kMeta));
}

/// A dry run of `run` over the trees.
memory::StageWork dryRunOver(const memory::StageDevices& devices,
                             std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                             const std::function<void(models::DryRun&)>& run) {
    const c10::InferenceMode asOnTheRunThread;
    models::DryRun dryRun(devices, std::move(trees), models::adapterMath());
    run(dryRun);
    return dryRun.work();
}

/// Of a stage in a dry run, which nobody looks at.
StageCall callFor(const memory::StageDevices& devices, at::Tensor& shown) {
    StageCall call{.node = {},
                   .stop = {},
                   .progress = [](std::string_view, double, double) {},
                   .issue = [](const Issue&) {}};
    if (devices.previews) {
        call.preview = [&](const LiveImage& live) { shown = onItsWay(live.image); };
    }
    return call;
}

}  // namespace

memory::StageWork dryRunStage(const Stage& stage,
                              const StageFacts& facts,
                              const memory::StageDevices& devices) {
    models::TypedNetworks typed;
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    std::optional<tensor::NumericsScope> scope;
    if (!facts.precisions.empty()) {
        const auto source = stage.source();
        typed = typedFor(*source, facts.precisions);
        trees = typedTrees(typed, *source, facts.precisions);
    }
    if (!facts.precisions.empty() && !stage.hasOwnSwitches) {
        scope.emplace(facts.precisions.front().switches);
    }
    DryRunFraction fraction;
    memory::StageWork work = dryRunOver(devices, std::move(trees), [&](models::DryRun& dryRun) {
        FiniteChecks finite(stage, facts.precisions, /*isDryRun=*/true);
        models::StageContext context{.weights = dryRun,
                                     .record = tensor::Record(nullptr),
                                     .typed = std::move(typed),
                                     .hashes = facts.hashes,
                                     .dryRun = &dryRun,
                                     .finite = &finite};
        const auto shortened = stage.forDryRun(context, [&](auto port, const WireRef& value) {
            return valueOnWire(value, devices, port);
        });
        at::Tensor shown;
        finite.look(shortened->run(context, callFor(devices, shown)));
        fraction = shortened->fraction;
    });
    work.knowsElsewhere = stage.scopesElsewhere;
    for (memory::ComponentWork& component : work.components) {
        component.forwards = component.forwards * fraction.all / fraction.shortened;
    }
    return work;
}

memory::StageWork dryRunTensors(const memory::StageDevices& devices,
                                const std::function<void()>& make) {
    return dryRunOver(devices, {}, [&](models::DryRun&) { make(); });
}

namespace {

std::vector<memory::ComponentPrecision> precisionsOf(const Stage& stage) {
    if (stage.roles.empty()) {
        return {};
    }
    const auto source = stage.source();
    std::vector<std::string_view> patterns = stage.roles;
    for (const std::string_view pattern : stage.addedRoles) {
        if (hasRole(*source, pattern)) {
            patterns.push_back(pattern);
        }
    }
    return precisionsFor(*source, patterns, stage.precision);
}

/// Sides of tiles that are proposed, the largest first.
constexpr std::array<int64_t, 7> kTileSides = {1024, 768, 512, 384, 256, 192, 128};

memory::SmallerWork inSmallerTiles(const std::shared_ptr<const Stage>& stage,
                                   const StageFacts& facts,
                                   const memory::StageDevices& devices) {
    memory::SmallerWork smaller{.param = kTileParam};
    std::copy_if(kTileSides.begin(),
                 kTileSides.end(),
                 std::back_inserter(smaller.values),
                 [&](int64_t side) { return stage->tilePixels == 0 || side < stage->tilePixels; });
    smaller.work = [stage, facts, devices](int64_t side) -> std::optional<memory::StageWork> {
        try {
            return withErrorsOf(stage->name,
                                [&] { return dryRunStage(*stage->inTiles(side), facts, devices); });
        } catch (const Error&) {
            return std::nullopt;  // for example, of an overlap that is larger
        }
    };
    return smaller;
}

}  // namespace

executor::NodeSpec specOfStage(const std::shared_ptr<const Stage>& stage,
                               const std::vector<PortDesc>& ports,
                               models::ModelHashes& hashes) {
    StageFacts facts{.precisions = precisionsOf(*stage), .hashes = &hashes};
    StageShapes shapes = stage->shape(facts);
    if (!shapes.runsComponents) {
        facts.precisions.clear();
    }
    executor::NodeSpec spec{.fingerprints = std::move(shapes.fingerprints),
                            .precisions = facts.precisions,
                            .issues = std::move(shapes.issues),
                            .facts = std::move(shapes.facts)};
    for (size_t i = 0; i < ports.size(); ++i) {
        spec.outputs.emplace_back(ports[i].id, std::move(shapes.outputs.at(i)));
    }
    if (!facts.precisions.empty()) {
        spec.components = [stage, precisions = facts.precisions] {
            return withErrorsOf(stage->name, [&] {
                const auto source = stage->source();
                return typedTrees(typedFor(*source, precisions), *source, precisions);
            });
        };
    }
    if (stage->tilePixels) {
        spec.smaller = [stage, facts](const memory::StageDevices& devices) {
            return inSmallerTiles(stage, facts, devices);
        };
    }
    spec.dryRun = [stage, facts](const memory::StageDevices& devices) {
        return withErrorsOf(stage->name, [&] { return dryRunStage(*stage, facts, devices); });
    };
    return spec;
}

void reportProgress(models::StageContext& context,
                    const memory::ComponentTree& network,
                    const StageCall& call,
                    std::string_view phase,
                    int64_t done,
                    int64_t total) {
    context.weights.finishCompute(context.treeOf(network));
    call.progress(phase, static_cast<double>(done), static_cast<double>(total));
}

std::vector<WireRef> runStage(const Stage& stage,
                              models::StageContext& context,
                              const StageCall& call) {
    const std::vector<memory::ComponentPrecision> precisions = precisionsOf(stage);
    std::optional<tensor::NumericsScope> scope;
    if (!precisions.empty()) {
        const auto source = stage.source();
        context.typed = typedFor(*source, precisions);
        context.exact = exactFor(*source, precisions);
    }
    if (!precisions.empty() && !stage.hasOwnSwitches) {
        scope.emplace(precisions.front().switches);
    }
    FiniteChecks finite(stage, precisions, /*isDryRun=*/false);
    context.finite = &finite;
    std::vector<WireRef> results = stage.run(context, call);
    finite.look(results);
    context.finite = nullptr;
    return results;
}

}  // namespace lowtide::nodes
