// What adapters make of weights, against the tools that train them, and its bits and bytes.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/delta_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <optional>

namespace weight_deltas_test {

using namespace lowtide;
using models::AdapterMath;
using testing::Deltas;
using testing::lowRankFactors;

namespace {

/// Of f32, between two sums of the same some hundred products in another order.
constexpr double kRounding = 2e-6;

/// Numbers of one line of the cache.
constexpr int64_t kLine = 16;

at::Tensor productOf(const Deltas::Factors& factors) {
    const auto matrix = [&](const char* name) {
        return factors.find(name)->second.to(at::kDouble).flatten(1);
    };
    return at::matmul(matrix("up"), matrix("down"));
}

bool isNear(const at::Tensor& ours, const at::Tensor& expected) {
    return testing::relativeL2(ours, expected.view(ours.sizes())) <= kRounding;
}

/// The same values, `numbers` behind the begin of a line of the cache.
at::Tensor entryAt(const at::Tensor& values, int64_t numbers) {
    at::Tensor block = at::empty({values.numel() + numbers}, values.options());
    return block.narrow(0, numbers, values.numel()).view(values.sizes()).copy_(values);
}

at::Tensor transposed(const at::Tensor& matrix) {
    return matrix.t().contiguous().t();
}

/// The most bytes of the device at once that it takes.
template <class Work>
Bytes measuredBytes(residency::Device& device, Work&& work) {
    const Bytes before = device.allocated();
    device.resetPeak();
    work();
    return device.peakAllocated() - before;
}

/// The same by shapes alone: `work(weight, deltas)` for a weight like that one.
template <class Work>
Bytes dryRunBytes(const char* device, at::Tensor weight, const Deltas& deltas, Work&& work) {
    tensor::DryRunMeter meter({.spec = {.kind = device}});
    const auto shapeOf = [](const at::Tensor& values) {
        const tensor::DryRunMeter::Pause isThereAlready;
        return at::empty_strided(
            values.sizes(), values.strides(), values.options().device(c10::kMeta));
    };
    const Deltas shapes = deltas.with(shapeOf);
    weight = shapeOf(weight);
    work(weight, shapes.list());
    return meter.peak();
}

const auto kApply = [](at::Tensor& weight, std::span<const residency::FactoredDelta> deltas) {
    AdapterMath().apply(weight, deltas);
};

}  // namespace

class WeightDeltasTest : public QObject {
    Q_OBJECT

    std::optional<testing::PythonGolden> golden_;
    std::unique_ptr<residency::DeviceSource> source_;
    std::unique_ptr<residency::Device> cpu_;
    std::unique_ptr<residency::Device> fake_;

    void addKinds() const {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("isConvolution");
        for (const bool isConvolution : {false, true}) {
            for (const auto& [name, deltas] : testing::oneOfEach({4, 4})) {
                QTest::addRow("%s%s", name.c_str(), isConvolution ? ", 3x3" : "")
                    << QString::fromStdString(name) << isConvolution;
            }
        }
    }

    static Shape shapeOf(bool isConvolution) {
        return isConvolution ? Shape{514, 130, 3, 3} : Shape{1030, 514};
    }

private Q_SLOTS:

    void initTestCase() {
        golden_.emplace("tests/unit/models/make_change_goldens.py");
        source_ = residency::makeDeviceSource(testing::buildPath("lib").toStdString());
        fake_ = source_->open({.kind = "fake"});
        cpu_ = source_->open({.kind = "cpu"});
        cpu_->attachThread();
    }

    void init() { at::manual_seed(3); }

    void agreesWithWhatTrainsIt_data() {
        QTest::addColumn<QString>("settings");
        for (const Json& settings : Json::parse(golden_->text("cases"))) {
            QTest::newRow(settings.at("name").get<std::string>().c_str())
                << QString::fromStdString(settings.dump());
        }
    }

