#include "plugin/tensor/kernels_meta.hpp"

#include "plugin/memory/device_spec.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/own_operators.hpp"
#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/value_codecs.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <mutex>

namespace lowtide::tensor::kernels::meta {

namespace {

using at::native::ConvBackend;

bool isOnCpu() {
    return DryRunMeter::current().imitated() == Imitated::Cpu;
}

void addProducts(double count) {
    DryRunMeter::current().addFlops(2 * count);
}

/// A CPU tensor of that shape over one number: for functions that look at shapes alone.
at::Tensor shapeOnCpu(at::IntArrayRef sizes) {
    return at::empty({1}, at::kFloat).expand(sizes);
}

ConvBackend backendFor(const at::Tensor& x,
                       const at::Tensor& weight,
                       int64_t stride,
                       int64_t padding) {
    return at::native::select_conv_backend(shapeOnCpu(x.sizes()),
                                           shapeOnCpu(weight.sizes()),
                                           std::nullopt,
                                           {stride, stride},
                                           {padding, padding},
                                           {1, 1},
                                           false,
                                           {0, 0},
                                           1,
                                           std::nullopt);
}

/// Channels of oneDNN's blocked formats: one vector register of f32.
int64_t blockChannels() {
    static const int64_t channels = at::get_cpu_capability() == "AVX512" ? 16 : 8;
    return channels;
}

int64_t blocked(int64_t channels) {
    const int64_t block = blockChannels();
    return (channels + block - 1) / block * block;
}

at::Tensor empty(at::IntArrayRef sizes, const at::Tensor& like) {
    return at::empty(sizes, like.options());
}

constexpr auto kLast = at::MemoryFormat::ChannelsLast;

at::Tensor emptyLast(at::IntArrayRef sizes, const at::Tensor& like) {
    return at::empty(sizes, like.options(), kLast);
}

/// What an operator of ours needs for a moment in addition to its result, where the CPU runs it: a
/// GPU sees results only.
void touchScratch(int64_t numbers) {
    if (isOnCpu()) {
        DryRunMeter::current().touch(numbers * static_cast<Bytes>(sizeof(float)));
    }
}

bool isHalf(const at::Tensor& x) {
    return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
}

at::Tensor emptyF32(at::IntArrayRef sizes, const at::Tensor& like) {
    return at::empty(sizes, like.options().dtype(at::kFloat));
}

/// Whether oneDNN and ATen multiply this type in the processor's tiles (AMX): they lay factors out
/// for them first.
bool isInTiles(const at::Tensor& x) {
    return x.scalar_type() == at::kBFloat16 && at::native::cpublas::could_pack(at::kBFloat16);
}

/// halfProductScratch() in tiles; `weight`: numbers of the weight, which is laid out again for an
/// input that is transposed. Measured on AMX at 1 and 2 threads, 1 to 4096 rows of 8 to 10240
/// numbers.
int64_t tiledProductScratch(const at::Tensor& x, int64_t weight) {
    constexpr int64_t kTile = 64;
    constexpr int64_t kRest = 1300;
    const int64_t inner = (x.size(-1) + kTile - 1) / kTile * kTile;
    const int64_t rows = std::min<int64_t>(x.numel() / std::max<int64_t>(x.size(-1), 1), 256);
    const int64_t turned = x.is_contiguous() ? 0 : 2 * x.numel() + weight / 2;
    return at::get_num_threads() * (128 * rows + 72 * inner + kRest) + turned;
}

/// Numbers in f32 in addition to a product [rows, inner] x [inner, columns] of half types, at most,
/// for each thread: sums and a part of the weight; of f16 also both factors widened. Source:
/// oneDNN 3.10 as torch 2.11 calls it, measured on AVX-512 with bf16.
int64_t halfProductScratch(const at::Tensor& x, int64_t columns) {
    constexpr int64_t kRest = 1024;
    if (isInTiles(x)) {
        return tiledProductScratch(x, columns * x.size(-1));
    }
    const int64_t inner = std::min<int64_t>(x.size(-1), 1024);
    const int64_t rows = std::min<int64_t>(x.numel() / std::max<int64_t>(x.size(-1), 1), 256);
    const int64_t part = std::min<int64_t>(columns, 384);
    const int64_t numbers = x.scalar_type() == at::kHalf
                                ? rows * inner + inner * part + rows * part + kRest
                                : 64 * rows + 32 * inner + kRest;
    const int64_t turned = x.is_contiguous() ? 0 : 2 * x.numel();
    return at::get_num_threads() * numbers + turned;
}

/// halfConvolutionScratch() in tiles: each thread lays pixels out once for each column of the
/// kernel, of a large image a part. Measured as tiledProductScratch, at 320 convolutions of UNets
/// and autoencoders; the most for one thread was 3.3 MB.
int64_t tiledConvolutionScratch(const at::Tensor& x, const at::Tensor& weight) {
    constexpr int64_t kMost = 1 << 20;
    constexpr int64_t kRest = 12 * 1024;
    const int64_t edge = weight.size(2) / 2 * 2;
    const int64_t pixels = (x.size(2) + edge) * (x.size(3) + edge);
    const int64_t laidOut = 2 * weight.size(3) * blocked(x.size(1)) * pixels / 3;
    return at::get_num_threads() * (std::min(laidOut, kMost) + kRest) + kRest;
}

/// Numbers in f32 in addition to a convolution of half types with a result of `sizes`: pointwise
/// ones of bf16 sum an entire image in each thread; f16 has the result once more. Source: as
/// halfProductScratch.
int64_t halfConvolutionScratch(const at::Tensor& x,
                               const at::Tensor& weight,
                               at::IntArrayRef sizes) {
    const int64_t rest = 1024 * (at::get_num_threads() + 1);
    const int64_t ofImage = blocked(sizes[1]) * sizes[2] * sizes[3];
    if (x.scalar_type() == at::kHalf) {
        return rest + sizes[0] * ofImage;
    }
    if (isInTiles(x)) {
        return tiledConvolutionScratch(x, weight);
    }
    const bool isPointwise = weight.size(2) == 1 && weight.size(3) == 1;
    return isPointwise ? at::get_num_threads() * ofImage + rest : 0;
}

/// oneDNN reorders input, weight and result to blocked channels; a kernel wider than a pixel takes
/// channels that fill no block as they are. A bias that must be padded lies in scratch memory. From
/// tiles the result goes by way of a copy.
/// Source: ideep's convolution_forward in torch 2.11 (oneDNN 3.10), seen on AVX-512 and AVX2.
at::Tensor convolvedInBlocks(const at::Tensor& x, const at::Tensor& weight, at::IntArrayRef sizes) {
    constexpr int64_t kScratchNumbers = 32;
    const bool isPlain = x.size(1) < blockChannels() && weight.size(2) > 1;
    const int64_t in = isPlain ? x.size(1) : blocked(x.size(1));
    const int64_t out = blocked(sizes[1]);
    at::Tensor result;
    {
        const at::Tensor input = isPlain && !isInTiles(x)
                                     ? at::Tensor()
                                     : empty({x.size(0), in, x.size(2), x.size(3)}, x);
        const at::Tensor kernel = empty({out, in, weight.size(2), weight.size(3)}, x);
        const at::Tensor bias =
            out == sizes[1] ? at::Tensor() : emptyF32({out + kScratchNumbers}, x);
        const at::Tensor sums =
            isHalf(x) ? emptyF32({halfConvolutionScratch(x, weight, sizes)}, x) : at::Tensor();
        result = empty({sizes[0], out, sizes[2], sizes[3]}, x);
    }
    const at::Tensor plain = isInTiles(x) ? empty(sizes, x) : at::Tensor();
    return empty(sizes, x);
}

/// The convolution without oneDNN multiplies by a matrix of the pixels below each kernel.
at::Tensor convolvedByColumns(const at::Tensor& x,
                              const at::Tensor& weight,
                              at::IntArrayRef sizes) {
    at::Tensor columns;
    const bool isPointwise = weight.size(2) == 1 && weight.size(3) == 1 && sizes[2] == x.size(2) &&
                             sizes[3] == x.size(3);
    at::Tensor result = empty(sizes, x);
    if (!isPointwise) {
        columns = empty({sizes[0], weight.numel() / weight.size(0), sizes[2] * sizes[3]}, x);
    }
    return result;
}

constexpr int64_t kKeyBlock = 512;

/// Numbers of one thread's scratch memory in ATen's attention of the CPU.
/// Source: ATen/native/cpu/FlashAttentionKernel.cpp of torch 2.11, cpu_flash_attention.
int64_t attentionRows(int64_t queries) {
    const int64_t queryBlock = queries >= 768 ? 256 : queries >= 192 ? 64 : 32;
    return std::min(queryBlock, queries);
}

int64_t attentionScratch(int64_t queries, int64_t keys, int64_t width) {
    return attentionRows(queries) * (std::min(kKeyBlock, keys) + 2 + width);
}

/// The same scores once more in the half type.
int64_t attentionWeights(int64_t queries, int64_t keys) {
    return attentionRows(queries) * std::min(kKeyBlock, keys);
}

/// Numbers of keys and values laid out for tiles, in pairs, and of a block of keys for each thread.
/// Source: as attentionScratch, need_pack.
int64_t tiledAttention(const at::Tensor& k, const at::Tensor& v) {
    const auto even = [](int64_t count) { return count + count % 2; };
    const int64_t keys = even(k.size(2));
    return k.size(0) * k.size(1) * keys * (even(k.size(3)) + even(v.size(3))) +
           at::get_num_threads() * std::min(kKeyBlock, keys) * even(k.size(3));
}

/// What cuDNN takes on the GPU that the dry run is for.
void touchWorkspace(const at::Tensor& input,
                    const at::Tensor& weight,
                    const at::Tensor& result,
                    int64_t stride,
                    int64_t padding) {
    DryRunMeter& meter = DryRunMeter::current();
    const memory::StageDevice& device = meter.device();
    const std::optional<Bytes> reported =
        device.isThere ? cudnnWorkspace(input, weight, stride, padding, device.spec.index)
                       : std::nullopt;
    const Bytes bytes =
        alignUp(reported.value_or(guessedWorkspace(input, weight, result)), memory::kSlotAlignment);
    meter.touch(bytes);
    if (!reported) {
        meter.noteGuess(bytes);
    }
}

}  // namespace

at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, int64_t stride, int64_t padding) {
    const auto side = [&](int64_t axis) {
        return (x.size(axis) + 2 * padding - weight.size(axis)) / stride + 1;
    };
    const std::vector<int64_t> sizes = {x.size(0), weight.size(0), side(2), side(3)};
    addProducts(static_cast<double>(c10::multiply_integers(sizes)) *
                static_cast<double>(weight.numel() / weight.size(0)));
    if (own::takesConvolution(x)) {
        const at::Tensor input = own::withChannelsLast(x);
        at::Tensor result = emptyLast(sizes, x);
        touchScratch(own::isWinograd(x, weight, stride, padding)
                         ? own::convolutionScratch(input, weight)
                         : own::columnNumbers(weight) +
                               (isHalf(weight) ? own::productScratch() : 0));
        return result;
    }
    const at::Tensor input = x.contiguous();
    if (!isOnCpu()) {
        at::Tensor result = empty(sizes, x);
        if (DryRunMeter::isOnCuda()) {
            touchWorkspace(input, weight, result, stride, padding);
        }
        return result;
    }
    if (isHalf(x)) {  // which of both is taken depends on the processor
        (void)convolvedByColumns(input, weight, sizes);
        return convolvedInBlocks(input, weight, sizes);
    }
    return backendFor(x, weight, stride, padding) == ConvBackend::Mkldnn
               ? convolvedInBlocks(input, weight, sizes)
               : convolvedByColumns(input, weight, sizes);
}

