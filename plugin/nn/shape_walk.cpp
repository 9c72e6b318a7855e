#include "plugin/nn/shape_walk.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace lowtide::models {

using memory::ComponentTree;
using memory::ComponentWork;
using memory::LeafId;
using memory::LeafUse;

namespace {

at::Tensor onMeta(at::IntArrayRef sizes, at::ScalarType type) {
    return at::empty(sizes, at::TensorOptions(type).device(c10::kMeta));
}

/// What a lease makes of a storage that stays encoded.
at::Tensor decoded(const memory::Storage& storage,
                   const Shape& shape,
                   at::ScalarType type,
                   bool decodesAtOnce) {
    const memory::Encoded& encoded = *storage.encoded;
    if (tensor::WalkMeter::current().imitated() == tensor::Imitated::Cpu ||
        (decodesAtOnce && residency::hasCardWay(encoded))) {
        return onMeta(shape, type);
    }
    const encodings::Part part{encoded.firstElement, storage.elementCount};
    residency::StoredTensors stored{.tensor = &encoded, .part = part};
    {
        const tensor::WalkMeter::Pause areNoActivations;
        stored.blocks = onMeta({storage.fileBytes()}, at::kByte);
        for (size_t i = 0; i < encoded.companions.size(); ++i) {
            const encodings::ByteRange range = encodings::companionRange(encoded, i, part);
            stored.companions.push_back(onMeta({range.count}, at::kByte));
        }
    }
    return residency::decodeByAten(stored).to(type).view(shape);
}

/// Weights are no activations, but what a lease makes of those that lie in another type is.
at::Tensor leased(const ComponentTree& tree, const memory::Weight& weight, DType as) {
    const memory::Storage& storage = tree.storages[weight.storage];
    const at::ScalarType type = residency::scalarTypeOf(as);
    if (storage.scaleCount == 0 && tree.deviceType(weight.storage) == as) {
        const tensor::WalkMeter::Pause isNoActivation;
        return onMeta(weight.shape, type);
    }
    at::Tensor values = onMeta(weight.shape, type);
    if (storage.scaleCount > 0 && as != DType::F32) {
        const at::Tensor scales = onMeta({storage.scaleCount}, type);
    }
    return values;
}

/// With factors that are weights, which count nothing.
std::vector<residency::FactoredChange> changesOf(const ComponentTree& tree,
                                                 memory::StorageId storage) {
    const tensor::WalkMeter::Pause areNoActivations;
    return residency::factored(tree.changesOf(storage), [&](memory::WeightId factor) {
        const memory::Weight& weight = tree.weights[factor];
        return onMeta(weight.shape, residency::scalarTypeOf(weight.computeType));
    });
}

bool haveSameLeaves(const std::vector<LeafUse>& a, const std::vector<LeafUse>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.leaf == y.leaf;
    });
}

}  // namespace

ShapeWalk::ShapeWalk(const memory::StagePlace& place,
                     std::vector<std::shared_ptr<const ComponentTree>> trees,
                     const residency::ChangeMath& math)
    : meter_(place.device), rolesElsewhere_(place.rolesElsewhere), math_(math) {
    for (std::shared_ptr<const ComponentTree>& tree : trees) {
        components_.push_back({.tree = std::move(tree)});
    }
}

void ShapeWalk::beginPass(const ComponentTree& tree, const memory::PassHint& hint) {
    closeLeaf();
    Component& own = component(tree);
    own.order.push_back({.pass = own.passes.size(), .hint = hint});
    own.passes.emplace_back();
    noteTurn(own);
}

residency::Lease ShapeWalk::use(const ComponentTree& tree, LeafId leaf) {
    closeLeaf();
    Component& own = component(tree);
    LOWTIDE_ASSERT(!own.passes.empty());
    changeLeaf(tree, leaf);
    flopsBefore_ = meter_.flops();
    open_ = &own.passes.back().emplace_back(LeafUse{.leaf = leaf});
    std::vector<at::Tensor> tensors;
    for (const memory::WeightId id : tree.leaves[leaf].ownWeights()) {
        const memory::Weight& weight = tree.weights[id];
        tensors.push_back(decodedAndChanged(tree, weight));
    }
    return {std::move(tensors), nullptr};
}

