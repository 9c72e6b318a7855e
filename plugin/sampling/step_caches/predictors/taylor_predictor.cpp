#include "plugin/sampling/step_caches/predictors/taylor_predictor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/predictors/observations.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

constexpr int kMostTaylorHeld = 2;

class TaylorPredictor final : public StepPredictor {
public:
    void observe(double time, const at::Tensor& value) override { seen_.push(time, value); }

    [[nodiscard]] bool isReady() const override { return seen_.size() > 0; }

    [[nodiscard]] at::Tensor predict(double time) const override {
        LOWTIDE_ASSERT(isReady());
        const Observation& newest = seen_.newest();
        if (seen_.size() < kMostTaylorHeld) {
            return newest.value;
        }
        const Observation& before = seen_[0];
        // The order of the reference's operations: its bits.
        const at::Tensor slope = (newest.value - before.value) / (newest.time - before.time);
        return newest.value + slope * (time - newest.time);
    }

    void makeRoom() override { seen_.makeRoom(); }

    [[nodiscard]] std::vector<at::Tensor> held() const override { return seen_.values(); }

    [[nodiscard]] int mostHeld() const override { return kMostTaylorHeld; }

private:
    Observations seen_{kMostTaylorHeld};
};

}  // namespace

std::unique_ptr<StepPredictor> taylorPredictor() {
    return std::make_unique<TaylorPredictor>();
}

}  // namespace lowtide::sampling
