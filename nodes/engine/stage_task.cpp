#include "nodes/engine/stage_task.hpp"

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
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

namespace lowtide::nodes {

namespace {

/// What lies on the wire into `port`.
at::Tensor onWire(const Shape& shape, const memory::StagePlace& place, std::string_view port) {
    return place.isElsewhere(port) ? models::ShapeWalk::elsewhere(shape)
                                   : models::ShapeWalk::onWire(shape);
}

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

memory::StageWork walkStage(const StageTask& task,
                            const StageFacts& facts,
                            const memory::StagePlace& place) {
    models::TypedNetworks typed;
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    std::optional<tensor::NumericsScope> scope;
    if (!facts.precisions.empty()) {
        const auto source = task.source();
        typed = typedFor(*source, facts.precisions);
        trees = typedTrees(typed, *source, facts.precisions);
    }
    if (!facts.precisions.empty() && !task.hasOwnSwitches) {
        scope.emplace(facts.precisions.front().switches);
    }
    WalkedShare share;
    memory::StageWork work = walkOver(place, std::move(trees), [&](models::ShapeWalk& walk) {
        FiniteChecks finite(task, facts.precisions, /*isDryRun=*/true);
        models::StageContext context{.weights = walk,
                                     .record = tensor::Record(nullptr),
                                     .typed = std::move(typed),
                                     .hashes = facts.hashes,
                                     .walk = &walk,
                                     .finite = &finite};
        at::Tensor shown;
        const WalkedStage walked =
            task.walk(context, callFor(place, shown), [&](auto port, const WireRef& value) {
                return valueOnWire(value, place, port);
            });
        finite.look(walked.results);
        share = walked.share;
    });
    work.knowsElsewhere = task.scopesElsewhere;
    for (memory::ComponentWork& component : work.components) {
        component.passes = component.passes * share.all / share.walked;
    }
    return work;
}

memory::StageWork walkPicture(int64_t heightPixels,
                              int64_t widthPixels,
                              const memory::StagePlace& place) {
    return walkOver(place, {}, [&](models::ShapeWalk&) {
        const auto options = at::TensorOptions(at::kFloat).device(c10::kMeta);
        const at::Tensor pixels =
            at::empty({1, tensor::kPictureChannels, heightPixels, widthPixels}, options);
        const at::Tensor mask = at::empty({1, 1, heightPixels, widthPixels}, options);
    });
}

memory::StageWork walkFrames(const Shape& imageShape, const memory::StagePlace& place) {
    return walkOver(place, {}, [&](models::ShapeWalk&) {
        const at::Tensor frames =
            at::empty(imageShape, at::TensorOptions(at::kFloat).device(c10::kMeta));
    });
}

memory::StageWork walkPictures(const Shape& imageShape, const memory::StagePlace& place) {
    return walkOver(place, {}, [&](models::ShapeWalk&) {
        (void)tensor::image8Tensor(onWire(imageShape, place, "image"));
    });
}

namespace {

std::vector<memory::ComponentPrecision> precisionsOf(const StageTask& task) {
    if (task.roles.empty()) {
        return {};
    }
    const auto source = task.source();
    std::vector<std::string_view> patterns = task.roles;
    for (const std::string_view pattern : task.addedRoles) {
        if (hasRole(*source, pattern)) {
            patterns.push_back(pattern);
        }
    }
    return precisionsFor(*source, patterns, task.precision);
}

/// Sides of tiles that are proposed, the largest first.
constexpr std::array<int64_t, 7> kTileSides = {1024, 768, 512, 384, 256, 192, 128};

memory::SmallerWork inSmallerTiles(const StageTask& task,
                                   const StageFacts& facts,
                                   const memory::StagePlace& place) {
    memory::SmallerWork smaller{.param = task.tileParam};
    std::copy_if(kTileSides.begin(),
                 kTileSides.end(),
                 std::back_inserter(smaller.values),
                 [&](int64_t side) { return task.tilePixels == 0 || side < task.tilePixels; });
    smaller.work = [task, facts, place](int64_t side) -> std::optional<memory::StageWork> {
        try {
            return withErrorsOf(task.name,
                                [&] { return walkStage(task.inTiles(side), facts, place); });
        } catch (const Error&) {
            return std::nullopt;  // of an overlap, say, that is larger
        }
    };
    return smaller;
}

}  // namespace

executor::WorkOutline outlineTask(const StageTask& task,
                                  const std::vector<PortDesc>& ports,
                                  models::ModelHashes& hashes) {
    StageFacts facts{.precisions = precisionsOf(task), .hashes = &hashes};
    StageShapes shapes = task.shape(facts);
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
        outline.components = [task, precisions = facts.precisions] {
            return withErrorsOf(task.name, [&] {
                const auto source = task.source();
                return typedTrees(typedFor(*source, precisions), *source, precisions);
            });
        };
    }
    if (task.inTiles) {
        outline.smaller = [task, facts](const memory::StagePlace& place) {
            return inSmallerTiles(task, facts, place);
        };
    }
    outline.walk = [task, facts](const memory::StagePlace& place) {
        return withErrorsOf(task.name, [&] { return walkStage(task, facts, place); });
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

std::vector<WireRef> runTask(const StageTask& task,
                             models::StageContext& context,
                             const StageCall& call) {
    const std::vector<memory::ComponentPrecision> precisions = precisionsOf(task);
    std::optional<tensor::NumericsScope> scope;
    if (!precisions.empty()) {
        const auto source = task.source();
        context.typed = typedFor(*source, precisions);
        context.exact = exactFor(*source, precisions);
    }
    if (!precisions.empty() && !task.hasOwnSwitches) {
        scope.emplace(precisions.front().switches);
    }
    FiniteChecks finite(task, precisions, /*isDryRun=*/false);
    context.finite = &finite;
    std::vector<WireRef> results = task.run(context, call);
    finite.look(results);
    context.finite = nullptr;
    return results;
}

}  // namespace lowtide::nodes
