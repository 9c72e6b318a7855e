#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/block_cache/block_cache_settings.hpp"
#include "plugin/sampling/step_caches/gates/first_block_gate.hpp"
#include "plugin/sampling/step_caches/gates/mask_gate.hpp"
#include "plugin/sampling/step_caches/predictors/reuse_predictor.hpp"
#include "plugin/sampling/step_caches/predictors/step_changes.hpp"
#include "plugin/sampling/step_caches/predictors/taylor_predictor.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::sampling {

namespace {

constexpr const char* kFirstBlock = "first_block";

std::unique_ptr<StepGate> makeGate(const BlockCacheSettings& settings) {
    return settings.gate == kFirstBlock ? firstBlockGate(settings.threshold)
                                        : maskGate(settings.mask);
}

std::unique_ptr<StepPredictor> makePredictor(const BlockCacheSettings& settings) {
    return settings.predictor == "taylor" ? taylorPredictor() : reusePredictor();
}

/// One slot: what the blocks behind the first one add, and how the gate stands.
struct BlockSlot {
    ReuseDecision decision;
    std::unique_ptr<StepPredictor> predictor;
    at::Tensor input{};  ///< of the first block, during an evaluation
    at::Tensor added{};  ///< by the first block in the last computed step, where the gate reads it
};

/// The first block always runs. What the others add to its result is kept, where that has the same
/// shape; else the result at the cut itself (a UNet's way up has other channels).
class BlockSession final : public InnerSession {
public:
    BlockSession(BlockCacheSettings settings, int callCount, int depth)
        : settings_(std::move(settings)), callCount_(callCount), depth_(depth) {}

    [[nodiscard]] StepWork decide(const StepInfo& step) const override {
        const auto found = slots_.find(step.slot);
        if (found == slots_.end() || !found->second.predictor->isReady()) {
            return StepWork::Full;
        }
        const ReuseDecision& decision = found->second.decision;
        const GateStep here = gateStep(step);
        const bool mayReuse =
            isGated() ? decision.isOpen(here.step, here.stepCount) : decision.wantsReuse(here);
        return mayReuse ? StepWork::Partial : StepWork::Full;
    }

    [[nodiscard]] bool isGated() const override { return settings_.gate == kFirstBlock; }

    [[nodiscard]] int depth() const override { return depth_; }

    void enter(const StepInfo& step, const at::Tensor& input) override {
        if (isGated()) {
            slotOf(step.slot).input = input;
        }
    }

    [[nodiscard]] bool reuses(const StepInfo& step, const at::Tensor& probe) override {
        const BlockSlot& slot = slots_.at(step.slot);
        GateStep here = gateStep(step);
        if (!probe.is_meta()) {
            here.change = relativeChange(addedBy(slot, probe), slot.added);
        }
        return slot.decision.wantsReuse(here);
    }

    void noteReused(const StepInfo& step) override {
        BlockSlot& slot = slots_.at(step.slot);
        slot.decision.noteReused(gateStep(step));
        slot.input.reset();
    }

    void keep(const StepInfo& step, const at::Tensor& probe, const at::Tensor& value) override {
        BlockSlot& slot = slotOf(step.slot);
        isOnProbe_ = value.sizes() == probe.sizes();
        slot.predictor->observe(step.taken, isOnProbe_ ? value - probe : value);
        if (isGated()) {
            slot.added = addedBy(slot, probe);
            slot.input.reset();
        }
        slot.decision.noteComputed(gateStep(step));
    }

    [[nodiscard]] at::Tensor value(const StepInfo& step, const at::Tensor& probe) const override {
        const at::Tensor foretold = slots_.at(step.slot).predictor->predict(step.taken);
        return isOnProbe_ ? probe + foretold : foretold;
    }

    void makeRoom(const CacheSlot& place) override {
        BlockSlot& slot = slotOf(place);
        slot.predictor->makeRoom();
        slot.added.reset();
    }

    void forget(const CacheSlot& slot) override { slots_.erase(slot); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [place, slot] : slots_) {
            for (const at::Tensor& tensor : slot.predictor->held()) {
                tensors.push_back(tensor);
            }
            if (slot.added.defined()) {
                tensors.push_back(slot.added);
            }
        }
        return tensors;
    }

private:
    [[nodiscard]] GateStep gateStep(const StepInfo& step) const {
        return {.step = step.taken, .stepCount = callCount_};
    }

    BlockSlot& slotOf(const CacheSlot& place) {
        const auto found = slots_.find(place);
        if (found != slots_.end()) {
            return found->second;
        }
        return slots_
            .emplace(place,
                     BlockSlot{.decision = ReuseDecision(makeGate(settings_), settings_.limits),
                               .predictor = makePredictor(settings_)})
            .first->second;
    }

    /// A walk over shapes passes blocks over that it knows: then nothing was entered.
    static at::Tensor addedBy(const BlockSlot& slot, const at::Tensor& probe) {
        return slot.input.defined() ? probe - slot.input : at::empty_like(probe);
    }

    const BlockCacheSettings settings_;
    const int callCount_;
    const int depth_;
    std::map<CacheSlot, BlockSlot> slots_;
    bool isOnProbe_ = false;  ///< values are what is added to the probe
};

/// First Block Cache (ParaAttention) and TaylorSeer (Liu et al. 2025) behind one node.
class BlockCache final : public StepCache {
public:
    explicit BlockCache(BlockCacheSettings settings) : settings_(std::move(settings)) {
        (void)ReuseDecision(makeGate(settings_), settings_.limits);  // refuses bad settings
    }

    [[nodiscard]] std::string label() const override {
        return "Block cache, " +
               (settings_.gate == kFirstBlock ? "first block " + formatNumber(settings_.threshold)
                                              : "mask") +
               (settings_.predictor == "taylor" ? ", Taylor" : "");
    }

    [[nodiscard]] memory::CacheNeed need() const override { return memory::CacheNeed::FirstBlock; }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        checkNeed(*this, run.points);
        if (settings_.gate != kFirstBlock) {
            checkStepMask(settings_.mask, run.callCount());
        }
        CacheSessions sessions;
        const bool isOff = settings_.gate == kFirstBlock
                               ? settings_.threshold == 0
                               : std::find(settings_.mask.begin(), settings_.mask.end(), false) ==
                                     settings_.mask.end();
        if (!isOff && settings_.limits.leaveSteps(run.callCount())) {
            sessions.inner =
                std::make_unique<BlockSession>(settings_, run.callCount(), run.points.firstBlock);
        }
        return sessions;
    }

private:
    const BlockCacheSettings settings_;
};

}  // namespace

StepCacheType block_cache() {
    return {.name = "block_cache", .make = [](const Json& settings) {
                return std::make_shared<const BlockCache>(readBlockCache(settings));
            }};
}

}  // namespace lowtide::sampling