/// As ChangedWeights::tensorOf().
at::Tensor ShapeWalk::decodedAndChanged(const ComponentTree& tree, const memory::Weight& weight) {
    const memory::Storage& storage = tree.storages[weight.storage];
    const std::vector<residency::FactoredChange> changes =
        changesAtLease(storage) ? changesOf(tree, weight.storage)
                                : std::vector<residency::FactoredChange>();
    const DType type = changes.empty() ? weight.computeType : DType::F32;
    at::Tensor values = storage.staysEncoded ? decoded(storage,
                                                       weight.shape,
                                                       residency::scalarTypeOf(type),
                                                       meter_.device().decodesAtOnce)
                                             : leased(tree, weight, type);
    if (!changes.empty()) {
        math_.apply(values, changes);
    }
    return values.to(residency::scalarTypeOf(weight.computeType));
}

/// What the changes of a leaf take for a moment, where it came just before: the operations of it
/// are not those of every pass.
void ShapeWalk::changeLeaf(const ComponentTree& tree, LeafId leaf) {
    if (tree.leaves[leaf].factorCount == 0) {
        return;
    }
    for (const memory::WeightId id : tree.leaves[leaf].ownWeights()) {
        const memory::Weight& weight = tree.weights[id];
        const memory::Storage& storage = tree.storages[weight.storage];
        const std::vector<residency::FactoredChange> changes = changesOf(tree, weight.storage);
        if (changes.empty() || changesAtLease(storage)) {
            continue;
        }
        const DType held = tree.deviceType(weight.storage);
        const bool isExact = held == DType::F32 && !storage.arrivalType;
        at::Tensor exact = isExact ? onWire(weight.shape) : onMeta(weight.shape, at::kFloat);
        math_.apply(exact, changes);
    }
}

/// Rows are read in host memory and go to the device from there.
at::Tensor ShapeWalk::gatherRows(const ComponentTree& tree, LeafId leaf, const at::Tensor& ids) {
    at::Tensor rows;
    {
        const tensor::WalkMeter::Elsewhere onHost(meter_);
        rows = rowsOnHost(tree, leaf, ids);
    }
    return meter_.imitated() == tensor::Imitated::Cpu ? rows
                                                      : onMeta(rows.sizes(), rows.scalar_type());
}

at::Tensor ShapeWalk::rowsOnHost(const ComponentTree& tree, LeafId leaf, const at::Tensor& ids) {
    const memory::Weight& table = tree.weights[tree.leaves[leaf].weights.front()];
    std::vector<int64_t> sizes = ids.sizes().vec();
    sizes.push_back(table.shape[1]);
    const at::ScalarType type = residency::scalarTypeOf(table.computeType);
    if (tree.leaves[leaf].factorCount == 0) {
        return onMeta(sizes, type);
    }
    at::Tensor rows = onMeta({ids.numel(), table.shape[1]}, at::kFloat);
    std::vector<residency::FactoredChange> changes = changesOf(tree, table.storage);
    for (residency::FactoredChange& change : changes) {
        for (at::Tensor& factor : change.factors) {
            factor = onMeta(factor.sizes(), factor.scalar_type());
        }
    }
    math_.applyToRows(rows, onMeta({ids.numel()}, at::kLong), changes);
    return rows.to(type).view(sizes);
}

at::Tensor ShapeWalk::runPass(const ComponentTree& /*tree*/,
                              const residency::PassInputs& inputs,
                              const residency::PassWork& work) {
    if (!tensor::WalkMeter::isOnCuda()) {
        return work(inputs);
    }
    residency::PassInputs kept;
    for (const at::Tensor& input : inputs) {
        kept.push_back(input.defined() ? onMeta(input.sizes(), input.scalar_type()) : input);
    }
    const at::Tensor result = work(inputs);
    return onMeta(result.sizes(), result.scalar_type());
}

at::Tensor ShapeWalk::onWire(at::IntArrayRef sizes) {
    const tensor::WalkMeter::Pause isThereAlready;
    return onMeta(sizes, at::kFloat);
}

at::Tensor ShapeWalk::elsewhere(at::IntArrayRef sizes) {
    const tensor::WalkMeter::Pause isNotHere;
    return at::empty(sizes, at::TensorOptions(at::kFloat).device(at::kCPU));
}

std::vector<at::Tensor> ShapeWalk::passOver(const ComponentTree& tree,
                                            at::IntArrayRef sizes,
                                            const std::function<std::vector<at::Tensor>()>& forward,
                                            const PassedOver& passed) {
    std::vector<at::Tensor> results;
    onDeviceOf(tree, [&] { results = passThere(component(tree), sizes, forward, passed); });
    if (isElsewhere(tree) && !passed.staysThere) {
        for (at::Tensor& result : results) {
            result = onMeta(result.sizes(), at::kFloat);
        }
    }
    return results;
}

