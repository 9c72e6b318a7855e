#include "nodes/engine/stage_run.hpp"

#include "nodes/engine/controls.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/nn/shape_walk.hpp"
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

at::Tensor onWire(const Shape& shape, const memory::StagePlace& place, std::string_view port) {
    return place.isElsewhere(port) ? models::ShapeWalk::elsewhere(shape)
                                   : models::ShapeWalk::onWire(shape);
}

namespace {

WireRef conditioningOnWire(const WireRef& value,
                           const memory::StagePlace& place,
                           const std::string& port) {
    const models::ConditioningOutline outline = outlineAt(value, port.c_str());
    std::vector<tensor::ConditioningEntry> entries;
    for (const models::EntryOutline& entry : outline.entries()) {
        tensor::ConditioningEntry& own = entries.emplace_back();
        own.scope = entry.scope;
        for (const auto& [name, shape] : entry.tensors) {
            own.tensors.emplace(name, onWire(shape, place, port));
        }
    }
    return std::make_shared<const tensor::Conditioning>(
        outline.fields(), std::move(entries), std::string(), -1);
}

WireRef latentOnWire(const WireRef& value, const memory::StagePlace& place, std::string_view port) {
    const WireRef kind = kindOf(value);
    std::shared_ptr<const tensor::VideoGuide> guide;
    if (const GuideOutline shapes = guideIn(kind); !shapes.beside.empty()) {
        guide = std::make_shared<const tensor::VideoGuide>(tensor::VideoGuide{
            .beside = onWire(shapes.beside, place, port),
            .seen = shapes.seen.empty() ? at::Tensor() : onWire(shapes.seen, place, port)});
    }
    if (const EmptyOutline* empty = emptyIn(kind)) {
        return std::make_shared<const tensor::EmptyLatents>(
            empty->size, empty->batch, empty->rate, std::move(guide));
    }
    const Shape shape = shapeOf(value);
    at::Tensor samples = onWire(shape, place, port);
    at::Tensor deviation = isDistribution(kind) ? onWire(shape, place, port) : at::Tensor();
    return std::make_shared<const tensor::Latents>(
        std::move(samples), tensor::Provenance{}, nullptr, std::move(deviation), std::move(guide));
}

WireRef controlOnWire(const WireRef& value,
                      const memory::StagePlace& place,
                      std::string_view port) {
    std::vector<ControlEntry> entries = controlsIn(value)->entries();
    for (ControlEntry& entry : entries) {
        entry.hint = onWire(entry.hintShape, place, port);
    }
    return std::make_shared<const Controls>(std::move(entries));
}

WireRef imagePromptOnWire(const WireRef& value,
                          const memory::StagePlace& place,
                          std::string_view port) {
    std::vector<ImagePromptEntry> entries = imagePromptsIn(value)->entries();
    for (ImagePromptEntry& entry : entries) {
        entry.tokens = onWire(entry.tokensShape, place, port);
        entry.mask = entry.maskShape.empty() ? at::Tensor() : onWire(entry.maskShape, place, port);
    }
    return std::make_shared<const ImagePrompts>(std::move(entries));
}

/// A value of the shapes that are known; what was loaded itself.
WireRef valueOnWire(const WireRef& value, const memory::StagePlace& place, std::string_view port) {
    const std::string_view type = value ? value->type() : std::string_view();
    if (type == "CONDITIONING") {
        return conditioningOnWire(value, place, std::string(port));
    }
    if (type == "LATENT") {
        return latentOnWire(value, place, port);
    }
    if (type == "IMAGE") {
        return std::make_shared<const tensor::Images>(onWire(shapeOf(value), place, port),
                                                      tensor::Provenance{});
    }
    if (type == "CONTROL") {
        return controlOnWire(value, place, port);
    }
    if (type == "IMAGE_PROMPT") {
        return imagePromptOnWire(value, place, port);
    }
    if (type == "MASK") {
        return std::make_shared<const tensor::Masks>(onWire(shapeOf(value), place, port));
    }
    return value;
}

/// A picture that the program has not taken yet: in host memory, one at a time.
at::Tensor onItsWay(const Image8& picture) {
    const tensor::WalkMeter::Elsewhere onHost(tensor::WalkMeter::current());
    return at::empty({static_cast<int64_t>(picture.byteCount())},
                     at::TensorOptions(at::kByte).device(c10::kMeta));
}

/// A walk of `run` over the trees.
memory::StageWork walkOver(const memory::StagePlace& place,
                           std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                           const std::function<void(models::ShapeWalk&)>& run) {
    const c10::InferenceMode asOnTheRunThread;
    models::ShapeWalk walk(place, std::move(trees), models::adapterMath());
    run(walk);
    return walk.work();
}

/// Of a stage in a walk, which nobody looks at.
StageCall callFor(const memory::StagePlace& place, at::Tensor& shown) {
    StageCall call{.node = {},
                   .stop = {},
                   .progress = [](std::string_view, double, double) {},
                   .issue = [](const Issue&) {}};
    if (place.previews) {
        call.preview = [&](const LivePicture& live) { shown = onItsWay(live.picture); };
    }
    return call;
}

}  // namespace

