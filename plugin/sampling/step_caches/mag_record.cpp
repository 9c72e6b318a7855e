// Computes everything and records the ratios that a MagCache curve is made from.

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/step_caches/step_changes.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <map>

namespace lowtide::sampling {

namespace {

/// Of maps [B, C, h, w] or [B, C, F, h, w], or of tokens [B, T, C].
int64_t channelsOf(const at::Tensor& value) {
    return value.dim() > 3 ? 1 : -1;
}

/// Computes everything and keeps what the blocks behind the first one add, or, where that has
/// another shape than what goes into them, what they give: as the block cache does. Both halves of
/// a guided batch count alike, so do evaluations apart from each other.
class MagRecordSession final : public InnerSession {
public:
    explicit MagRecordSession(const CachedRun& run)
        : identity_(run.identity),
          secondFrom_(run.secondFrom),
          depth_(run.points.firstBlock),
          ratios_(static_cast<size_t>(run.callCount())) {}

    [[nodiscard]] StepWork decide(const StepInfo&) const override { return StepWork::Full; }

    [[nodiscard]] int depth() const override { return depth_; }

    void keep(const StepInfo& step, const at::Tensor& probe, const at::Tensor& value) override {
        const at::Tensor added = value.sizes() == probe.sizes() ? value - probe : value;
        Kept& before = kept_[step.slot];
        if (before.added.defined() && before.call + 1 == step.taken) {
            ratios_.at(static_cast<size_t>(step.taken))
                .push_back(lengthRatio(added, before.added, channelsOf(added)));
        }
        before = {.call = step.taken, .added = added};
    }

    [[nodiscard]] at::Tensor value(const StepInfo&, const at::Tensor&) const override {
        LOWTIDE_ASSERT(false);  // no evaluation is partial
        return {};
    }

    /// What was added before is compared with what will be.
    void makeSpace(const CacheSlot&) override {}

    void forget(const CacheSlot& slot) override { kept_.erase(slot); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [slot, kept] : kept_) {
            tensors.push_back(kept.added);
        }
        for (const std::vector<at::Tensor>& ratios : ratios_) {
            tensors.insert(tensors.end(), ratios.begin(), ratios.end());
        }
        return tensors;
    }

    [[nodiscard]] Json record() const override {
        std::vector<double> means = {1};
        for (size_t call = 1; call < ratios_.size(); ++call) {
            if (static_cast<int>(call) == secondFrom_) {
                means.push_back(1);  // computed in any case: another network than before
                continue;
            }
            requireRatio(call);
            if (ratios_[call].front().is_meta()) {
                return {};  // a dry run has no numbers
            }
            means.push_back(meanAt(call));
        }
        return {{"checkpoint", identity_.checkpoint()},
                {"scheduler", identity_.scheduler},
                {"ratios", means}};
    }

private:
    struct Kept {
        int call = 0;
        at::Tensor added{};
    };

    void requireRatio(size_t call) const {
        if (ratios_[call].empty()) {
            throw Error(ErrorKind::InvalidInput,
                        message("no MagCache curve can be recorded: step {} cannot be compared "
                                "with the one before, other prompts speak",
                                call),
                        message("record with prompts that hold for the whole pass"));
        }
    }

    /// Of all evaluations of the call; fetched from the device.
    [[nodiscard]] double meanAt(size_t call) const {
        double sum = 0;
        for (const at::Tensor& ratio : ratios_[call]) {
            sum += tensor::scalar(ratio);
        }
        const double mean = sum / static_cast<double>(ratios_[call].size());
        if (!isMagRatio(mean)) {
            throw Error(
                ErrorKind::InvalidInput,
                message("no MagCache curve can be recorded: the ratio of step {} is {}",
                        call,
                        formatNumber(mean)),
                message("look at the checkpoint and its precision: its blocks give no numbers"));
        }
        return mean;
    }

    const RunIdentity identity_;
    const int secondFrom_;
    const int depth_;
    std::map<CacheSlot, Kept> kept_;
    std::vector<std::vector<at::Tensor>> ratios_;  ///< by call, 0-d each, one for each evaluation
};

/// Spares nothing: measures what a curve of MagCache is made from.
class MagRecordCache final : public StepCache {
public:
    [[nodiscard]] std::string label() const override { return "MagCache record"; }

    [[nodiscard]] memory::CacheNeed need() const override { return memory::CacheNeed::FirstBlock; }

    [[nodiscard]] bool isLossy() const override { return false; }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        checkNeed(*this, run.points);
        if (run.callCount() != run.scheduleCalls) {
            throw Error(ErrorKind::InvalidInput,
                        message("a MagCache curve is recorded over a whole schedule, this pass "
                                "takes {} of its {} calls",
                                run.callCount(),
                                run.scheduleCalls),
                        message("set the strength to 1, start_step to 0 and end_step to -1"));
        }
        CacheSessions sessions;
        sessions.inner = std::make_unique<MagRecordSession>(run);
        return sessions;
    }
};

}  // namespace

StepCacheType mag_record() {
    return {.name = "mag_record", .make = [](const Json& /*settings*/) {
                return std::make_shared<const MagRecordCache>();
            }};
}

}  // namespace lowtide::sampling