at::Tensor doubledConv2d(const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor input = own::withChannelsLast(x);
    at::Tensor result = emptyLast({x.size(0), weight.size(0), 2 * x.size(2), 2 * x.size(3)}, x);
    addProducts(static_cast<double>(result.numel()) *
                static_cast<double>(weight.numel() / weight.size(0)));
    touchScratch(own::convolutionScratch(input, weight, 2));
    return result;
}

at::Tensor conv2dOver(const at::Tensor& x, const at::Tensor& weight) {
    at::Tensor result = own::broadcastOver(x, weight);
    addProducts(static_cast<double>(result.numel()) *
                static_cast<double>(weight.numel() / weight.size(0)));
    touchScratch(own::convolutionScratch(x, weight, 1, /*isOver=*/true));
    return result;
}

void addConv2d(const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor input = own::withChannelsLast(x);
    addProducts(static_cast<double>(x.size(0) * x.size(2) * x.size(3)) *
                static_cast<double>(weight.numel()));
    touchScratch(own::convolutionScratch(input, weight));
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
    addProducts(static_cast<double>(x.numel()) * static_cast<double>(weight.size(0)));
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    at::Tensor result = empty(sizes, x);
    if (own::takesProduct(x, weight)) {
        const at::Tensor rows = x.contiguous();
        touchScratch(own::productScratch());
    } else if (isHalf(x)) {
        touchScratch(halfProductScratch(x, weight.size(0)));
    }
    return result;
}