std::vector<at::Tensor> ShapeWalk::passThere(
    Component& own,
    at::IntArrayRef sizes,
    const std::function<std::vector<at::Tensor>()>& forward,
    const PassedOver& passed) {
    const auto known = std::find_if(
        own.known.begin(), own.known.end(), [&](const auto& pass) { return sizes == pass.sizes; });
    if (known != own.known.end()) {
        for (Happened happened : known->passes) {
            happened.hint = known->passes.size() == 1 ? passed.hint : happened.hint;
            own.order.push_back(happened);
            noteTurn(own);
        }
        const auto take = [&] {
            meter_.touch(known->bytes);
            meter_.touchHost(known->hostBytes);
        };
        if (passed.around) {
            passed.around(take);
        } else {
            take();
        }
        std::vector<at::Tensor> results;
        for (const std::vector<int64_t>& result : known->resultSizes) {
            results.push_back(onMeta(result, at::kFloat));
        }
        return results;
    }
    const tensor::WalkMeter::Section section(meter_);
    const auto before = static_cast<std::ptrdiff_t>(own.order.size());
    std::vector<at::Tensor> results = forward();
    closeLeaf();
    KnownForward walked{.sizes = sizes.vec(),
                        .resultSizes = {},
                        .bytes = section.peak(),
                        .hostBytes = section.hostPeak(),
                        .passes = {own.order.begin() + before, own.order.end()}};
    for (const at::Tensor& result : results) {
        LOWTIDE_ASSERT(result.scalar_type() == at::kFloat && result.is_contiguous());
        walked.resultSizes.push_back(result.sizes().vec());
    }
    own.known.push_back(std::move(walked));
    return results;
}

void ShapeWalk::onDeviceOf(const ComponentTree& tree, const std::function<void()>& work) {
    std::optional<tensor::WalkMeter::Elsewhere> there;
    if (const auto device = rolesElsewhere_.find(tree.role); device != rolesElsewhere_.end()) {
        there.emplace(meter_, device->second);
    }
    work();
}

bool ShapeWalk::isElsewhere(const ComponentTree& tree) const {
    return rolesElsewhere_.contains(tree.role);
}

void ShapeWalk::tryPass(const ComponentTree& tree, const std::function<at::Tensor()>& pass) {
    const size_t happened = component(tree).order.size();
    const std::vector<Turn> before = turns_;
    (void)pass();
    component(tree).order.resize(happened);
    turns_ = before;
}

memory::StageWork ShapeWalk::work() {
    closeLeaf();
    memory::StageWork work{.activations = meter_.peak(),
                           .elsewhere = meter_.peaksElsewhere(),
                           .guessed = meter_.guessed()};
    for (const Component& own : components_) {
        if (own.order.empty()) {
            continue;
        }
        ComponentWork& seen = work.components.emplace_back(
            ComponentWork{.tree = own.tree,
                          .pass = patternOf(own, 0),
                          .passes = static_cast<int64_t>(own.order.size())});
        for (const Happened& happened : own.order) {
            const uint32_t pattern = happened.hint.pattern;
            if (pattern > 0 && !seen.others.contains(pattern)) {
                seen.others[pattern] = patternOf(own, pattern);
            }
        }
        for (const Happened& happened : own.order) {
            if (!seen.others.empty()) {
                seen.sequence.push_back(happened.hint);
            }
        }
    }
    work.turns = turns(work);
    return work;
}

void ShapeWalk::noteTurn(const Component& component) {
    if (turns_.empty() || turns_.back().component != &component) {
        turns_.push_back({.component = &component, .passes = 0});
    }
    ++turns_.back().passes;
}

/// Empty where each component comes once.
std::vector<memory::ComponentTurn> ShapeWalk::turns(const memory::StageWork& work) const {
    std::vector<memory::ComponentTurn> turns;
    for (const Turn& turn : turns_) {
        const auto seen = std::find_if(
            work.components.begin(), work.components.end(), [&](const ComponentWork& each) {
                return each.tree == turn.component->tree;
            });
        turns.push_back({.component = static_cast<size_t>(seen - work.components.begin()),
                         .passes = turn.passes});
    }
    return turns.size() == work.components.size() ? std::vector<memory::ComponentTurn>() : turns;
}

