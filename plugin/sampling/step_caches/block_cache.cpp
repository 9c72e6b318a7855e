// The block cache: what the blocks behind the first one add is reused while a gate allows it.

#include "plugin/base/error.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/step_caches/step_changes.hpp"
#include "plugin/sampling/step_caches/step_predictor.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::sampling {

/// What a user chose for the block cache.
struct BlockCacheSettings {
    std::string gate;        ///< "first_block", "mag" or "mask"
    double threshold = 0;    ///< of the gate "first_block"
    MagCurve curve{};        ///< of the gate "mag"
    MagSettings mag{};       ///< likewise
    std::vector<bool> mask;  ///< of the gate "mask": true: computed
    std::string predictor;   ///< "reuse" or "taylor"
    ReuseLimits limits;
};

/// Settings by the ids of the node's parameters, with the texts of files in place of their paths
/// and their names in "curve_name" and "mask_file_name". Error{InvalidInput} blames the setting,
/// Error{Corrupt} or Error{Unsupported} "curve" or "mask_file".
[[nodiscard]] BlockCacheSettings readBlockCache(const Json& settings);

namespace {

/// Errors blame the parameter, whatever of its file is wrong.
template <class Read>
auto blamingFile(const char* item, const Read& read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), item);
    }
}

MagCurve readCurve(const SettingReader& reader) {
    return blamingFile(
        "curve", [&] { return parseMagCurve(reader.text("curve"), reader.text("curve_name")); });
}

/// As typed, or of a file in its place.
std::vector<bool> readBlockMask(const SettingReader& reader) {
    const std::string file = reader.text("mask_file");
    return file.empty() ? parseStepMask(reader.text("mask")) : blamingFile("mask_file", [&] {
        return parseStepMask(stepMaskTextIn(file, reader.text("mask_file_name")));
    });
}

MagSettings readMag(const SettingReader& reader, const ReuseLimits& limits) {
    const MagSettings mag{.threshold = reader.number("curve_threshold"),
                          .mostSkips = limits.mostInARow.value_or(std::numeric_limits<int>::max()),
                          .keptFraction = reader.number("kept_share")};
    checkSetting("curve_threshold", mag.threshold, 0);
    return mag;
}

}  // namespace

BlockCacheSettings readBlockCache(const Json& settings) {
    const SettingReader reader(settings, "the settings of the block cache");
    BlockCacheSettings read{.gate = reader.choice("gate", {"first_block", "mag", "mask"}),
                            .threshold = reader.number("threshold"),
                            .mask = {},
                            .predictor = reader.choice("predictor", {"reuse", "taylor"}),
                            .limits = reader.limits()};
    if (read.gate == "mag") {
        read.curve = readCurve(reader);
        read.mag = readMag(reader, read.limits);
    }
    if (read.gate == "mask") {
        read.mask = readBlockMask(reader);
    }
    return read;
}

namespace {

constexpr const char* kFirstBlock = "first_block";
constexpr const char* kMag = "mag";
constexpr const char* kMask = "mask";

/// `ratios`: of the gate "mag", one for each call of the run.
std::unique_ptr<StepGate> makeBlockGate(const BlockCacheSettings& settings,
                                        const std::vector<double>& ratios) {
    if (settings.gate == kFirstBlock) {
        return firstBlockGate(settings.threshold);
    }
    return settings.gate == kMag ? magGate(settings.mag, ratios) : maskGate(settings.mask);
}

/// The part of the curve that belongs to the run's calls.
std::vector<double> ratiosOf(const MagCurve& curve, const CachedRun& run) {
    curve.checkFor(run.identity.checkpoint(), run.identity.scheduler);
    const bool hasStages =
        std::any_of(run.stages.begin(), run.stages.end(), [](int stage) { return stage != 0; });
    if (hasStages && curve.ratios.size() != static_cast<size_t>(run.scheduleCalls)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the curve has {} calls, the schedule has {} of a sampler with two "
                            "calls in a step, which cannot be interpolated",
                            curve.ratios.size(),
                            run.scheduleCalls),
                    message("make a curve with this number of steps"),
                    "curve");
    }
    const std::vector<double> all = curve.ratiosFor(run.scheduleCalls);
    return {all.begin() + run.firstCall, all.begin() + run.firstCall + run.callCount()};
}

