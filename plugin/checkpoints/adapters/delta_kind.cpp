#include "plugin/checkpoints/adapters/delta_kind.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

const at::Tensor* NamedFactors::find(std::string_view name) const {
    const std::vector<memory::DeltaFactor>& named = delta_->delta->factors;
    for (size_t i = 0; i < named.size(); ++i) {
        if (named[i].name == name) {
            return &delta_->factors[i];
        }
    }
    return nullptr;
}

const at::Tensor& NamedFactors::get(std::string_view name) const {
    const at::Tensor* const factor = find(name);
    LOWTIDE_ASSERT(factor != nullptr);
    return *factor;
}

at::Tensor inF32(const at::Tensor& values) {
    return at::empty(values.sizes(), values.options().dtype(at::kFloat)).copy_(values);
}

at::Tensor matrixOf(const at::Tensor& weight) {
    if (weight.dim() == 2) {
        return weight;  // also transposed
    }
    return weight.view({weight.size(0), weight.numel() / weight.size(0)});
}

at::Tensor rowsInF32(const at::Tensor& matrix, int64_t begin, int64_t count) {
    return inF32(matrix.narrow(0, begin, count));
}

void forRows(const at::Tensor& matrix,
             const std::function<void(at::Tensor& rows, int64_t begin)>& work) {
    constexpr int64_t kNumbers = 1 << 19;
    constexpr int64_t kFewestRows = 16;
    const int64_t step = std::max(kNumbers / matrix.size(1), kFewestRows);
    for (int64_t begin = 0; begin < matrix.size(0); begin += step) {
        at::Tensor rows = matrix.narrow(0, begin, std::min(step, matrix.size(0) - begin));
        work(rows, begin);
    }
}

namespace deltas {
const DeltaKind& low_rank();
const DeltaKind& hadamard();
const DeltaKind& kronecker();
const DeltaKind& scale();
const DeltaKind& difference();
}  // namespace deltas

std::span<const DeltaKind* const> deltaKinds() {
    static const std::vector<const DeltaKind*> kKinds = {&deltas::low_rank(),
                                                         &deltas::hadamard(),
                                                         &deltas::kronecker(),
                                                         &deltas::scale(),
                                                         &deltas::difference()};
    return kKinds;
}

const DeltaKind& deltaKind(std::string_view name) {
    std::vector<std::string> built;
    for (const DeltaKind* const kind : deltaKinds()) {
        if (kind->name == name) {
            return *kind;
        }
        built.push_back(kind->name);
    }
    throw Error(ErrorKind::Unsupported,
                message("weight changes of kind {} are not built ({} are)",
                        quotedName(name),
                        join(built, ", ")),
                message("get the adapter again, or choose another one"));
}

namespace kernels = tensor::kernels;

ProductDelta::ProductDelta(const FactorPair& pair) : left_(pair.left), right_(inF32(pair.right)) {}

void ProductDelta::addTo(at::Tensor& rows, int64_t begin, double factor) const {
    kernels::addProduct(rows, rowsInF32(left_, begin, rows.size(0)), right_, factor);
}

at::Tensor ProductDelta::rows(int64_t begin, int64_t count) const {
    return kernels::linear(rowsInF32(left_, begin, count), right_.t(), {});
}

at::Tensor rightOfCore(const at::Tensor& core, const at::Tensor& inputSide) {
    const int64_t i = core.size(0);
    const int64_t j = inputSide.size(0);
    const at::Tensor rows = inF32(core.view({i, j, -1}).permute({0, 2, 1}));           // [i, k, j]
    const at::Tensor product = kernels::linear(rows, inF32(flat(inputSide)).t(), {});  // [i, k, q]
    return inF32(product.permute({0, 2, 1})).view({i, -1});
}

at::Tensor flat(const at::Tensor& factor) {
    return factor.view({factor.size(0), -1});
}

bool ProductPack::fits(const FactorPair& pair) const {
    constexpr int64_t kMostRank = 256;
    return parts_.empty() || rank_ + pair.left.size(1) <= kMostRank;
}

