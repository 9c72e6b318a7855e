// What channels_last would bring on a GPU: the pair of norm and convolution that a UNet is made
// of, with the layouts of input and weights that are possible. Decides nothing by itself; without a
// GPU small ones on the CPU, so that the measuring itself is tested.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/median.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/gpu/measured_rows.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <chrono>
#include <span>

namespace layout_bench {

using namespace lowtide;

namespace {

struct Layout {
    const char* name;
    bool isInputLast;
    bool isWeightLast;
};

/// Weights lie in arenas as their files have them: channels first.
constexpr Layout kLayouts[] = {{"channels first", false, false},
                               {"input channels last", true, false},
                               {"both channels last", true, true}};

struct Size {
    int64_t channels;
    int64_t pixels;  ///< along a side
};

constexpr Size kOfUnets[] = {{320, 64}, {640, 32}, {1280, 16}, {320, 128}, {640, 64}, {1280, 32}};
constexpr Size kSmall[] = {{32, 8}};
constexpr int kPairs = 20;  ///< between two waits for the device
constexpr int kRounds = 7;

/// Numbers from -`most` to `most`: products of equal ones are faster.
at::Tensor numbers(const Shape& shape, double most, bool isLast, const at::TensorOptions& options) {
    const at::Tensor mixed =
        (at::arange(elementCount(shape).value(), at::kFloat) * 7.31).sin() * most;
    return mixed.view(shape).to(options).contiguous(isLast ? at::MemoryFormat::ChannelsLast
                                                           : at::MemoryFormat::Contiguous);
}

}  // namespace

class LayoutBench : public QObject {
    Q_OBJECT

    bool hasGpu_ = false;
    std::unique_ptr<residency::Device> device_;
    Json rows_ = Json::array();

    [[nodiscard]] c10::Device computeDevice() const {
        return hasGpu_ ? device_->torchDevice() : c10::Device(at::kCPU);
    }

    void finish() {
        if (hasGpu_) {
            device_->finishCompute();
        }
    }

    /// Seconds of one pair.
    double timeOf(const Size& size, const Layout& layout, at::ScalarType type, at::Tensor& last) {
        const auto options = at::TensorOptions(type).device(computeDevice());
        const at::Tensor x =
            numbers({2, size.channels, size.pixels, size.pixels}, 1, layout.isInputLast, options);
        const at::Tensor weight =
            numbers({size.channels, size.channels, 3, 3}, 0.02, layout.isWeightLast, options);
        const at::Tensor scale = at::ones({size.channels}, options);
        const auto pair = [&] {
            const at::Tensor normed = at::group_norm(x, 32, scale, scale);
            last = at::conv2d(at::silu(normed), weight, std::nullopt, 1, 1);
        };
        pair();
        std::vector<double> seconds;
        for (int round = 0; round < kRounds; ++round) {
            finish();
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < kPairs; ++i) {
                pair();
            }
            finish();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            seconds.push_back(took.count() / kPairs);
        }
        return testing::median(seconds);
    }

private Q_SLOTS:

    void initTestCase() {
        hasGpu_ = testing::reasonToSkip().isEmpty();
        QVERIFY2(hasGpu_ || !qEnvironmentVariableIsSet("LOWTIDE_REQUIRE_CARD"),
                 qPrintable(testing::reasonToSkip()));
        if (hasGpu_) {
            device_ = testing::gpus()->open(0);
            device_->attachThread();
        }
    }

    void measuresTheLayouts_data() {
        QTest::addColumn<int>("type");
        QTest::newRow("f16") << int(at::kHalf);
        QTest::newRow("bf16") << int(at::kBFloat16);
        QTest::newRow("f32") << int(at::kFloat);
    }

    void measuresTheLayouts() {
        QFETCH(int, type);
        const c10::InferenceMode inference;
        for (const Size& size : hasGpu_ ? std::span<const Size>(kOfUnets) : kSmall) {
            double first = 0;
            at::Tensor expected;
            for (const Layout& layout : kLayouts) {
                at::Tensor result;
                const double seconds =
                    timeOf(size, layout, static_cast<at::ScalarType>(type), result);
                first = layout.isInputLast ? first : seconds;
                expected = layout.isInputLast ? expected : result;
                // Other algorithms round in another order.
                QVERIFY(at::allclose(result.to(at::kFloat), expected.to(at::kFloat), 0.05, 0.05));
                rows_.push_back({{"layout", layout.name},
                                 {"type", QTest::currentDataTag()},
                                 {"channels", size.channels},
                                 {"pixels", size.pixels},
                                 {"seconds", seconds},
                                 {"to_first", seconds / first}});
                qInfo("%s", rows_.back().dump().c_str());
            }
        }
    }

    void cleanupTestCase() { QVERIFY(testing::writeRows("layouts", rows_)); }
};

LOWTIDE_TEST(LayoutBench)

}  // namespace layout_bench

#include "layout_bench.moc"
