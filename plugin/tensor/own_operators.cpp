#include "plugin/tensor/own_operators.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/cpu_paths.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/operator_registry.hpp"
#include "plugin/tensor/simd/amx.hpp"
#include "plugin/tensor/simd/pieces.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>

namespace lowtide::tensor::own {

namespace {

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;
constexpr double kLeastWork = 4e6;    ///< operations worth a thread of their own: some 30 us
constexpr double kWorkOfNumber = 10;  ///< of one that is transformed or normed
constexpr int64_t kLeastSide = 8;     ///< of an image; below, a product is as fast
constexpr int64_t kMostWidth = 160;   ///< of a head; above, ATen's attention is faster

using OptionalTensor = std::optional<at::Tensor>;

const simd::Pieces& piecesOf(CpuPath path) {
    LOWTIDE_ASSERT(path != CpuPath::Plain);
    return path == CpuPath::Avx512 ? simd::avx512Pieces() : simd::avx2Pieces();
}

const simd::LinearPieces& productPieces() {
    const CpuPath path = cpuPaths().product;
    return path == CpuPath::Amx ? simd::amxLinearPieces() : piecesOf(path).linear;
}

bool isOurs(const at::Tensor& x, CpuPath path) {
    const bool isCuda = x.is_cuda() || (x.is_meta() && DryRunMeter::isOnCuda());
    return path != CpuPath::Plain && x.scalar_type() == at::kFloat && !isCuda;
}

const float* dataOf(const OptionalTensor& tensor) {
    return tensor ? tensor->const_data_ptr<float>() : nullptr;
}

bool hasHalves(const at::Tensor& weight) {
    return weight.scalar_type() == at::kHalf || weight.scalar_type() == at::kBFloat16;
}

simd::Weights weightsOf(const at::Tensor& weight) {
    return {.data = weight.const_data_ptr(),
            .type = weight.scalar_type() == at::kHalf       ? simd::WeightType::F16
                    : weight.scalar_type() == at::kBFloat16 ? simd::WeightType::BF16
                                                            : simd::WeightType::F32};
}

/// How many pieces a thread takes at least: waking threads for less costs more than it brings, and
/// on a busy machine very much more.
int64_t grainOf(double workOfPiece) {
    return std::max<int64_t>(1, static_cast<int64_t>(kLeastWork / std::max(1.0, workOfPiece)));
}

/// Memory for `numbers` numbers, counted like every tensor.
at::Tensor scratchOf(int64_t numbers) {
    return at::empty({numbers}, at::kFloat);
}

int64_t scratchNumbers(const simd::WinogradCut& cut) {
    return cut.sharedNumbers() + at::get_num_threads() * cut.numbersOfThread();
}

simd::Convolution workOf(const at::Tensor& x, const at::Tensor& weight, int64_t repeat) {
    return {.batch = x.size(0),
            .in = x.size(1),
            .out = weight.size(0),
            .height = repeat * x.size(2),
            .width = repeat * x.size(3),
            .repeat = repeat,
            .pixelStep = x.stride(3)};
}

/// `work` but its numbers.
void runConvolution(simd::Convolution work,
                    const at::Tensor& x,
                    const at::Tensor& weight,
                    const OptionalTensor& bias,
                    const at::Tensor& result) {
    const at::Tensor kernels = weight.contiguous();
    work.pixels = x.const_data_ptr<float>();
    work.kernels = weightsOf(kernels);
    work.bias = dataOf(bias);
    work.result = result.mutable_data_ptr<float>();

    const simd::WinogradPieces& pieces = piecesOf(cpuPaths().convolution).winograd;
    const simd::WinogradCut cut = simd::cutWinograd(work, pieces.vectorWidth);
    const at::Tensor scratch = scratchOf(scratchNumbers(cut));
    float* const shared = scratch.mutable_data_ptr<float>();
    float* const ofThreads = shared + cut.sharedNumbers();
    const int64_t zeros = cut.blocks * cut.blockChannels;
    std::fill(ofThreads - zeros, ofThreads, 0.0F);
    const double workOfTile = 36 * kWorkOfNumber * static_cast<double>(work.in);
    const double workOfPart =
        36 * 2 * static_cast<double>(cut.partTiles * cut.partResults * work.in);
    for (int64_t chunk = 0; chunk < cut.chunks(); ++chunk) {
        at::parallel_for(
            0, cut.tilesOf(chunk), grainOf(workOfTile), [&](int64_t begin, int64_t end) {
                pieces.transform(work, cut, chunk, begin, end, shared);
            });
        at::parallel_for(
            0, cut.partsOf(chunk), grainOf(workOfPart), [&](int64_t begin, int64_t end) {
                float* ofThread = ofThreads + at::get_thread_num() * cut.numbersOfThread();
                pieces.convolve(work, cut, chunk, begin, end, shared, ofThread);
            });
    }
}

at::Tensor convolve3x3OnCpu(const at::Tensor& x,
                            const at::Tensor& weight,
                            const OptionalTensor& bias,
                            int64_t repeat) {
    const simd::Convolution work = workOf(x, weight, repeat);
    at::Tensor result =
        at::empty({work.batch, work.out, work.height, work.width}, x.options(), kChannelsLast);
    runConvolution(work, x, weight, bias, result);
    return result;
}

/// Added to `result`, or written to it where it lies over `x`.
at::Tensor& convolve3x3IntoOnCpu(at::Tensor& result,
                                 const at::Tensor& x,
                                 const at::Tensor& weight,
                                 const OptionalTensor& bias,
                                 bool adds) {
    simd::Convolution work = workOf(x, weight, 1);
    work.adds = adds;
    work.isOver = !adds;
    runConvolution(work, x, weight, bias, result);
    return result;
}

simd::AttentionRows rowsOf(const at::Tensor& x) {
    return {.data = x.const_data_ptr<float>(),
            .batchStep = x.stride(0),
            .headStep = x.stride(1),
            .rowStep = x.stride(2)};
}

at::Tensor attendOnCpu(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    at::Tensor result = at::empty({q.size(0), q.size(2), q.size(1), q.size(3)}, q.options());
    const simd::Attention work{.batch = q.size(0),
                               .heads = q.size(1),
                               .queries = q.size(2),
                               .keys = k.size(2),
                               .width = q.size(3),
                               .q = rowsOf(q),
                               .k = rowsOf(k),
                               .v = rowsOf(v),
                               .result = result.mutable_data_ptr<float>()};
    const simd::AttentionPieces& pieces = piecesOf(cpuPaths().attention).attention;
    const int64_t partsOfHead = (work.queries + pieces.queriesOfPart - 1) / pieces.queriesOfPart;
    const at::Tensor scratch = scratchOf(attentionScratch(work.width));
    float* const memory = scratch.mutable_data_ptr<float>();
    const int64_t ofThread = pieces.numbersOfThread(work.width);
    const int64_t parts = partsOfHead * work.heads * work.batch;
    const double workOfPart =
        4 * static_cast<double>(pieces.queriesOfPart * work.keys * work.width);
    at::parallel_for(0, parts, grainOf(workOfPart), [&](int64_t begin, int64_t end) {
        pieces.attend(work, begin, end, memory + at::get_thread_num() * ofThread);
    });
    return result.transpose(1, 2);  // [B, T, H, d] -> [B, H, T, d]
}

simd::GroupNorm normSizesOf(const at::Tensor& x) {
    return {.batch = x.size(0), .pixels = x.size(2) * x.size(3), .channels = x.size(1)};
}

/// `work` but its pixels and its result.
void runNorm(simd::GroupNorm& work, const at::Tensor& x, const at::Tensor& result) {
    work.values = x.const_data_ptr<float>();
    work.result = result.mutable_data_ptr<float>();
    const simd::GroupNormPieces& pieces = piecesOf(cpuPaths().groupNorm).groupNorm;
    const at::Tensor scratch = scratchOf(groupNormScratch(x));
    float* const sums = scratch.mutable_data_ptr<float>();
    float* const factors = sums + work.sumNumbers();
    const int64_t grain =
        grainOf(kWorkOfNumber * static_cast<double>(work.blockPixels() * work.channels));
    at::parallel_for(0, work.blocks(), grain, [&](int64_t begin, int64_t end) {
        pieces.sum(work, begin, end, sums);
    });
    simd::makeFactors(work, sums, factors);
    at::parallel_for(0, work.blocks(), grain, [&](int64_t begin, int64_t end) {
        pieces.apply(work, begin, end, factors);
    });
}

simd::GroupNorm normOf(const at::Tensor& x,
                       const OptionalTensor& added,
                       int64_t groups,
                       const at::Tensor& weight,
                       const at::Tensor& bias,
                       double epsilon) {
    simd::GroupNorm work = normSizesOf(x);
    work.groups = groups;
    work.epsilon = epsilon;
    work.added = dataOf(added);
    work.weight = weight.const_data_ptr<float>();
    work.bias = bias.const_data_ptr<float>();
    return work;
}

at::Tensor normGroupsOnCpu(const at::Tensor& x,
                           const OptionalTensor& added,
                           int64_t groups,
                           const at::Tensor& weight,
                           const at::Tensor& bias,
                           double epsilon,
                           bool isActivated) {
    at::Tensor result = at::empty(x.sizes(), x.options(), kChannelsLast);
    simd::GroupNorm work = normOf(x, added, groups, weight, bias, epsilon);
    work.isActivated = isActivated;
    runNorm(work, x, result);
    return result;
}

at::Tensor& normGroupsOverOnCpu(at::Tensor& x,
                                const OptionalTensor& added,
                                int64_t groups,
                                const at::Tensor& weight,
                                const at::Tensor& bias,
                                double epsilon) {
    simd::GroupNorm work = normOf(x, added, groups, weight, bias, epsilon);
    work.isActivated = true;
    runNorm(work, x, x);
    return x;
}

at::Tensor normRowsOnCpu(const at::Tensor& x, const OptionalTensor& weight, double epsilon) {
    at::Tensor result = at::empty(x.sizes(), x.options());
    const simd::RowNorm work{.rows = x.size(0),
                             .width = x.size(1),
                             .values = x.const_data_ptr<float>(),
                             .weight = dataOf(weight),
                             .epsilon = epsilon,
                             .result = result.mutable_data_ptr<float>()};
    const auto normRows = piecesOf(cpuPaths().groupNorm).normRows;
    const int64_t grain = grainOf(kWorkOfNumber * static_cast<double>(work.width));
    at::parallel_for(
        0, work.rows, grain, [&](int64_t begin, int64_t end) { normRows(work, begin, end); });
    return result;
}

/// `rows` [N, I], of one number after the other, times a matrix in 16 bits, to `result` [N, O].
void runProduct(const at::Tensor& rows,
                const at::Tensor& weight,
                const OptionalTensor& bias,
                float* result) {
    const bool isReadable = weight.stride(0) == 1 || weight.stride(1) == 1;
    const at::Tensor matrix = isReadable ? weight : weight.contiguous();
    const bool isTransposed = matrix.stride(1) != 1;
    const simd::Linear work{.rows = rows.size(0),
                            .in = rows.size(1),
                            .out = matrix.size(0),
                            .x = rows.const_data_ptr<float>(),
                            .xRow = rows.stride(0),
                            .weight = weightsOf(matrix),
                            .weightRow = matrix.stride(isTransposed ? 1 : 0),
                            .isTransposed = isTransposed,
                            .bias = dataOf(bias),
                            .result = result};
    const simd::LinearPieces& pieces = productPieces();
    const simd::LinearCut cut = simd::cutLinear(work, pieces, at::get_num_threads());
    const at::Tensor scratch = scratchOf(productScratch());
    float* const memory = scratch.mutable_data_ptr<float>();
    const double workOfPart = 2 * static_cast<double>(cut.partRows * cut.blockColumns * work.in);
    at::parallel_for(0, cut.parts, grainOf(workOfPart), [&](int64_t begin, int64_t end) {
        float* ofThread = memory + at::get_thread_num() * pieces.numbersOfThread;
        pieces.multiply(work, cut, begin, end, ofThread);
    });
}

at::Tensor multiplyOnCpu(const at::Tensor& x,
                         const at::Tensor& weight,
                         const OptionalTensor& bias) {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    at::Tensor result = at::empty(sizes, x.options());
    runProduct(x.view({-1, x.size(-1)}), weight, bias, result.mutable_data_ptr<float>());
    return result;
}

OptionalTensor ifAny(const at::Tensor& tensor) {
    return tensor.defined() ? OptionalTensor(tensor) : std::nullopt;
}

const auto& intoOperator() {
    static const auto op = operatorOf("lowtide::convolve3x3_into_", &convolve3x3IntoOnCpu);
    return op;
}

}  // namespace

bool takesConvolution(const at::Tensor& x) {
    return isOurs(x, cpuPaths().convolution);
}

bool isWinograd(const at::Tensor& x, const at::Tensor& weight, int64_t stride, int64_t padding) {
    return weight.size(2) == 3 && weight.size(3) == 3 && stride == 1 && padding == 1 &&
           x.size(2) >= kLeastSide && x.size(3) >= kLeastSide;
}

bool isOfPixels(const at::Tensor& weight, int64_t stride, int64_t padding) {
    return weight.size(2) == 1 && weight.size(3) == 1 && stride == 1 && padding == 0;
}

bool takesAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const bool areAlike = k.size(0) == q.size(0) && k.size(1) == q.size(1) &&
                          k.size(3) == q.size(3) && v.sizes() == k.sizes();
    return isOurs(q, cpuPaths().attention) && areAlike && q.size(3) <= kMostWidth &&
           q.stride(3) == 1 && k.stride(3) == 1 && v.stride(3) == 1;
}

