#include "plugin/base/error.hpp"
#include "plugin/models/adapters/dora.hpp"
#include "plugin/models/adapters/product_change.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

namespace lowtide::models::changes {

const ChangeKind& kronecker();

namespace {

/// Rows and columns of w1: [a, b], of itself or of its two factors.
Shape firstShape(const Shape& weight, const FactorShapes& factors) {
    if (factors.contains("w1")) {
        const FactorShape w1(weight, factors, "w1");
        w1.requireShape({w1.size(0), w1.size(1)});
        return {w1.size(0), w1.size(1)};
    }
    const FactorShape a(weight, factors, "w1_a");
    const FactorShape b(weight, factors, "w1_b");
    a.requireShape({a.size(0), a.size(1)});
    b.requireShape({a.size(1), b.size(1)});
    return {a.size(0), b.size(1)};
}

void checkSecond(const Shape& weight, const FactorShapes& factors, const WeightSides& second) {
    const Shape whole = withKernel({second.outputs, second.inputs}, second.kernel);
    if (factors.contains("w2")) {
        FactorShape(weight, factors, "w2").requireShape(whole);
        return;
    }
    const FactorShape a(weight, factors, "w2_a");
    const FactorShape b(weight, factors, "w2_b");
    if (factors.contains("t2")) {
        const FactorShape core(weight, factors, "t2");
        a.requireShape({checkCore(core, b, second.inputs, second.kernel), second.outputs});
        return;
    }
    a.requireShape({second.outputs, a.size(1)});
    b.requireShape(withKernel({a.size(1), second.inputs}, second.kernel));
}

void checkKronecker(const Shape& weight, const FactorShapes& factors) {
    const WeightSides sides = sidesOf(weight, kronecker());
    const Shape first = firstShape(weight, factors);
    const char* const firstName = factors.contains("w1") ? "w1" : "w1_a";
    if (sides.outputs % first[0] != 0 || sides.inputs % first[1] != 0) {
        FactorShape(weight, factors, firstName)
            .refuse("a w1 whose rows divide " + std::to_string(sides.outputs) +
                    " and whose columns divide " + std::to_string(sides.inputs) + ", not " +
                    toText(first));
    }
    if (factors.contains("t2") && factors.contains("w2")) {
        throw Error(ErrorKind::Corrupt,
                    "a change of kind \"kronecker\" has both \"w2\" and \"t2\", which needs "
                    "\"w2_a\" and \"w2_b\"",
                    "get the adapter again, or choose another one",
                    "t2");
    }
    checkSecond(weight,
                factors,
                {.outputs = sides.outputs / first[0],
                 .inputs = sides.inputs / first[1],
                 .kernel = sides.kernel});
    checkDora(weight, factors);
}

/// Of the factors of w2, else of w1; no alpha scales two whole ones.
int64_t kroneckerRank(const FactorShapes& factors) {
    for (const char* const name : {"w2_b", "w1_b"}) {
        if (const auto found = factors.find(name); found != factors.end()) {
            return found->second.front();
        }
    }
    return 0;
}

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

std::unique_ptr<const RowChange> kroneckerRows(const Shape& /*weight*/,
                                               const NamedFactors& factors) {
    return std::make_unique<const KroneckerChange>(factors);
}

}  // namespace

/// LoKr: w1 [a, b] (x) w2 [O/a, I/b, ...], each whole or as two factors: w1_a w1_b, w2_a w2_b; with
/// a Tucker core t2 [r, r, ...] w2_a is [r, O/a] and w2_b [r, I/b]. Two whole ones know no alpha.
/// LyCORIS merges a file with scale^2 where alpha is not the rank (get_diff_weight scales twice);
/// its training, ComfyUI and peft scale once, as here. Source: LyCORIS 4.1.3 functional/lokr.py.
const ChangeKind& kronecker() {
    static const ChangeKind kind{.name = "kronecker",
                                 .factors = {{.sets = {{"w1"}, {"w1_a", "w1_b"}}},
                                             {.sets = {{"w2"}, {"w2_a", "w2_b"}}},
                                             {.sets = {{"t2"}}, .isOptional = true},
                                             doraFactors()},
                                 .checkShapes = checkKronecker,
                                 .rank = kroneckerRank,
                                 .rows = kroneckerRows};
    return kind;
}

}  // namespace lowtide::models::changes