memory::StageWork walkStage(const Stage& stage,
                            const StageFacts& facts,
                            const memory::StagePlace& place) {
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
    WalkedShare share;
    memory::StageWork work = walkOver(place, std::move(trees), [&](models::ShapeWalk& walk) {
        FiniteChecks finite(stage, facts.precisions, /*isDryRun=*/true);
        models::StageContext context{.weights = walk,
                                     .record = tensor::Record(nullptr),
                                     .typed = std::move(typed),
                                     .hashes = facts.hashes,
                                     .walk = &walk,
                                     .finite = &finite};
        const auto walked = stage.forWalk(context, [&](auto port, const WireRef& value) {
            return valueOnWire(value, place, port);
        });
        at::Tensor shown;
        finite.look(walked->run(context, callFor(place, shown)));
        share = walked->share;
    });
    work.knowsElsewhere = stage.scopesElsewhere;
    for (memory::ComponentWork& component : work.components) {
        component.passes = component.passes * share.all / share.walked;
    }
    return work;
}

memory::StageWork walkTensors(const memory::StagePlace& place, const std::function<void()>& make) {
    return walkOver(place, {}, [&](models::ShapeWalk&) { make(); });
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
                                   const memory::StagePlace& place) {
    memory::SmallerWork smaller{.param = kTileParam};
    std::copy_if(kTileSides.begin(),
                 kTileSides.end(),
                 std::back_inserter(smaller.values),
                 [&](int64_t side) { return stage->tilePixels == 0 || side < stage->tilePixels; });
    smaller.work = [stage, facts, place](int64_t side) -> std::optional<memory::StageWork> {
        try {
            return withErrorsOf(stage->name,
                                [&] { return walkStage(*stage->inTiles(side), facts, place); });
        } catch (const Error&) {
            return std::nullopt;  // of an overlap, say, that is larger
        }
    };
    return smaller;
}

}  // namespace

executor::WorkOutline outlineStage(const std::shared_ptr<const Stage>& stage,
                                   const std::vector<PortDesc>& ports,
                                   models::ModelHashes& hashes) {
    StageFacts facts{.precisions = precisionsOf(*stage), .hashes = &hashes};
    StageShapes shapes = stage->shape(facts);
    if (!shapes.runsComponents) {
        facts.precisions.clear();
    }
    executor::WorkOutline outline{.fingerprints = std::move(shapes.fingerprints),
                                  .precisions = facts.precisions,
                                  .issues = std::move(shapes.issues),
                                  .facts = std::move(shapes.facts)};
    for (size_t i = 0; i < ports.size(); ++i) {
        outline.outputs.emplace_back(ports[i].id, std::move(shapes.outputs.at(i)));
    }
    if (!facts.precisions.empty()) {
        outline.components = [stage, precisions = facts.precisions] {
            return withErrorsOf(stage->name, [&] {
                const auto source = stage->source();
                return typedTrees(typedFor(*source, precisions), *source, precisions);
            });
        };
    }
    if (stage->tilePixels) {
        outline.smaller = [stage, facts](const memory::StagePlace& place) {
            return inSmallerTiles(stage, facts, place);
        };
    }
    outline.walk = [stage, facts](const memory::StagePlace& place) {
        return withErrorsOf(stage->name, [&] { return walkStage(*stage, facts, place); });
    };
    return outline;
}

void tellProgress(models::StageContext& context,
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