void ProductPack::add(FactorPair pair, double factor) {
    rank_ += pair.left.size(1);
    parts_.push_back({std::move(pair), factor});
}

void ProductPack::applyTo(at::Tensor& matrix) {
    if (!parts_.empty()) {
        const FactorPair pair = joined(matrix);
        kernels::addProduct(matrix, pair.left, pair.right, 1);
    }
    parts_.clear();
    rank_ = 0;
}

void ProductPack::applyToEachRow(at::Tensor& matrix) {
    if (!parts_.empty()) {
        const FactorPair pair = joined(matrix);
        const at::Tensor each = pair.left.unsqueeze(1);  // [n, 1, r]
        matrix.add_(kernels::linearOfRows(each, pair.right.t(), {}).squeeze(1));
    }
    parts_.clear();
    rank_ = 0;
}

FactorPair ProductPack::joined(const at::Tensor& matrix) const {
    FactorPair all;
    all.left = at::empty({matrix.size(0), rank_}, matrix.options());
    int64_t begin = 0;
    for (const Part& part : parts_) {
        const int64_t rank = part.pair.left.size(1);
        all.left.narrow(1, begin, rank).copy_(part.pair.left).mul_(part.factor);
        begin += rank;
    }
    all.right = at::empty({rank_, matrix.size(1)}, matrix.options());
    begin = 0;
    for (const Part& part : parts_) {
        const int64_t rank = part.pair.right.size(0);
        all.right.narrow(0, begin, rank).copy_(part.pair.right);
        begin += rank;
    }
    return all;
}

}  // namespace lowtide::models

namespace lowtide::models::deltas {

namespace {

constexpr const char* kUp = "up";
constexpr const char* kDown = "down";
constexpr const char* kMid = "mid";

FactorPair lowRankPair(const NamedFactors& factors) {
    const at::Tensor* const mid = factors.find(kMid);
    const at::Tensor& down = factors.get(kDown);
    return {flat(factors.get(kUp)), mid ? rightOfCore(*mid, down) : flat(down)};
}

std::unique_ptr<const RowDelta> lowRankRows(const NamedFactors& factors) {
    return std::make_unique<const ProductDelta>(lowRankPair(factors));
}

}  // namespace

/// LoRA and LoCon: up [O, r] down [r, I, ...]; with a Tucker core `mid` [r, r, ...] down is [r, I].
/// Source: LyCORIS 4.1.3 functional/locon.py; Hu et al. 2021.
const DeltaKind& low_rank() {
    static const DeltaKind kind{
        .name = "low_rank", .rows = lowRankRows, .pair = lowRankPair, .rowFactor = kUp};
    return kind;
}

namespace {

/// Names of one of the two products.
struct HadamardSide {
    const char* a;
    const char* b;
    const char* core;
};

constexpr HadamardSide kSides[] = {{"w1_a", "w1_b", "t1"}, {"w2_a", "w2_b", "t2"}};

FactorPair hadamardPair(const NamedFactors& factors, const HadamardSide& factorKeys) {
    const at::Tensor& a = factors.get(factorKeys.a);
    const at::Tensor& b = factors.get(factorKeys.b);
    if (const at::Tensor* const core = factors.find(factorKeys.core)) {
        return {flat(a).t(), rightOfCore(*core, b)};
    }
    return {flat(a), flat(b)};
}

class HadamardDelta final : public RowDelta {
public:
    explicit HadamardDelta(const NamedFactors& factors)
        : first_(hadamardPair(factors, kSides[0])), second_(hadamardPair(factors, kSides[1])) {}

    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        at::Tensor product = first_.rows(begin, rows.size(0));
        rows.add_(product.mul_(second_.rows(begin, rows.size(0))), factor);
    }

private:
    ProductDelta first_;
    ProductDelta second_;
};

std::unique_ptr<const RowDelta> hadamardRows(const NamedFactors& factors) {
    return std::make_unique<const HadamardDelta>(factors);
}

}  // namespace