bool takesGroupNorm(const at::Tensor& x) {
    return isOurs(x, cpuPaths().groupNorm) && x.dim() == 4;
}

bool takesRowNorm(const at::Tensor& x, const at::Tensor& weight) {
    return isOurs(x, cpuPaths().groupNorm) &&
           (!weight.defined() || weight.scalar_type() == at::kFloat);
}

bool takesProduct(const at::Tensor& x, const at::Tensor& weight) {
    return hasHalves(weight) && isOurs(x, cpuPaths().product);
}

at::Tensor withChannelsLast(const at::Tensor& x) {
    const int64_t pixel = x.stride(3);
    const bool isReadable = x.stride(1) == 1 && pixel >= x.size(1) &&
                            x.stride(2) == x.size(3) * pixel &&
                            (x.size(0) == 1 || x.stride(0) == x.size(2) * x.size(3) * pixel);
    return isReadable ? x : x.contiguous(kChannelsLast);
}

int64_t convolutionScratch(const at::Tensor& x,
                           const at::Tensor& weight,
                           int64_t repeat,
                           bool isOver) {
    simd::Convolution work = workOf(x, weight, repeat);
    work.isOver = isOver;
    return scratchNumbers(
        simd::cutWinograd(work, piecesOf(cpuPaths().convolution).winograd.vectorWidth));
}