void addProduct(const at::Tensor& left, const at::Tensor& right) {
    addProducts(static_cast<double>(left.numel()) * static_cast<double>(right.size(1)));
}

at::Tensor groupNorm(const at::Tensor& x, int64_t groups) {
    if (own::takesGroupNorm(x)) {
        const at::Tensor pixels = x.contiguous(kLast);
        at::Tensor result = emptyLast(x.sizes(), x);
        touchScratch(own::groupNormScratch(pixels));
        return result;
    }
    const at::Tensor input = x.contiguous();
    at::Tensor result = empty(x.sizes(), x);
    const at::Tensor mean = empty({x.size(0), groups}, x);
    const at::Tensor deviation = empty({x.size(0), groups}, x);
    return result;
}

at::Tensor groupNormOver(at::Tensor x) {
    touchScratch(own::groupNormScratch(x));
    return x;
}

at::Tensor layerNorm(const at::Tensor& x) {
    const at::Tensor input = isOnCpu() ? x.contiguous() : x;
    at::Tensor result = empty(x.sizes(), x);
    const at::Tensor mean = empty({x.numel() / x.size(-1)}, x);
    const at::Tensor deviation = empty({x.numel() / x.size(-1)}, x);
    return result;
}

at::Tensor rmsNorm(const at::Tensor& rows) {
    const at::Tensor input = rows.contiguous();
    return empty(input.sizes(), input);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool isMasked) {
    const int64_t heads = q.size(0) * q.size(1);
    const int64_t queries = q.size(2);
    addProducts(static_cast<double>(heads * queries) * static_cast<double>(k.size(2)) *
                static_cast<double>(q.size(3) + v.size(3)));
    at::Tensor result = empty({q.size(0), queries, q.size(1), v.size(3)}, q);
    if (!isMasked && own::takesAttention(q, k, v)) {
        touchScratch(own::attentionScratch(q.size(3)));
    } else if (isOnCpu()) {
        const at::Tensor sums = emptyF32({q.size(0), queries, q.size(1)}, q);
        const at::Tensor scratch =
            emptyF32({at::get_num_threads(), attentionScratch(queries, k.size(2), q.size(3))}, q);
        const at::Tensor weights =
            isHalf(q) ? empty({at::get_num_threads(), attentionWeights(queries, k.size(2))}, q)
                      : at::Tensor();
        const at::Tensor tiles = isInTiles(q) ? empty({tiledAttention(k, v)}, q) : at::Tensor();
    } else if (DryRunMeter::isOnCuda()) {
        const at::Tensor sums = emptyF32({q.size(0), q.size(1), queries}, q);
    }
    return result.transpose(1, 2);  // [B, T, H, d] -> [B, H, T, d], as the kernels lay it out
}