std::unique_ptr<StepPredictor> makeBlockPredictor(const BlockCacheSettings& settings) {
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
    BlockSession(BlockCacheSettings settings, std::vector<double> ratios, int callCount, int depth)
        : settings_(std::move(settings)),
          ratios_(std::move(ratios)),
          callCount_(callCount),
          depth_(depth) {}

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

    void makeSpace(const CacheSlot& entry) override {
        BlockSlot& slot = slotOf(entry);
        slot.predictor->makeSpace();
        slot.added.reset();
    }

    void forget(const CacheSlot& slot) override { slots_.erase(slot); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [entry, slot] : slots_) {
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

    BlockSlot& slotOf(const CacheSlot& entry) {
        const auto found = slots_.find(entry);
        if (found != slots_.end()) {
            return found->second;
        }
        return slots_
            .emplace(entry,
                     BlockSlot{.decision = ReuseDecision(makeBlockGate(settings_, ratios_),
                                                         settings_.limits),
                               .predictor = makeBlockPredictor(settings_)})
            .first->second;
    }

    /// A dry run skips blocks that it knows: then nothing was entered.
    static at::Tensor addedBy(const BlockSlot& slot, const at::Tensor& probe) {
        return slot.input.defined() ? probe - slot.input : at::empty_like(probe);
    }

    const BlockCacheSettings settings_;
    const std::vector<double> ratios_;
    const int callCount_;
    const int depth_;
    std::map<CacheSlot, BlockSlot> slots_;
    bool isOnProbe_ = false;  ///< values are what is added to the probe
};

/// First Block Cache (ParaAttention), MagCache (Ma et al. 2025) and TaylorSeer (Liu et al. 2025)
/// behind one node.
class BlockCache final : public StepCache {
public:
    explicit BlockCache(BlockCacheSettings settings) : settings_(std::move(settings)) {
        (void)ReuseDecision(makeBlockGate(settings_, {}),
                            settings_.limits);  // refuses bad settings
    }

    [[nodiscard]] std::string label() const override {
        return "Block cache, " + gateLabel() + (settings_.predictor == "taylor" ? ", Taylor" : "");
    }

    [[nodiscard]] memory::CacheNeed need() const override { return memory::CacheNeed::FirstBlock; }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        checkNeed(*this, run.points);
        if (settings_.gate == kMask) {
            checkStepMask(settings_.mask, run.callCount());
        }
        std::vector<double> ratios =
            settings_.gate == kMag ? ratiosOf(settings_.curve, run) : std::vector<double>();
        CacheSessions sessions;
        if (!isOff() && settings_.limits.leaveSteps(run.callCount())) {
            sessions.inner = std::make_unique<BlockSession>(
                settings_, std::move(ratios), run.callCount(), run.points.firstBlock);
        }
        return sessions;
    }

private:
    [[nodiscard]] bool isOff() const {
        if (settings_.gate == kMask) {
            return std::find(settings_.mask.begin(), settings_.mask.end(), false) ==
                   settings_.mask.end();
        }
        return (settings_.gate == kMag ? settings_.mag.threshold : settings_.threshold) == 0;
    }

    [[nodiscard]] std::string gateLabel() const {
        if (settings_.gate == kFirstBlock) {
            return "first block " + formatNumber(settings_.threshold);
        }
        return settings_.gate == kMag ? "MagCache " + formatNumber(settings_.mag.threshold) : kMask;
    }

    const BlockCacheSettings settings_;
};

}  // namespace

StepCacheType block_cache() {
    return {.name = "block_cache", .make = [](const Json& settings) {
                return std::make_shared<const BlockCache>(readBlockCache(settings));
            }};
}

}  // namespace lowtide::sampling