int64_t attentionScratch(int64_t width) {
    return at::get_num_threads() * piecesOf(cpuPaths().attention).attention.numbersOfThread(width);
}

int64_t groupNormScratch(const at::Tensor& x) {
    const simd::GroupNorm work = normSizesOf(x);
    return work.sumNumbers() + work.factorNumbers();
}

int64_t productScratch() {
    return at::get_num_threads() * productPieces().numbersOfThread;
}

at::Tensor convolve3x3(const at::Tensor& x,
                       const at::Tensor& weight,
                       const at::Tensor& bias,
                       int64_t repeat) {
    static const auto op = operatorOf("lowtide::convolve3x3", &convolve3x3OnCpu);
    return op.call(withChannelsLast(x), weight, ifAny(bias), repeat);
}

bool takesConvolutionOver(const at::Tensor& x, const at::Tensor& weight) {
    return takesConvolution(x) && isWinograd(x, weight, 1, 1) && x.is_contiguous(kChannelsLast) &&
           2 * weight.size(0) <= x.size(1);
}

at::Tensor broadcastOver(const at::Tensor& x, const at::Tensor& weight) {
    const int64_t out = weight.size(0);
    const int64_t row = x.size(3) * out;
    return x.as_strided({x.size(0), out, x.size(2), x.size(3)}, {x.size(2) * row, 1, row, out});
}

