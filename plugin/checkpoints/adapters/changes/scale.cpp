#include "plugin/checkpoints/adapters/change_kind.hpp"

#include <ATen/ATen.h>

namespace lowtide::models::changes {

namespace {

constexpr const char* kOnInput = "on_input";
constexpr const char* kOnOutput = "on_output";

class ScaleChange final : public RowChange {
public:
    explicit ScaleChange(const NamedFactors& factors) : isOnInput_(factors.find(kOnInput)) {
        numbers_ = inF32(factors.get(isOnInput_ ? kOnInput : kOnOutput).view({-1}));
    }

    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        const int64_t count = rows.size(0);
        const at::Tensor own = isOnInput_ ? numbers_ : numbers_.narrow(0, begin, count);
        const at::Tensor factors = at::ones(own.sizes(), own.options()).add_(own, factor);
        if (isOnInput_) {
            rows.view({count, factors.size(0), -1}).mul_(factors.view({1, -1, 1}));
        } else {
            rows.mul_(factors.view({count, 1}));
        }
    }

private:
    const bool isOnInput_;
    at::Tensor numbers_;
};

std::unique_ptr<const RowChange> scaleRows(const NamedFactors& factors) {
    return std::make_unique<const ScaleChange>(factors);
}

}  // namespace

/// (IA)3 as LyCORIS writes it: W (1 + strength w), with a number for each input (`on_input`) or
/// each output (`on_output`), whichever the file's flag says. peft's own (IA)3 multiplies by w
/// alone. Source: LyCORIS 4.1.3 modules/ia3.py; Liu et al. 2022.
const ChangeKind& scale() {
    static const ChangeKind kind{.name = "scale", .rows = scaleRows};
    return kind;
}

}  // namespace lowtide::models::changes
