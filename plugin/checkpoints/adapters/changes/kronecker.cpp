#include "plugin/checkpoints/adapters/product_change.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

namespace lowtide::models::changes {

namespace {

at::Tensor firstOf(const NamedFactors& factors) {
    if (const at::Tensor* const whole = factors.find("w1")) {
        return inF32(flat(*whole));
    }
    const FactorPair pair{flat(factors.get("w1_a")), flat(factors.get("w1_b"))};
    return ProductChange(pair).rows(0, pair.left.size(0));
}

FactorPair secondPair(const NamedFactors& factors) {
    const at::Tensor& a = factors.get("w2_a");
    const at::Tensor& b = factors.get("w2_b");
    if (const at::Tensor* const core = factors.find("t2")) {
        return {flat(a).t(), rightOfCore(*core, b)};
    }
    return {flat(a), flat(b)};
}

/// w2 [c, M] by its rows.
class SecondFactor {
public:
    explicit SecondFactor(const NamedFactors& factors) {
        if (const at::Tensor* const whole = factors.find("w2")) {
            whole_ = flat(*whole);
            rows_ = whole_.size(0);
            return;
        }
        const FactorPair pair = secondPair(factors);
        rows_ = pair.left.size(0);
        product_.emplace(pair);
    }

    [[nodiscard]] int64_t rows() const { return rows_; }

    [[nodiscard]] at::Tensor part(int64_t begin, int64_t count) const {
        return product_ ? product_->rows(begin, count) : rowsInF32(whole_, begin, count);
    }

private:
    int64_t rows_ = 0;
    at::Tensor whole_;
    std::optional<ProductChange> product_;
};

class KroneckerChange final : public RowChange {
public:
    explicit KroneckerChange(const NamedFactors& factors)
        : first_(firstOf(factors)), second_(factors) {}

    /// Row i c + k is row k of w2 once for each number of row i of w1.
    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        const int64_t end = begin + rows.size(0);
        for (int64_t row = begin; row < end;) {
            const int64_t block = row / second_.rows();
            const int64_t from = row % second_.rows();
            const int64_t count = std::min(second_.rows() - from, end - row);
            at::Tensor target =
                rows.narrow(0, row - begin, count).view({count, first_.size(1), -1});
            target.addcmul_(first_.select(0, block).view({1, -1, 1}),
                            second_.part(from, count).unsqueeze(1),
                            factor);
            row += count;
        }
    }

private:
    at::Tensor first_;  ///< f32
    SecondFactor second_;
};

std::unique_ptr<const RowChange> kroneckerRows(const NamedFactors& factors) {
    return std::make_unique<const KroneckerChange>(factors);
}

}  // namespace

/// LoKr: w1 [a, b] (x) w2 [O/a, I/b, ...], each whole or as two factors: w1_a w1_b, w2_a w2_b; with
/// a Tucker core t2 [r, r, ...] w2_a is [r, O/a] and w2_b [r, I/b]. Two whole ones know no alpha.
/// LyCORIS merges a file with scale^2 where alpha is not the rank (get_diff_weight scales twice);
/// its training, ComfyUI and peft scale once, as here. Source: LyCORIS 4.1.3 functional/lokr.py.
const ChangeKind& kronecker() {
    static const ChangeKind kind{.name = "kronecker", .rows = kroneckerRows};
    return kind;
}

}  // namespace lowtide::models::changes