at::Tensor convolve3x3Over(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    at::Tensor result = broadcastOver(x, weight);
    intoOperator().call(result, x, weight, ifAny(bias), false);
    return result;
}

void addConvolution3x3(const at::Tensor& x,
                       const at::Tensor& weight,
                       const at::Tensor& bias,
                       at::Tensor& result) {
    intoOperator().call(result, withChannelsLast(x), weight, ifAny(bias), true);
}

at::Tensor convolveColumns(const at::Tensor& x,
                           const at::Tensor& weight,
                           const at::Tensor& bias,
                           int64_t stride,
                           int64_t padding) {
    static const auto op = operatorOf("lowtide::convolve_columns", &convolveByColumns);
    return op.call(withChannelsLast(x), weight, ifAny(bias), stride, padding);
}

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    static const auto op = operatorOf("lowtide::attend", &attendOnCpu);
    return op.call(q, k, v);
}

at::Tensor multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    static const auto op = operatorOf("lowtide::multiply", &multiplyOnCpu);
    return op.call(x.contiguous(), weight, ifAny(bias));
}

at::Tensor normGroups(const at::Tensor& x,
                      const at::Tensor& added,
                      int64_t groups,
                      const at::Tensor& weight,
                      const at::Tensor& bias,
                      double epsilon,
                      bool isActivated) {
    static const auto op = operatorOf("lowtide::norm_groups", &normGroupsOnCpu);
    return op.call(
        x.contiguous(kChannelsLast), ifAny(added), groups, weight, bias, epsilon, isActivated);
}

