// The fake device computes with the CPU's kernels on the CPU's layouts, so every result must have
// the CPU's bits.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <QTest>

#include <functional>

namespace fake_operators_test {

using namespace lowtide;
using at::Tensor;

namespace {

/// Random inputs, the same for every device: made on the CPU, then moved.
class Inputs {
public:
    Inputs(at::ScalarType type, c10::Device device) : type_(type), device_(device) {}

    Tensor operator()(at::IntArrayRef sizes) {
        return at::randn(sizes, generator_).to(type_).to(device_);
    }

    Tensor ids(std::vector<int64_t> values) const { return at::tensor(values).to(device_); }

private:
    at::ScalarType type_;
    c10::Device device_;
    at::Generator generator_ = at::detail::createCPUGenerator(11);
};

struct Case {
    const char* name;
    std::function<Tensor(Inputs&)> compute;
};

/// A residual block with time embedding, as a UNet has it.
Tensor residualBlock(Inputs& in) {
    const Tensor x = in({2, 32, 12, 10});
    Tensor h = at::group_norm(x, 8, in({32}), in({32}), 1e-5);
    h = at::conv2d(at::silu(h), in({48, 32, 3, 3}), in({48}), 1, 1);
    h = h + at::linear(at::silu(in({2, 64})), in({48, 64}), in({48})).unsqueeze(-1).unsqueeze(-1);
    h = at::conv2d(at::silu(at::group_norm(h, 8, in({48}), in({48}), 1e-5)),
                   in({48, 48, 3, 3}),
                   in({48}),
                   1,
                   1);
    return h + at::conv2d(x, in({48, 32, 1, 1}), in({48}));
}

Tensor heads(const Tensor& x) {
    return x.view({2, -1, 4, 16}).transpose(1, 2);  // [B,T,64] -> [B,4,T,16]
}

/// Self-attention, cross-attention to text and a gated feed-forward.
Tensor transformerBlock(Inputs& in) {
    Tensor x = in({2, 64, 6, 5}).permute({0, 2, 3, 1}).reshape({2, 30, 64});
    const Tensor text = in({2, 7, 24});
    Tensor n = at::layer_norm(x, {64}, in({64}), in({64}));
    Tensor a = at::scaled_dot_product_attention(heads(at::linear(n, in({64, 64}))),
                                                heads(at::linear(n, in({64, 64}))),
                                                heads(at::linear(n, in({64, 64}))));
    x = x + at::linear(a.transpose(1, 2).reshape({2, 30, 64}), in({64, 64}), in({64}));
    n = at::layer_norm(x, {64}, in({64}), in({64}));
    a = at::scaled_dot_product_attention(heads(at::linear(n, in({64, 64}))),
                                         heads(at::linear(text, in({64, 24}))),
                                         heads(at::linear(text, in({64, 24}))));
    x = x + at::linear(a.transpose(1, 2).reshape({2, 30, 64}), in({64, 64}), in({64}));
    const auto gated =
        at::linear(at::layer_norm(x, {64}, in({64}), in({64})), in({256, 64}), in({256}))
            .chunk(2, -1);
    x = x + at::linear(gated[0] * at::gelu(gated[1]), in({64, 128}), in({64}));
    return x.reshape({2, 6, 5, 64}).permute({0, 3, 1, 2}).contiguous();
}

Tensor causalAttention(Inputs& in) {
    const Tensor q = in({2, 4, 9, 16});
    const Tensor mask =
        at::full({9, 9}, -std::numeric_limits<float>::infinity(), q.options()).triu_(1);
    return at::scaled_dot_product_attention(q, in({2, 4, 9, 16}), in({2, 4, 9, 16}), mask);
}

Tensor interpolated(Inputs& in) {
    return at::_upsample_bicubic2d_aa(in({1, 3, 16, 12}).to(at::kFloat), {9, 20}, false);
}

Tensor gathered(Inputs& in) {
    const Tensor table = in({20, 8});
    const Tensor ids = in.ids({3, 0, 19, 3});
    return at::cat({at::embedding(table, ids), table.index({ids}), table.index_select(0, ids)}, 1);
}

Tensor samplerStep(Inputs& in) {
    Tensor x = in({2, 4, 8, 8});
    const Tensor noise = in({2, 4, 8, 8});
    const auto halves = x.chunk(2);
    x = at::cat({halves[1] + 7.5 * (halves[0] - halves[1]), noise.narrow(0, 0, 1)});
    x.add_(noise, 0.25).mul_(0.5);
    at::Tensor out = at::empty({0}, x.options());
    at::sub_out(out, x, noise);
    return at::where(out > 0, out, x).clamp(-2, 2).div(0.18215);
}

const std::vector<Case>& cases() {
    static const std::vector<Case> kCases = {
        {"residual block", residualBlock},
        {"transformer block", transformerBlock},
        {"causal attention", causalAttention},
        {"interpolate bicubic antialias", interpolated},
        {"embedding, index", gathered},
        {"sampler step", samplerStep},
        {"upsample nearest",
         [](Inputs& in) {
             return at::upsample_nearest2d(in({2, 8, 5, 6}), {10, 12});
         }},
        {"conv stride 2, pad",
         [](Inputs& in) {
             return at::conv2d(
                 at::constant_pad_nd(in({1, 8, 9, 9}), {0, 1, 0, 1}), in({8, 8, 3, 3}), in({8}), 2);
         }},
        {"conv transposed",
         [](Inputs& in) {
             return at::conv_transpose2d(in({1, 8, 5, 5}), in({8, 4, 4, 4}), in({4}), 2, 1);
         }},
        {"softmax, baddbmm",
         [](Inputs& in) {
             return at::softmax(at::baddbmm(in({2, 3, 5}), in({2, 3, 4}), in({2, 4, 5})), -1);
         }},
        {"quick gelu",
         [](Inputs& in) {
             const Tensor x = in({5, 33});
             return x * at::sigmoid(1.702 * x);
         }},
        {"sin cos embedding",
         [](Inputs& in) {
             const Tensor t = in({4}).to(at::kFloat);
             const Tensor f = at::exp(at::arange(16, t.options()) * -0.5);
             const Tensor a = t.unsqueeze(1) * f.unsqueeze(0);
             return at::cat({a.cos(), a.sin()}, -1);
         }},
        {"channels last conv",
         [](Inputs& in) {
             return at::conv2d(in({2, 16, 9, 9}).contiguous(at::MemoryFormat::ChannelsLast),
                               in({8, 16, 3, 3}));
         }},
        {"casts",
         [](Inputs& in) { return in({64}).to(at::kBFloat16).to(at::kFloat).to(at::kHalf); }},
        {"argmax, sort, cumsum",
         [](Inputs& in) {
             const Tensor x = in({6, 9}).to(at::kFloat);
             return at::cat(
                 {x.argmax(1).to(at::kFloat).unsqueeze(1), std::get<0>(x.sort(1)), x.cumsum(1)}, 1);
         }},
        {"8 bit",
         [](Inputs& in) {
             return (in({3, 7}).to(at::kFloat).clamp(0, 1) * 255).round().to(at::kByte);
         }},
        {"zero elements",
         [](Inputs& in) {
             return at::cat({in({0, 4}), in({2, 4})});
         }},
    };
    return kCases;
}

}  // namespace

class FakeOperatorsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<residency::FakeDevice> device_ = testing::openFake();

private Q_SLOTS:

    void haveTheBitsOfTheCpu_data() {
        const testing::Rows<int, int> add("index", "type");
        const std::pair<const char*, at::ScalarType> types[] = {
            {"f32", at::kFloat}, {"f16", at::kHalf}, {"bf16", at::kBFloat16}};
        for (size_t i = 0; i < cases().size(); ++i) {
            for (const auto& [name, type] : types) {
                const std::string row = std::string(cases()[i].name) + " " + name;
                add(row, static_cast<int>(i), static_cast<int>(type));
            }
        }
    }

    void haveTheBitsOfTheCpu() {
        QFETCH(int, index);
        QFETCH(int, type);
        const c10::InferenceMode inference;
        const Case& wanted = cases()[static_cast<size_t>(index)];
        Inputs host(static_cast<at::ScalarType>(type), c10::kCPU);
        Inputs fake(static_cast<at::ScalarType>(type), device_->torchDevice());
        const Tensor expected = wanted.compute(host);
        const Tensor actual = wanted.compute(fake);
        QVERIFY(actual.is_privateuseone());
        QCOMPARE(actual.scalar_type(), expected.scalar_type());
        QVERIFY(expected.to(at::kFloat).isfinite().all().item<bool>());
        QVERIFY(at::equal(actual.cpu(), expected));
    }

    void leaveNoMemoryBehind() {
        const Bytes before = device_->allocated();
        for (const Case& wanted : cases()) {
            Inputs fake(at::kFloat, device_->torchDevice());
            static_cast<void>(wanted.compute(fake));
        }
        QCOMPARE(device_->allocated(), before);
    }

    void keepTheAliasesOfViews() {
        const Tensor base =
            at::zeros({4, 6}, at::TensorOptions(at::kFloat).device(device_->torchDevice()));
        base.narrow(1, 2, 2).fill_(1.0);
        base.t().select(0, 5).add_(3.0);
        Tensor expected = at::zeros({4, 6});
        expected.narrow(1, 2, 2).fill_(1.0);
        expected.select(1, 5).fill_(3.0);
        QVERIFY(at::equal(base.cpu(), expected));
        const Tensor complex = at::view_as_complex(base.view({4, 3, 2}));
        at::view_as_real(complex).fill_(9.0);
        QVERIFY(at::equal(base.cpu(), at::full({4, 6}, 9.0)));
    }

    void findNoHazardOfTheirOwn() { QCOMPARE(device_->extras().hazards().size(), 0u); }
};

LOWTIDE_TEST(FakeOperatorsTest)

}  // namespace fake_operators_test

#include "fake_operators_test.moc"