    void agreesWithWhatTrainsIt() {
        QFETCH(QString, settings);
        const Json asked = Json::parse(settings.toStdString());
        const std::string name = asked.at("name").get<std::string>() + ".";
        const at::Tensor weight = golden_->tensor(name + "weight");
        Deltas::Factors factors;
        for (const Json& factor : asked.at("factors")) {
            const std::string key = factor.get<std::string>();
            factors[key] = golden_->tensor(name + "factor." + key);
        }
        std::optional<double> alpha;
        if (!asked.at("alpha").is_null()) {
            alpha = asked.at("alpha").get<double>();
        }
        const Deltas deltas = Deltas().add(asked.at("kind").get<std::string>(),
                                           weight.sizes().vec(),
                                           factors,
                                           asked.at("strength").get<double>(),
                                           alpha);
        const at::Tensor merged = golden_->tensor(name + "merged");
        const at::Tensor ours = deltas.appliedTo(weight);
        QVERIFY(!at::equal(ours, weight));
        const testing::TensorFile reference = {
            {name,
             {.type = DType::F32,
              .shape = merged.sizes().vec(),
              .bytes = {static_cast<const char*>(merged.const_data_ptr()), merged.nbytes()}}}};
        const std::string problem = testing::disagreement(reference, name, ours);
        QVERIFY2(problem.empty(), problem.c_str());
        if (weight.dim() == 2) {
            at::Tensor other = transposed(weight);
            AdapterMath().apply(other, deltas.list());
            QVERIFY(isNear(other, ours));
        }
    }

    /// Whatever is changed between them, the user's order counts.
    void aListIsAppliedInItsOrder() {
        const Shape shape = {96, 80};
        const at::Tensor weight = at::randn(shape);
        const Deltas::Factors a = lowRankFactors(shape, 8);
        const Deltas::Factors b = lowRankFactors(shape, 5);
        const at::Tensor scale = at::rand({96});
        const at::Tensor wide = weight.to(at::kDouble);
        const at::Tensor factor = (scale.to(at::kDouble) * 0.5 + 1).unsqueeze(1);
        const at::Tensor added = productOf(a) * 0.8 * 2 / 8;
        const at::Tensor last = productOf(b) * -0.3;
        const Deltas scaledLast = Deltas()
                                      .add("low_rank", shape, a, 0.8, 2.0)
                                      .add("low_rank", shape, b, -0.3)
                                      .add("scale", shape, {{"on_output", scale}}, 0.5);
        QVERIFY(isNear(scaledLast.appliedTo(weight), (wide + added + last) * factor));
        const Deltas scaledBetween = Deltas()
                                         .add("low_rank", shape, a, 0.8, 2.0)
                                         .add("scale", shape, {{"on_output", scale}}, 0.5)
                                         .add("low_rank", shape, b, -0.3);
        QVERIFY(isNear(scaledBetween.appliedTo(weight), (wide + added) * factor + last));
    }

    void neighboursAreTheirSum_data() {
        QTest::addColumn<QList<int>>("ranks");
        QTest::newRow("two") << QList<int>{8, 5};
        QTest::newRow("five") << QList<int>{32, 16, 4, 1, 64};
        QTest::newRow("beyond the rank of a pack") << QList<int>{128, 128, 1, 300, 7};
    }

    void neighboursAreTheirSum() {
        QFETCH(QList<int>, ranks);
        const Shape shape = {66, 20, 3, 3};
        const at::Tensor weight = at::randn(shape);
        at::Tensor expected = weight.to(at::kDouble).flatten(1).clone();
        Deltas deltas;
        double strength = 0.9;
        for (const int rank : ranks) {
            const Deltas::Factors factors = lowRankFactors(shape, rank);
            deltas.add("low_rank", shape, factors, strength, 3.0);
            expected.add_(productOf(factors), strength * 3 / rank);
            strength = -strength / 2;
        }
        QVERIFY(isNear(deltas.appliedTo(weight), expected));
    }

    void theOrderFixesTheBits() {
        const Shape shape = {320, 320};
        const at::Tensor weight = at::randn(shape);
        const Deltas::Factors a = lowRankFactors(shape, 32);
        const Deltas::Factors b = lowRankFactors(shape, 16);
        const auto inOrder = [&](const Deltas::Factors& first, const Deltas::Factors& second) {
            return Deltas()
                .add("low_rank", shape, first)
                .add("low_rank", shape, second)
                .appliedTo(weight);
        };
        const auto joined = [&](const char* name, int64_t axis) {
            return at::cat({a.find(name)->second, b.find(name)->second}, axis);
        };
        const at::Tensor product = at::addmm(weight, joined("up", 1), joined("down", 0));
        QVERIFY(at::equal(inOrder(a, b), product));
        QVERIFY(!at::equal(inOrder(b, a), product));
        QVERIFY(isNear(inOrder(b, a), product));
    }