at::Tensor normRows(const at::Tensor& rows, const at::Tensor& weight, double epsilon) {
    static const auto op = operatorOf("lowtide::norm_rows", &normRowsOnCpu);
    const at::Tensor factors = weight.defined() ? weight.contiguous() : weight;
    return op.call(rows.contiguous(), ifAny(factors), epsilon);
}

at::Tensor normGroupsOver(at::Tensor x,
                          const at::Tensor& added,
                          int64_t groups,
                          const at::Tensor& weight,
                          const at::Tensor& bias,
                          double epsilon) {
    static const auto op = operatorOf("lowtide::norm_groups_", &normGroupsOverOnCpu);
    op.call(x, ifAny(added), groups, weight, bias, epsilon);
    return x;
}

void addOwnOperators(OperatorLibraries& libraries) {
    torch::Library& schemas = libraries.schemas;
    schemas.def("convolve3x3(Tensor x, Tensor weight, Tensor? bias, int repeat) -> Tensor");
    schemas.def(
        "convolve3x3_into_(Tensor(a!) result, Tensor x, Tensor weight, Tensor? bias, bool adds) -> "
        "Tensor(a!)");
    schemas.def(
        "convolve_columns(Tensor x, Tensor weight, Tensor? bias, int stride, int padding) -> "
        "Tensor");
    schemas.def("attend(Tensor q, Tensor k, Tensor v) -> Tensor");
    schemas.def("multiply(Tensor x, Tensor weight, Tensor? bias) -> Tensor");
    schemas.def("norm_rows(Tensor x, Tensor? weight, float epsilon) -> Tensor");
    schemas.def(
        "norm_groups(Tensor x, Tensor? added, int groups, Tensor weight, Tensor bias, "
        "float epsilon, bool activated) -> Tensor");
    schemas.def(
        "norm_groups_(Tensor(a!) x, Tensor? added, int groups, Tensor weight, Tensor bias, "
        "float epsilon) -> Tensor(a!)");
    torch::Library& onCpu = libraries.onCpu;
    onCpu.impl("convolve3x3", convolve3x3OnCpu);
    onCpu.impl("convolve3x3_into_", convolve3x3IntoOnCpu);
    onCpu.impl("convolve_columns", convolveByColumns);
    onCpu.impl("attend", attendOnCpu);
    onCpu.impl("multiply", multiplyOnCpu);
    onCpu.impl("norm_rows", normRowsOnCpu);
    onCpu.impl("norm_groups", normGroupsOnCpu);
    onCpu.impl("norm_groups_", normGroupsOverOnCpu);
}