/// LoHa: (w1_a w1_b) * (w2_a w2_b), number by number; a [O, r], b [r, I ...]. With Tucker cores
/// t1, t2 [r, r, ...] a is [r, O] and b [r, I]. LyCORIS merges a file with scale^2 where alpha is
/// not the rank (get_diff_weight scales twice); its training, ComfyUI and peft scale once, as here.
/// Source: LyCORIS 4.1.3 functional/loha.py.
const DeltaKind& hadamard() {
    static const DeltaKind kind{.name = "hadamard", .rows = hadamardRows};
    return kind;
}

namespace {

at::Tensor firstOf(const NamedFactors& factors) {
    if (const at::Tensor* const whole = factors.find("w1")) {
        return inF32(flat(*whole));
    }
    const FactorPair pair{flat(factors.get("w1_a")), flat(factors.get("w1_b"))};
    return ProductDelta(pair).rows(0, pair.left.size(0));
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
    std::optional<ProductDelta> product_;
};

class KroneckerDelta final : public RowDelta {
public:
    explicit KroneckerDelta(const NamedFactors& factors)
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

std::unique_ptr<const RowDelta> kroneckerRows(const NamedFactors& factors) {
    return std::make_unique<const KroneckerDelta>(factors);
}

}  // namespace

/// LoKr: w1 [a, b] (x) w2 [O/a, I/b, ...], each whole or as two factors: w1_a w1_b, w2_a w2_b; with
/// a Tucker core t2 [r, r, ...] w2_a is [r, O/a] and w2_b [r, I/b]. Two whole ones know no alpha.
/// LyCORIS merges a file with scale^2 where alpha is not the rank (get_diff_weight scales twice);
/// its training, ComfyUI and peft scale once, as here. Source: LyCORIS 4.1.3 functional/lokr.py.
const DeltaKind& kronecker() {
    static const DeltaKind kind{.name = "kronecker", .rows = kroneckerRows};
    return kind;
}

namespace {

constexpr const char* kOnInput = "on_input";
constexpr const char* kOnOutput = "on_output";

class ScaleDelta final : public RowDelta {
public:
    explicit ScaleDelta(const NamedFactors& factors) : isOnInput_(factors.find(kOnInput)) {
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

std::unique_ptr<const RowDelta> scaleRows(const NamedFactors& factors) {
    return std::make_unique<const ScaleDelta>(factors);
}

}  // namespace

/// (IA)3 as LyCORIS writes it: W (1 + strength w), with a number for each input (`on_input`) or
/// each output (`on_output`), whichever the file's flag states. peft's own (IA)3 multiplies by w
/// alone. Source: LyCORIS 4.1.3 modules/ia3.py; Liu et al. 2022.
const DeltaKind& scale() {
    static const DeltaKind kind{.name = "scale", .rows = scaleRows};
    return kind;
}

namespace {

constexpr const char* kDifference = "difference";

class WholeDifference final : public RowDelta {
public:
    explicit WholeDifference(const NamedFactors& factors)
        : values_(matrixOf(factors.get(kDifference))) {}

    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        const int64_t count = rows.size(0);
        rows.add_(values_.scalar_type() == at::kFloat ? values_.narrow(0, begin, count)
                                                      : rowsInF32(values_, begin, count),
                  factor);
    }

private:
    at::Tensor values_;
};

std::unique_ptr<const RowDelta> differenceRows(const NamedFactors& factors) {
    return std::make_unique<const WholeDifference>(factors);
}

}  // namespace

/// A whole difference (`diff`, `diff_b`, `w_norm`, `b_norm`) of any weight or bias; alphas do not
/// scale it. Source: LyCORIS 4.1.3 modules/full.py and norms.py.
const DeltaKind& difference() {
    static const DeltaKind kind{
        .name = "difference", .rows = differenceRows, .rowFactor = kDifference};
    return kind;
}

}  // namespace lowtide::models::deltas