    void bitsDoNotDependOnWhereThingsLie_data() {
        QTest::addColumn<QList<int>>("sides");
        for (const QList<int>& sides : {QList<int>{2, 6},
                                        {4, 2880},
                                        {6, 16},
                                        {320, 4, 3, 3},
                                        {40, 8},
                                        {96, 98},
                                        {1040, 516},
                                        {66, 20, 3, 3}}) {
            Shape shape(sides.begin(), sides.end());
            QTest::newRow(toText(shape).c_str()) << sides;
        }
    }

    /// Weights begin at lines of the cache, factors in a mapped file anywhere.
    void bitsDoNotDependOnWhereThingsLie() {
        QFETCH(QList<int>, sides);
        const Shape shape(sides.begin(), sides.end());
        const at::Tensor weight = at::randn(shape);
        for (const auto& [name, deltas] : testing::oneOfEach(shape)) {
            const at::Tensor expected = deltas.appliedTo(weight);
            for (const int64_t step : {1, 2, 3, 5, 8, 33, 64}) {
                at::Tensor elsewhere = entryAt(weight, step * kLine);
                const Deltas moved =
                    deltas.with([&](const at::Tensor& factor) { return entryAt(factor, step); });
                AdapterMath().apply(elsewhere, moved.list());
                QVERIFY2(at::equal(elsewhere, expected), name.c_str());
            }
        }
    }

    void rowsAreRowsOfTheWhole_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("low_rank") << "low_rank";
        QTest::newRow("difference") << "difference";
        QTest::newRow("both, twice") << "both";
    }

    void rowsAreRowsOfTheWhole() {
        QFETCH(QString, kind);
        const Shape shape = {50, 24};
        const at::Tensor table = at::randn(shape);
        Deltas deltas;
        if (kind != "difference") {
            deltas.add("low_rank", shape, lowRankFactors(shape, 4), 0.7, 2.0);
        }
        if (kind != "low_rank") {
            deltas.add("difference", shape, {{"difference", at::randn(shape).to(at::kHalf)}}, -1);
        }
        if (kind == "both") {
            deltas.add("low_rank", shape, lowRankFactors(shape, 8));
            deltas.add("low_rank", shape, lowRankFactors(shape, 3), 0.2);
        }
        const at::Tensor whole = deltas.appliedTo(table);
        const at::Tensor ids = at::tensor({7, 49, 0, 7, 31}, at::kLong);
        const auto changed = [&](const at::Tensor& own) {
            at::Tensor rows = table.index_select(0, own);
            AdapterMath().applyToRows(rows, own, deltas.list());
            return rows;
        };
        const at::Tensor rows = changed(ids);
        QVERIFY(isNear(rows, whole.index_select(0, ids)));
        for (int64_t i = 0; i < ids.numel(); ++i) {  // the others change no bit
            QVERIFY(at::equal(changed(ids.narrow(0, i, 1)), rows.narrow(0, i, 1)));
        }
    }

    void refusesRowsOfKindsForWholeWeights() {
        const Shape shape = {50, 24};
        for (const auto& [name, deltas] : testing::oneOfEach(shape)) {
            at::Tensor rows = at::randn({3, 24});
            const at::Tensor before = rows.clone();
            const at::Tensor ids = at::tensor({1, 2, 3}, at::kLong);
            const auto error =
                testing::errorOf([&] { AdapterMath().applyToRows(rows, ids, deltas.list()); });
            const std::string kind = deltas.list().front().delta->kind;
            const bool isDone = name == "low_rank" || kind == "difference";
            QVERIFY2(error.has_value() != (isDone || name == "low_rank, core"), name.c_str());
            if (error) {
                QCOMPARE(error->kind(), ErrorKind::Unsupported);
                QVERIFY(error->message().str().find(kind) != std::string::npos);
                QVERIFY(at::equal(rows, before));
            }
        }
    }

    void takesTheMemoryOfShapesOnEveryDevice_data() { addKinds(); }