namespace {

constexpr int64_t kNumbersAtOnce = 1 << 20;
constexpr int64_t kLeastPixels = 64;  ///< rows with which a product keeps its speed
constexpr int64_t kNumbersOfThread = 1 << 15;

struct Columns {
    const float* pixels = nullptr;
    int64_t channels = 0;
    int64_t height = 0;
    int64_t width = 0;
    int64_t pixelStep = 0;
    int64_t kernel = 0;
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t outHeight = 0;
    int64_t outWidth = 0;

    [[nodiscard]] int64_t rowNumbers() const { return channels * kernel * kernel; }
};

/// The row of one pixel of the result: channels, then the kernel's rows and columns, as weights
/// lie.
void fillRow(const Columns& work, int64_t pixel, float* row) {
    const int64_t ofImage = pixel % (work.outHeight * work.outWidth);
    const int64_t image = pixel / (work.outHeight * work.outWidth);
    const int64_t top = ofImage / work.outWidth * work.stride - work.padding;
    const int64_t left = ofImage % work.outWidth * work.stride - work.padding;
    const int64_t area = work.kernel * work.kernel;
    for (int64_t index = 0; index < area; ++index) {
        const int64_t y = top + index / work.kernel;
        const int64_t x = left + index % work.kernel;
        const bool isInside = y >= 0 && y < work.height && x >= 0 && x < work.width;
        const float* source =
            work.pixels + ((image * work.height + y) * work.width + x) * work.pixelStep;
        for (int64_t channel = 0; channel < work.channels; ++channel) {
            row[channel * area + index] = isInside ? source[channel] : 0.0F;
        }
    }
}

int64_t pixelsAtOnce(const at::Tensor& weight) {
    return std::max(kLeastPixels, kNumbersAtOnce / (weight.numel() / weight.size(0)));
}

}  // namespace

int64_t columnNumbers(const at::Tensor& weight) {
    return pixelsAtOnce(weight) * (weight.numel() / weight.size(0));
}

at::Tensor convolveByColumns(const at::Tensor& x,
                             const at::Tensor& weight,
                             const std::optional<at::Tensor>& bias,
                             int64_t stride,
                             int64_t padding) {
    const int64_t kernel = weight.size(2);
    const auto side = [&](int64_t axis) {
        return (x.size(axis) + 2 * padding - kernel) / stride + 1;
    };
    const Columns work{.pixels = x.const_data_ptr<float>(),
                       .channels = x.size(1),
                       .height = x.size(2),
                       .width = x.size(3),
                       .pixelStep = x.stride(3),
                       .kernel = kernel,
                       .stride = stride,
                       .padding = padding,
                       .outHeight = side(2),
                       .outWidth = side(3)};
    at::Tensor result = at::empty({x.size(0), weight.size(0), work.outHeight, work.outWidth},
                                  x.options(),
                                  at::MemoryFormat::ChannelsLast);
    const at::Tensor rows = result.permute({0, 2, 3, 1}).view({-1, weight.size(0)});
    const at::Tensor matrix = weight.flatten(1).t();  // [C k k, O]
    const int64_t atOnce = pixelsAtOnce(weight);
    const at::Tensor columns = at::empty({atOnce, work.rowNumbers()}, x.options());
    float* const memory = columns.mutable_data_ptr<float>();
    const int64_t grain = std::max<int64_t>(1, kNumbersOfThread / work.rowNumbers());
    for (int64_t begin = 0; begin < rows.size(0); begin += atOnce) {
        const int64_t count = std::min(atOnce, rows.size(0) - begin);
        at::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
            for (int64_t pixel = first; pixel < last; ++pixel) {
                fillRow(work, begin + pixel, memory + pixel * work.rowNumbers());
            }
        });
        at::Tensor part = rows.narrow(0, begin, count);
        const at::Tensor below = columns.narrow(0, 0, count);
        if (hasHalves(weight)) {
            runProduct(below, weight.flatten(1), bias, part.mutable_data_ptr<float>());
            continue;
        }
        bias ? at::addmm_out(part, *bias, below, matrix) : at::mm_out(part, below, matrix);
    }
    return result;
}

}  // namespace lowtide::tensor::own