at::Tensor upsampleNearest(const at::Tensor& x, int64_t height, int64_t width) {
    // Source: ATen/native/cpu/UpSampleKernel.cpp, _use_vectorized_kernel_cond_2d.
    constexpr int64_t kSmallSides = 128;
    constexpr auto kLast = at::MemoryFormat::ChannelsLast;
    constexpr int64_t kNumbersOfTap = 3;  // an index of 8 bytes and a weight
    at::Tensor result = at::upsample_nearest2d(x, {height, width});
    const bool isFast = (x.is_contiguous(kLast) && x.size(1) > 3) || height + width <= kSmallSides;
    touchScratch(kNumbersOfTap * (height + width));
    if (isOnCpu() && isFast) {
        const at::Tensor input = x.contiguous(kLast);
        const at::Tensor output = result.contiguous(kLast);
    }
    return result;
}

at::Tensor deviation(const at::Tensor& x) {
    std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
    sizes.front() = x.size(0);
    return empty(sizes, x);
}

at::Tensor resampledAxis(const at::Tensor& x, int64_t axis, int64_t length, Resample filter) {
    const at::Tensor input = x.contiguous();
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<size_t>(axis)] = length;
    at::Tensor result = empty(sizes, x);
    touchScratch(own::resamplingScratch(x.size(axis), length, filter));
    return result;
}

}  // namespace lowtide::tensor::kernels::meta

