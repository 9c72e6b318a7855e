// Noise levels of flows: spacing, shift, terminal shift and spreads, against diffusers and ComfyUI.

#include "plugin/base/error.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <optional>

namespace lowtide::sampling::flow_levels_test {

namespace {

/// Of values in f32 that two programs compute in another order.
constexpr double kLevelTolerance = 1e-6;

/// As WAN ships it.
const char* const kWan = R"({"_class_name": "UniPCMultistepScheduler", "use_flow_sigmas": true,
    "prediction_type": "flow_prediction", "flow_shift": 3.0, "use_dynamic_shifting": false})";

std::unique_ptr<Sampler> samplerFor(const std::string& name,
                                    const Json& config,
                                    const ScheduleOptions& options) {
    return samplerNamed(name, config).make(config, options);
}

/// The levels of steps: solvers with two stages have each twice.
std::vector<double> levelsOf(const Sampler& sampler) {
    std::vector<double> levels;
    const at::Tensor sigmas = sampler.schedule().sigmas;
    for (int64_t i = 0; i < sigmas.size(0); ++i) {
        const double sigma = sigmas[i].item<double>();
        if (levels.empty() || sigma != levels.back()) {
            levels.push_back(sigma);
        }
    }
    return levels;
}

void compareLevels(const std::vector<double>& mine,
                   const std::vector<double>& reference,
                   double tolerance) {
    QCOMPARE(mine.size(), reference.size());
    for (size_t i = 0; i < mine.size(); ++i) {
        QVERIFY2(std::abs(mine[i] - reference[i]) <= tolerance,
                 qPrintable(QString("level %1: %2, not %3").arg(i).arg(mine[i]).arg(reference[i])));
    }
}

}  // namespace

class FlowLevelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        golden_.emplace("tests/unit/sampling/make_flow_goldens.py");
        cases_ = parseJson(golden_->text("cases"), "cases");
        QVERIFY(cases_.size() > 200);
        const QString path = testing::sourcePath("tests/unit/sampling/comfy_flow_levels.json");
        comfy_ = parseJson(testing::contentsOf(path).toStdString(), "comfy");
    }

    void publishedConfigsGiveTheLevelsOfDiffusers_data() {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            const Json& item = cases_[i];
            QTest::addRow("%zu: %s, %d steps",
                          i,
                          item["name"].get<std::string>().c_str(),
                          item["steps"].get<int>())
                << i;
        }
    }

    void publishedConfigsGiveTheLevelsOfDiffusers() {
        QFETCH(size_t, index);
        const Json& item = cases_[index];
        Json config = item["config"];
        if (item.contains("mu")) {
            const auto mu = flowMu(config, item["tokens"].get<int64_t>());
            QVERIFY(mu);
            if (item["name"] != "flux2_klein") {  // whose pipeline has a formula of its own
                QVERIFY(std::abs(*mu - item["mu"].get<double>()) < 1e-12);
            }
            config = withFlowMu(config, item["mu"].get<double>());
        }
        config = withFlowSpacing(
            config, item["given"].is_null() ? FlowSpacing::Class : FlowSpacing::Trailing);
        const auto sampler = samplerFor(item["sampler"], config, {.steps = item["steps"]});
        const std::string key = std::to_string(index);
        const at::Tensor sigmas = golden_->tensor(key + "/sigmas");
        const at::Tensor timesteps = golden_->tensor(key + "/timesteps");
        QVERIFY(at::allclose(sampler->schedule().sigmas, sigmas, 0, kLevelTolerance));
        QVERIFY(sampler->schedule().timesteps.scalar_type() == timesteps.scalar_type());
        const double trained = config.value("num_train_timesteps", 1000);
        QVERIFY(
            at::allclose(sampler->schedule().timesteps, timesteps, 0, kLevelTolerance * trained));
    }

    void spacingsAreThoseOfComfyUI_data() {
        QTest::addColumn<QString>("key");
        for (const auto& [key, levels] : comfy_.items()) {
            if (levels.is_array()) {
                QTest::newRow(key.c_str()) << QString::fromStdString(key);
            }
        }
    }

    /// Its table has 1000 levels: "simple" takes the next one above where the steps do not divide
    /// them.
    void spacingsAreThoseOfComfyUI() {
        QFETCH(QString, key);
        const QStringList parts = key.split('|');
        const double shift = parts[0].mid(5).toDouble();
        const int steps = parts[2].toInt();
        const Json config = withFlowShift(parseJson(kWan, "config"), shift);
        const std::string spacing = parts[1] == "simple" ? "trailing" : "linspace";
        const auto sampler = samplerFor("euler", config, {.steps = steps, .spacing = spacing});
        const bool isFromTable = parts[1] == "simple" && 1000 % steps != 0;
        compareLevels(levelsOf(*sampler),
                      comfy_[key.toStdString()].get<std::vector<double>>(),
                      isFromTable ? shift / 1000 : kLevelTolerance);
    }

    void fourStepsOfWanAreThoseOfItsLoras_data() {
        QTest::addColumn<QString>("sampler");
        for (const char* sampler : {"euler", "heun", "sigma_lcm", "kdpm2", "lms"}) {
            QTest::newRow(sampler) << sampler;
        }
    }

    /// Source: shift * sigma / (1 + (shift - 1) * sigma) of 1, 0.75, 0.5, 0.25.
    void fourStepsOfWanAreThoseOfItsLoras() {
        QFETCH(QString, sampler);
        const Json config = withFlowShift(parseJson(kWan, "config"), 5);
        const auto made = samplerFor(sampler.toStdString(), config, {.steps = 4});
        compareLevels(levelsOf(*made), {1, 0.9375, 2.5 / 3, 0.625, 0}, kLevelTolerance);
    }

    void everySamplerTakesTheChosenSpacing_data() {
        QTest::addColumn<QString>("sampler");
        for (const char* sampler :
             {"euler", "heun", "sigma_lcm", "unipc", "dpmpp_2m", "dpmpp_single"}) {
            QTest::newRow(sampler) << sampler;
        }
    }

    void everySamplerTakesTheChosenSpacing() {
        QFETCH(QString, sampler);
        constexpr double kSignalLeft = 2e-6;  // solvers take a logarithm of it
        const std::string name = sampler.toStdString();
        const Json config = withFlowShift(parseJson(kWan, "config"), 5);
        compareLevels(levelsOf(*samplerFor(name, config, {.steps = 4, .spacing = "trailing"})),
                      {1, 0.9375, 2.5 / 3, 0.625, 0},
                      kSignalLeft);
        compareLevels(levelsOf(*samplerFor(name, config, {.steps = 4, .spacing = "linspace"})),
                      comfy_["flow_5|normal|4"].get<std::vector<double>>(),
                      kSignalLeft);
        const Json ofFamily = withFlowSpacing(config, FlowSpacing::Trailing);
        compareLevels(levelsOf(*samplerFor(name, ofFamily, {.steps = 4})),
                      {1, 0.9375, 2.5 / 3, 0.625, 0},
                      kSignalLeft);
    }

    void everySamplerTakesTheChosenSpread_data() { everySamplerTakesTheChosenSpacing_data(); }

    /// Between the first and the last level, as FlowMatchEulerDiscreteScheduler does it.
    void everySamplerTakesTheChosenSpread() {
        QFETCH(QString, sampler);
        const std::string name = sampler.toStdString();
        const Json config = withFlowShift(parseJson(kWan, "config"), 5);
        for (const char* spread : {"karras", "exponential", "beta"}) {
            const auto made =
                samplerFor(name, config, {.steps = 6, .sigmas = spread, .spacing = "trailing"});
            const std::vector<double> levels = levelsOf(*made);
            QCOMPARE(levels.size(), size_t{7});
            constexpr double kSignalLeft = 2e-6;
            QVERIFY(std::abs(levels.front() - 1) < kSignalLeft);
            QVERIFY(std::abs(levels[5] - 0.5) < kSignalLeft);  // 5 / 6 / (1 + 4 / 6)
        }
    }

    void whatAFlowDoesNotHaveIsRefused_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("value");
        for (const char* sampler : {"euler", "unipc", "dpmpp_2m"}) {
            QTest::addRow("%s leading", sampler) << sampler << "spacing"
                                                 << "leading";
            QTest::addRow("%s class", sampler) << sampler << "spacing"
                                               << "class";
            QTest::addRow("%s lu", sampler) << sampler << "sigmas"
                                            << "lu";
        }
    }

    void whatAFlowDoesNotHaveIsRefused() {
        QFETCH(QString, sampler);
        QFETCH(QString, item);
        QFETCH(QString, value);
        ScheduleOptions options{.steps = 4};
        (item == "sigmas" ? options.sigmas : options.spacing) = value.toStdString();
        const Json config = parseJson(kWan, "config");
        const auto error =
            testing::errorOf([&] { (void)samplerFor(sampler.toStdString(), config, options); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
        QVERIFY(error->hint().str().find("the checkpoint is a flow") != std::string::npos);
    }

    /// One that was not given the size of the image.
    void aDynamicShiftWithoutASizeIsRefused() {
        const Json config = parseJson(
            R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "use_dynamic_shifting": true})",
            "config");
        const auto error = testing::errorOf([&] { (void)samplerFor("euler", config, {}); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(error->item(), std::string("use_dynamic_shifting"));
        QVERIFY(samplerFor("euler", withFlowShift(config, 3), {}));  // the user's own
    }

    void cleanupTestCase() { golden_.reset(); }

private:
    std::optional<testing::PythonGolden> golden_;
    Json cases_;
    Json comfy_;
};

LOWTIDE_TEST(FlowLevelsTest)

}  // namespace lowtide::sampling::flow_levels_test

#include "flow_levels_test.moc"