/// The longest pass of the pattern with the mean operations of those like it.
memory::AccessPattern ShapeWalk::patternOf(const Component& component, uint32_t pattern) {
    const memory::AccessPattern* longest = nullptr;
    for (const Happened& happened : component.order) {
        const memory::AccessPattern& pass = component.passes[happened.pass];
        if (happened.hint.pattern == pattern && (!longest || pass.size() > longest->size())) {
            longest = &pass;
        }
    }
    LOWTIDE_ASSERT(longest);
    memory::AccessPattern mean = *longest;
    std::vector<double> sums(longest->size(), 0.0);
    double count = 0;
    for (const Happened& happened : component.order) {
        const memory::AccessPattern& pass = component.passes[happened.pass];
        if (happened.hint.pattern != pattern || !haveSameLeaves(pass, *longest)) {
            continue;
        }
        ++count;
        for (size_t i = 0; i < pass.size(); ++i) {
            sums[i] += pass[i].flops;
        }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
        mean[i].flops = sums[i] / count;
    }
    return mean;
}

ShapeWalk::Component& ShapeWalk::component(const ComponentTree& tree) {
    const auto found = std::find_if(components_.begin(), components_.end(), [&](const auto& own) {
        return own.tree->id == tree.id;
    });
    LOWTIDE_ASSERT(found != components_.end());
    return *found;
}

/// What operators did since the last lease was done with its leaf.
void ShapeWalk::closeLeaf() noexcept {
    if (open_) {
        open_->flops = meter_.flops() - flopsBefore_;
        open_ = nullptr;
    }
    flopsBefore_ = meter_.flops();
}

namespace {

/// One step of a denoiser in a walk.
at::Tensor walkedStep(ShapeWalk& walk,
                      const memory::ComponentTree& tree,
                      const at::Tensor& latents,
                      std::vector<int64_t> sizes,
                      const sampling::StepInfo& step,
                      const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    const sampling::StepDecision& decision = step.decision;
    const sampling::StepWork work = decision.begins();
    sizes.insert(sizes.end(), {static_cast<int64_t>(work), decision.isOpen});
    PassedOver passed{.hint = passHint(step, work)};
    if (decision.cache) {
        if (decision.work == sampling::StepWork::Partial) {
            sizes.push_back(static_cast<int64_t>(decision.cache->heldCount()));
        }
        passed.around = [&](const auto& take) {
            decision.cache->passOver(step, latents.sizes(), take);
        };
    }
    return walk
        .passOver(
            tree, sizes, [&] { return std::vector<at::Tensor>{forward(step)}; }, passed)
        .front();
}

}  // namespace

at::Tensor passOver(StageContext& context,
                    const memory::ComponentTree& network,
                    at::IntArrayRef sizes,
                    const std::function<at::Tensor()>& forward) {
    at::Tensor result = context.walk
                            ? context.walk
                                  ->passOver(context.treeOf(network),
                                             sizes,
                                             [&] { return std::vector<at::Tensor>{forward()}; },
                                             {.hint = context.pass})
                                  .front()
                            : forward();
    noteFinite(context, network, result);
    return result;
}

std::vector<at::Tensor> passOver(ShapeWalk* walk,
                                 const memory::ComponentTree& tree,
                                 at::IntArrayRef sizes,
                                 const PassedOver& passed,
                                 const std::function<std::vector<at::Tensor>()>& forward) {
    return walk ? walk->passOver(tree, sizes, forward, passed) : forward();
}

void onDeviceOf(ShapeWalk* walk,
                const memory::ComponentTree& tree,
                const std::function<void()>& work) {
    if (walk) {
        walk->onDeviceOf(tree, work);
    } else {
        work();
    }
}

at::Tensor stepOver(ShapeWalk* walk,
                    const memory::ComponentTree& tree,
                    const at::Tensor& latents,
                    at::IntArrayRef sizes,
                    const sampling::StepInfo& step,
                    const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    if (!walk) {
        return forward(step);
    }
    std::vector<int64_t> all = latents.sizes().vec();
    all.insert(all.end(), sizes.begin(), sizes.end());
    if (step.decision.isOpen) {
        sampling::StepInfo reused = step;
        reused.decision.isOpen = false;
        walk->tryPass(tree, [&] { return walkedStep(*walk, tree, latents, all, reused, forward); });
    }
    return walkedStep(*walk, tree, latents, std::move(all), step, forward);
}

}  // namespace lowtide::models