namespace lowtide::tensor {

namespace {

/// Dry runs may be going on while another thread registers itself to be asked.
struct Asked {
    std::mutex mutex;
    residency::ConvolutionQuestion question;
};

Asked& asked() {
    static Asked asked;
    return asked;
}

residency::ConvolutionQuestion currentQuestion() {
    const std::lock_guard lock(asked().mutex);
    return asked().question;
}

std::array<int64_t, 4> sizesOf(const at::Tensor& tensor) {
    return {tensor.size(0), tensor.size(1), tensor.size(2), tensor.size(3)};
}

}  // namespace

void setConvolutionQuestion(residency::ConvolutionQuestion question) {
    const std::lock_guard lock(asked().mutex);
    asked().question = std::move(question);
}

std::optional<Bytes> cudnnWorkspace(
    const at::Tensor& input, const at::Tensor& weight, int64_t stride, int64_t padding, int gpu) {
    const at::Context& context = at::globalContext();
    const std::optional<DType> type = elementTypeOf(input.scalar_type());
    const residency::ConvolutionQuestion question = currentQuestion();
    if (!question || !type || context.benchmarkCuDNN()) {
        return std::nullopt;
    }
    return question(
        {.gpu = gpu,
         .type = *type,
         .input = sizesOf(input),
         .weight = sizesOf(weight),
         .stride = stride,
         .padding = padding,
         .allowsTf32 = *type == DType::F32 && context.allowTF32CuDNN(at::Float32Op::CONV),
         .isDeterministic = context.deterministicCuDNN() || context.deterministicAlgorithms()});
}

void requireConvolutionFits(const at::Tensor& input,
                            const at::Tensor& weight,
                            int64_t stride,
                            int64_t padding) {
    const int gpu = input.device().has_index() ? input.device().index() : 0;
    const std::optional<Bytes> workspace = cudnnWorkspace(input, weight, stride, padding, gpu);
    if (!workspace || *workspace == 0) {
        return;
    }
    const auto outputSize = [&](int64_t dimension) {
        return (input.size(dimension) + 2 * padding - weight.size(dimension)) / stride + 1;
    };
    const at::Tensor result =
        at::empty({input.size(0), weight.size(0), outputSize(2), outputSize(3)}, input.options());
    const at::Tensor workspaceTensor = at::empty({*workspace}, input.options().dtype(at::kByte));
}

Bytes guessedWorkspace(const at::Tensor& input,
                       const at::Tensor& weight,
                       const at::Tensor& result) {
    return static_cast<Bytes>(input.nbytes() + weight.nbytes() + result.nbytes());
}

}  // namespace lowtide::tensor
