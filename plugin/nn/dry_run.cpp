#include "plugin/nn/dry_run.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
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

/// What a lease makes of a storage that remains encoded.
at::Tensor decoded(const memory::Storage& storage,
                   const Shape& shape,
                   at::ScalarType type,
                   bool decodesAtOnce) {
    const memory::Encoded& encoded = *storage.encoded;
    if (tensor::DryRunMeter::current().imitated() == tensor::Imitated::Cpu ||
        (decodesAtOnce && residency::hasGpuDecoder(encoded))) {
        return onMeta(shape, type);
    }
    const encodings::Part part{encoded.firstElement, storage.elementCount};
    residency::StoredTensors stored{.tensor = &encoded, .part = part};
    {
        const tensor::DryRunMeter::Pause areNoActivations;
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
        const tensor::DryRunMeter::Pause isNoActivation;
        return onMeta(weight.shape, type);
    }
    at::Tensor values = onMeta(weight.shape, type);
    if (storage.scaleCount > 0 && as != DType::F32) {
        const at::Tensor scales = onMeta({storage.scaleCount}, type);
    }
    return values;
}

/// With factors that are weights, which count nothing.
std::vector<residency::FactoredDelta> deltasOf(const ComponentTree& tree,
                                               memory::StorageId storage) {
    const tensor::DryRunMeter::Pause areNoActivations;
    return residency::factored(tree.deltasOf(storage), [&](memory::WeightId factor) {
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

DryRun::DryRun(const memory::StageDevices& devices,
               std::vector<std::shared_ptr<const ComponentTree>> trees,
               const residency::DeltaMath& math)
    : meter_(devices.device), rolesElsewhere_(devices.rolesElsewhere), math_(math) {
    for (std::shared_ptr<const ComponentTree>& tree : trees) {
        components_.push_back({.tree = std::move(tree)});
    }
}

void DryRun::beginForward(const ComponentTree& tree, const memory::ForwardHint& hint) {
    closeLeaf();
    Component& own = component(tree);
    own.order.push_back({.forwardPass = own.forwards.size(), .hint = hint});
    own.forwards.emplace_back();
    noteBurst(own);
}

residency::Lease DryRun::use(const ComponentTree& tree, LeafId leaf) {
    closeLeaf();
    Component& own = component(tree);
    LOWTIDE_ASSERT(!own.forwards.empty());
    adaptLeaf(tree, leaf);
    flopsBefore_ = meter_.flops();
    open_ = &own.forwards.back().emplace_back(LeafUse{.leaf = leaf});
    std::vector<at::Tensor> tensors;
    for (const memory::WeightId id : tree.leaves[leaf].ownWeights()) {
        const memory::Weight& weight = tree.weights[id];
        tensors.push_back(decodedAndAdapted(tree, weight));
    }
    return {std::move(tensors), nullptr};
}

/// As AdaptedWeights::tensorOf().
at::Tensor DryRun::decodedAndAdapted(const ComponentTree& tree, const memory::Weight& weight) {
    const memory::Storage& storage = tree.storages[weight.storage];
    const std::vector<residency::FactoredDelta> deltas =
        deltasAtLease(storage) ? deltasOf(tree, weight.storage)
                               : std::vector<residency::FactoredDelta>();
    const DType type = deltas.empty() ? tree.leasedType(weight) : DType::F32;
    at::Tensor values = storage.isKeptEncoded ? decoded(storage,
                                                        weight.shape,
                                                        residency::scalarTypeOf(type),
                                                        meter_.device().decodesAtOnce)
                                              : leased(tree, weight, type);
    if (!deltas.empty()) {
        math_.apply(values, deltas);
    }
    return values.to(residency::scalarTypeOf(tree.leasedType(weight)));
}

/// What the changes of a leaf take for a moment, where it came just before: the operations of it
/// are not those of every forward.
void DryRun::adaptLeaf(const ComponentTree& tree, LeafId leaf) {
    if (tree.leaves[leaf].factorCount == 0) {
        return;
    }
    for (const memory::WeightId id : tree.leaves[leaf].ownWeights()) {
        const memory::Weight& weight = tree.weights[id];
        const memory::Storage& storage = tree.storages[weight.storage];
        const std::vector<residency::FactoredDelta> deltas = deltasOf(tree, weight.storage);
        if (deltas.empty() || deltasAtLease(storage)) {
            continue;
        }
        const DType held = tree.deviceType(weight.storage);
        const bool isExact = held == DType::F32 && !storage.uploadType;
        at::Tensor exact = isExact ? onWire(weight.shape) : onMeta(weight.shape, at::kFloat);
        math_.apply(exact, deltas);
    }
}

/// Rows are read in host memory and go to the device from there.
at::Tensor DryRun::gatherRows(const ComponentTree& tree, LeafId leaf, const at::Tensor& ids) {
    at::Tensor rows;
    {
        const tensor::DryRunMeter::Elsewhere onHost(meter_);
        rows = rowsOnHost(tree, leaf, ids);
    }
    return meter_.imitated() == tensor::Imitated::Cpu ? rows
                                                      : onMeta(rows.sizes(), rows.scalar_type());
}

at::Tensor DryRun::rowsOnHost(const ComponentTree& tree, LeafId leaf, const at::Tensor& ids) {
    const memory::Weight& table = tree.weights[tree.leaves[leaf].weights.front()];
    std::vector<int64_t> sizes = ids.sizes().vec();
    sizes.push_back(table.shape[1]);
    const at::ScalarType type = residency::scalarTypeOf(table.computeType);
    if (tree.leaves[leaf].factorCount == 0) {
        return onMeta(sizes, type);
    }
    at::Tensor rows = onMeta({ids.numel(), table.shape[1]}, at::kFloat);
    std::vector<residency::FactoredDelta> deltas = deltasOf(tree, table.storage);
    for (residency::FactoredDelta& delta : deltas) {
        for (at::Tensor& factor : delta.factors) {
            factor = onMeta(factor.sizes(), factor.scalar_type());
        }
    }
    math_.applyToRows(rows, onMeta({ids.numel()}, at::kLong), deltas);
    return rows.to(type).view(sizes);
}

at::Tensor DryRun::runForward(const ComponentTree& /*tree*/,
                              const residency::ForwardInputs& inputs,
                              const residency::ForwardWork& work) {
    if (!tensor::DryRunMeter::isOnCuda()) {
        return work(inputs);
    }
    residency::ForwardInputs kept;
    for (const at::Tensor& input : inputs) {
        kept.push_back(input.defined() ? onMeta(input.sizes(), input.scalar_type()) : input);
    }
    const at::Tensor result = work(inputs);
    return onMeta(result.sizes(), result.scalar_type());
}

at::Tensor DryRun::onWire(at::IntArrayRef sizes) {
    const tensor::DryRunMeter::Pause isThereAlready;
    return onMeta(sizes, at::kFloat);
}

at::Tensor DryRun::elsewhere(at::IntArrayRef sizes) {
    const tensor::DryRunMeter::Pause isNotHere;
    return at::empty(sizes, at::TensorOptions(at::kFloat).device(at::kCPU));
}

std::vector<at::Tensor> DryRun::skipForward(const ComponentTree& tree,
                                            at::IntArrayRef sizes,
                                            const std::function<std::vector<at::Tensor>()>& forward,
                                            const SkippedForward& passed) {
    std::vector<at::Tensor> results;
    onDeviceOf(tree, [&] { results = forwardThere(component(tree), sizes, forward, passed); });
    if (isElsewhere(tree) && !passed.isLeftThere) {
        for (at::Tensor& result : results) {
            result = onMeta(result.sizes(), at::kFloat);
        }
    }
    return results;
}

std::vector<at::Tensor> DryRun::forwardThere(
    Component& own,
    at::IntArrayRef sizes,
    const std::function<std::vector<at::Tensor>()>& forward,
    const SkippedForward& passed) {
    const auto known =
        std::find_if(own.known.begin(), own.known.end(), [&](const auto& forwardPass) {
            return sizes == forwardPass.sizes;
        });
    if (known != own.known.end()) {
        for (Happened happened : known->forwards) {
            happened.hint = known->forwards.size() == 1 ? passed.hint : happened.hint;
            own.order.push_back(happened);
            noteBurst(own);
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
    const tensor::DryRunMeter::Section section(meter_);
    const auto before = static_cast<std::ptrdiff_t>(own.order.size());
    std::vector<at::Tensor> results = forward();
    closeLeaf();
    KnownForward measured{.sizes = sizes.vec(),
                          .resultSizes = {},
                          .bytes = section.peak(),
                          .hostBytes = section.hostPeak(),
                          .forwards = {own.order.begin() + before, own.order.end()}};
    for (const at::Tensor& result : results) {
        LOWTIDE_ASSERT(result.scalar_type() == at::kFloat && result.is_contiguous());
        measured.resultSizes.push_back(result.sizes().vec());
    }
    own.known.push_back(std::move(measured));
    return results;
}

void DryRun::onDeviceOf(const ComponentTree& tree, const std::function<void()>& work) {
    std::optional<tensor::DryRunMeter::Elsewhere> there;
    if (const auto device = rolesElsewhere_.find(tree.role); device != rolesElsewhere_.end()) {
        there.emplace(meter_, device->second);
    }
    work();
}

bool DryRun::isElsewhere(const ComponentTree& tree) const {
    return rolesElsewhere_.contains(tree.role);
}

void DryRun::tryForward(const ComponentTree& tree, const std::function<at::Tensor()>& forwardPass) {
    const size_t happened = component(tree).order.size();
    const std::vector<Burst> before = bursts_;
    (void)forwardPass();
    component(tree).order.resize(happened);
    bursts_ = before;
}

memory::StageWork DryRun::work() {
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
                          .forward = patternOf(own, 0),
                          .forwards = static_cast<int64_t>(own.order.size())});
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
    work.bursts = bursts(work);
    return work;
}

void DryRun::noteBurst(const Component& component) {
    if (bursts_.empty() || bursts_.back().component != &component) {
        bursts_.push_back({.component = &component, .forwards = 0});
    }
    ++bursts_.back().forwards;
}

/// Empty where each component comes once.
std::vector<memory::ComponentBurst> DryRun::bursts(const memory::StageWork& work) const {
    std::vector<memory::ComponentBurst> bursts;
    for (const Burst& burst : bursts_) {
        const auto seen = std::find_if(
            work.components.begin(), work.components.end(), [&](const ComponentWork& each) {
                return each.tree == burst.component->tree;
            });
        bursts.push_back({.component = static_cast<size_t>(seen - work.components.begin()),
                          .forwards = burst.forwards});
    }
    return bursts.size() == work.components.size() ? std::vector<memory::ComponentBurst>() : bursts;
}

/// The longest forward of the pattern with the mean operations of those like it.
memory::AccessPattern DryRun::patternOf(const Component& component, uint32_t pattern) {
    const memory::AccessPattern* longest = nullptr;
    for (const Happened& happened : component.order) {
        const memory::AccessPattern& forwardPass = component.forwards[happened.forwardPass];
        if (happened.hint.pattern == pattern &&
            (!longest || forwardPass.size() > longest->size())) {
            longest = &forwardPass;
        }
    }
    LOWTIDE_ASSERT(longest);
    memory::AccessPattern mean = *longest;
    std::vector<double> sums(longest->size(), 0.0);
    double count = 0;
    for (const Happened& happened : component.order) {
        const memory::AccessPattern& forwardPass = component.forwards[happened.forwardPass];
        if (happened.hint.pattern != pattern || !haveSameLeaves(forwardPass, *longest)) {
            continue;
        }
        ++count;
        for (size_t i = 0; i < forwardPass.size(); ++i) {
            sums[i] += forwardPass[i].flops;
        }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
        mean[i].flops = sums[i] / count;
    }
    return mean;
}

DryRun::Component& DryRun::component(const ComponentTree& tree) {
    const auto found = std::find_if(components_.begin(), components_.end(), [&](const auto& own) {
        return own.tree->id == tree.id;
    });
    LOWTIDE_ASSERT(found != components_.end());
    return *found;
}

/// What operators did since the last lease was done with its leaf.
void DryRun::closeLeaf() noexcept {
    if (open_) {
        open_->flops = meter_.flops() - flopsBefore_;
        open_ = nullptr;
    }
    flopsBefore_ = meter_.flops();
}

namespace {

/// One step of a denoiser in a dry run.
at::Tensor dryRunStep(DryRun& dryRun,
                      const memory::ComponentTree& tree,
                      const at::Tensor& latents,
                      std::vector<int64_t> sizes,
                      const sampling::StepInfo& step,
                      const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    const sampling::StepDecision& decision = step.decision;
    const sampling::StepWork work = decision.begins();
    sizes.insert(sizes.end(), {static_cast<int64_t>(work), decision.isOpen});
    SkippedForward passed{.hint = forwardHint(step, work)};
    if (decision.cache) {
        if (decision.work == sampling::StepWork::Partial) {
            sizes.push_back(static_cast<int64_t>(decision.cache->heldCount()));
        }
        passed.around = [&](const auto& take) {
            decision.cache->skipForward(step, latents.sizes(), take);
        };
    }
    return dryRun
        .skipForward(
            tree, sizes, [&] { return std::vector<at::Tensor>{forward(step)}; }, passed)
        .front();
}

}  // namespace

at::Tensor skipForward(StageContext& context,
                       const memory::ComponentTree& network,
                       at::IntArrayRef sizes,
                       const std::function<at::Tensor()>& forward) {
    at::Tensor result = context.dryRun
                            ? context.dryRun
                                  ->skipForward(context.treeOf(network),
                                                sizes,
                                                [&] { return std::vector<at::Tensor>{forward()}; },
                                                {.hint = context.forward})
                                  .front()
                            : forward();
    noteFinite(context, network, result);
    return result;
}

std::vector<at::Tensor> skipForward(DryRun* dryRun,
                                    const memory::ComponentTree& tree,
                                    at::IntArrayRef sizes,
                                    const SkippedForward& passed,
                                    const std::function<std::vector<at::Tensor>()>& forward) {
    return dryRun ? dryRun->skipForward(tree, sizes, forward, passed) : forward();
}

void onDeviceOf(DryRun* dryRun,
                const memory::ComponentTree& tree,
                const std::function<void()>& work) {
    if (dryRun) {
        dryRun->onDeviceOf(tree, work);
    } else {
        work();
    }
}

at::Tensor stepOver(DryRun* dryRun,
                    const memory::ComponentTree& tree,
                    const at::Tensor& latents,
                    at::IntArrayRef sizes,
                    const sampling::StepInfo& step,
                    const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    if (!dryRun) {
        return forward(step);
    }
    std::vector<int64_t> all = latents.sizes().vec();
    all.insert(all.end(), sizes.begin(), sizes.end());
    if (step.decision.isOpen) {
        sampling::StepInfo reused = step;
        reused.decision.isOpen = false;
        dryRun->tryForward(
            tree, [&] { return dryRunStep(*dryRun, tree, latents, all, reused, forward); });
    }
    return dryRunStep(*dryRun, tree, latents, std::move(all), step, forward);
}

}  // namespace lowtide::models
