// The shift of a flow for an image's size, and the steps that a strength takes.

#include "nodes/denoise/denoise_schedule.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/stated_model.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace flow_shift_test {

using namespace lowtide;
using models::ModelInfo;
using nodes::DenoiseAsked;
using testing::ModelBench;
using testing::StatedModel;

namespace {

/// As FLUX.1 dev ships it.
const char* const kDynamic = R"({"_class_name": "FlowMatchEulerDiscreteScheduler",
    "use_dynamic_shifting": true, "base_shift": 0.5, "max_shift": 1.15,
    "base_image_seq_len": 256, "max_image_seq_len": 4096, "shift": 3.0})";

std::shared_ptr<const models::Model> stated(ModelBench& bench,
                                            const std::function<void(ModelInfo&)>& state) {
    return std::make_shared<const StatedModel>(
        std::dynamic_pointer_cast<const models::Model>(bench.load(testing::miniModel())), state);
}

DenoiseAsked emptyAsked(int64_t width, int64_t height) {
    return {.latent = std::make_shared<const nodes::Placeholder>(executor::ValueSpec{
                .type = "LATENT", .value = testing::emptyLatentSpec(width, height)})};
}

}  // namespace

class FlowShiftTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aDynamicShiftFollowsTheSize_data() {
        const testing::Rows<int, int, double> row("width", "height", "mu");
        // Of calculate_shift in diffusers' FluxPipeline; a token is 16 x 16 pixels.
        row("256", 256, 256, 0.5);
        row("1024", 1024, 1024, 1.15);
        row("832 x 1216", 832, 1216, 0.5 + 0.65 * (52 * 76 - 256) / 3840.0);
        row("2048", 2048, 2048, 0.5 + 0.65 * (16384 - 256) / 3840.0);
    }

    void aDynamicShiftFollowsTheSize() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(double, mu);
        ModelBench bench;
        const auto model = stated(bench, [](ModelInfo& info) {
            info.schedulerConfig = parseJson(kDynamic, "config");
            info.latent.multiple = 16;
        });
        DenoiseAsked asked = emptyAsked(width, height);
        const auto shift = flowShiftFor(*model, asked);
        QVERIFY(shift && shift->mu);
        QVERIFY(std::abs(*shift->mu - mu) < 1e-12);
        QVERIFY(std::abs(shift->value - std::exp(mu)) < 1e-9);
        QCOMPARE(schedulerFor(*model, asked).at("flow_mu").get<double>(), *shift->mu);

        asked.shift = 3;
        const auto own = flowShiftFor(*model, asked);
        QVERIFY(own && !own->mu && own->value == 3);
        QCOMPARE(schedulerFor(*model, asked).at("use_dynamic_shifting"), Json(false));
    }

    void aStrengthTakesTheStepsOfTheFamilysPipeline_data() {
        QTest::addColumn<int>("steps");
        QTest::addColumn<double>("strength");
        QTest::addColumn<int>("down");  // Stable Diffusion: int(steps * strength)
        QTest::addColumn<int>("up");    // flows: steps - int(steps - steps * strength)
        QTest::newRow("0.6 of 8") << 8 << 0.6 << 4 << 5;
        QTest::newRow("0.5 of 5") << 5 << 0.5 << 2 << 3;
        QTest::newRow("0.75 of 10") << 10 << 0.75 << 7 << 8;
        QTest::newRow("0.5 of 8") << 8 << 0.5 << 4 << 4;
        QTest::newRow("0.05 of 8") << 8 << 0.05 << 0 << 1;
        QTest::newRow("0.6 of 20") << 20 << 0.6 << 12 << 12;
        QTest::newRow("1 of 9") << 9 << 1.0 << 9 << 9;
    }

    void aStrengthTakesTheStepsOfTheFamilysPipeline() {
        QFETCH(int, steps);
        QFETCH(double, strength);
        QFETCH(int, down);
        QFETCH(int, up);
        ModelBench bench;
        DenoiseAsked asked;
        asked.steps = steps;
        asked.strength = strength;
        for (const bool roundsUp : {false, true}) {
            const auto model =
                stated(bench, [&](ModelInfo& info) { info.roundsStrengthUp = roundsUp; });
            QCOMPARE(steps - partOf(*model, asked).startStep, roundsUp ? up : down);
        }
    }
};

LOWTIDE_TEST(FlowShiftTest)

}  // namespace flow_shift_test

#include "flow_shift_test.moc"