    /// The dry run reports what it takes, on the CPU and on a GPU; the rehearsed card has the CPU's
    /// bits.
    void takesTheMemoryOfShapesOnEveryDevice() {
        QFETCH(QString, kind);
        QFETCH(bool, isConvolution);
        const Shape shape = shapeOf(isConvolution);
        const Deltas deltas = testing::oneOfEach(shape).at(kind.toStdString());
        const at::Tensor weight = at::randn(shape);
        for (const bool isTransposed : {false, true}) {
            if (isTransposed && isConvolution) {
                continue;
            }
            at::Tensor here = isTransposed ? transposed(weight) : weight.clone();
            at::Tensor there = tensor::upload(here, fake_->torchDevice());
            QCOMPARE(there.strides().vec(), here.strides().vec());
            const Deltas uploaded = deltas.with([&](const at::Tensor& factor) {
                return tensor::upload(factor, fake_->torchDevice());
            });
            const Bytes onCpu = measuredBytes(*cpu_, [&] { kApply(here, deltas.list()); });
            const Bytes onFake = measuredBytes(*fake_, [&] { kApply(there, uploaded.list()); });
            QCOMPARE(dryRunBytes("cpu", weight, deltas, kApply), onCpu);
            QCOMPARE(dryRunBytes("fake", weight, deltas, kApply), onFake);
            QVERIFY(at::equal(tensor::spill(there), here));
        }
    }

    void rowsTakeTheMemoryOfShapes() {
        const Shape shape = {50, 24};
        const Deltas deltas = Deltas()
                                  .add("low_rank", shape, lowRankFactors(shape, 4))
                                  .add("difference", shape, {{"difference", at::randn(shape)}});
        const at::Tensor ids = at::tensor({7, 49, 0, 7, 31}, at::kLong);
        const auto applyToRows = [&](at::Tensor& rows,
                                     std::span<const residency::FactoredDelta> list) {
            AdapterMath().applyToRows(rows, ids, list);
        };
        at::Tensor rows = at::randn({5, 24});
        const Bytes measured = measuredBytes(*cpu_, [&] { applyToRows(rows, deltas.list()); });
        QCOMPARE(dryRunBytes("cpu", rows, deltas, applyToRows), measured);
    }

    /// A product takes its factors in f32, everything else some rows.
    void takesLittleMoreThanTheWeight_data() { addKinds(); }

    void takesLittleMoreThanTheWeight() {
        QFETCH(QString, kind);
        QFETCH(bool, isConvolution);
        const Shape shape = isConvolution ? Shape{2560, 1280, 3, 3} : Shape{10240, 2560};
        const Deltas deltas = testing::oneOfEach(shape, c10::kMeta).at(kind.toStdString());
        Bytes factors = 0;
        const std::vector<residency::FactoredDelta> list = deltas.list();
        for (const at::Tensor& factor : list.front().factors) {
            factors += factor.numel() * int64_t{sizeof(float)};
        }
        constexpr Bytes kRows = 3 * (int64_t{1} << 19) * sizeof(float);
        constexpr Bytes kScalars = 64;
        const bool isWhole = kind.startsWith("difference") || kind == "kronecker, whole";
        const Bytes most = kind == "low_rank" ? factors + kScalars
                                              : (isWhole ? 0 : 4 * factors) + kRows + kScalars;
        const at::Tensor weight = at::empty(shape, at::TensorOptions(c10::kMeta));
        const Bytes taken = dryRunBytes("cpu", weight, deltas, kApply);
        QVERIFY2(taken <= most, std::to_string(taken).c_str());
        QVERIFY(most < elementCount(shape).value());  // a quarter of the weight in f32
    }

    /// As many as a user likes: the factors of a pack are all that is there.
    void manyProductsTakeTheSpaceOfOnePack() {
        const Shape shape = {1280, 1280};
        Deltas deltas;
        for (int i = 0; i < 10; ++i) {
            deltas.add("low_rank", shape, lowRankFactors(shape, 128, c10::kMeta));
        }
        const at::Tensor weight = at::empty(shape, at::TensorOptions(c10::kMeta));
        constexpr Bytes kPack = 256 * (1280 + 1280) * sizeof(float);
        QCOMPARE(dryRunBytes("fake", weight, deltas, kApply), kPack);
    }
};

LOWTIDE_TEST(WeightDeltasTest)

}  // namespace weight_deltas_test

#include "weight_deltas_test.moc"
