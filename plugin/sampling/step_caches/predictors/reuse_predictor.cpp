#include "plugin/sampling/step_caches/predictors/reuse_predictor.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

class ReusePredictor final : public StepPredictor {
public:
    void observe(double /*time*/, const at::Tensor& value) override { value_ = value; }

    [[nodiscard]] bool isReady() const override { return value_.defined(); }

    [[nodiscard]] at::Tensor predict(double /*time*/) const override {
        LOWTIDE_ASSERT(isReady());
        return value_;
    }

    void makeRoom() override { value_.reset(); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        return value_.defined() ? std::vector<at::Tensor>{value_} : std::vector<at::Tensor>{};
    }

    [[nodiscard]] int mostHeld() const override { return 1; }

private:
    at::Tensor value_;
};

}  // namespace

std::unique_ptr<StepPredictor> reusePredictor() {
    return std::make_unique<ReusePredictor>();
}

}  // namespace lowtide::sampling
