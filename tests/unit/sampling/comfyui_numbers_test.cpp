// Schedules, solvers, noise and the rules of KSampler against numbers of ComfyUI 0.33.0.

#include "plugin/base/error.hpp"
#include "plugin/sampling/brownian_noise.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/named_schedule.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/solvers/level_sampler.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/toy_clean.hpp"

#include <ATen/ATen.h>

#include <QRegularExpression>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace lowtide::sampling::comfyui_numbers_test {

namespace {

constexpr double kOfLargestLevel = 1e-6;  ///< of float32 in another order of operations
constexpr double kBrownian = 2e-5;        ///< of a sum of some twenty draws in float32

/// The function as a network: of the halves [uncond, cond], or of the positive prompt alone.
class ToyDenoiser final : public Denoiser {
public:
    ToyDenoiser(const LevelSampler& sampler, bool isFlow) : sampler_(sampler), isFlow_(isFlow) {}

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& /*timestep*/,
                       const StepInfo& step) override {
        calls.push_back(step.isGuided);
        const double sigma = sampler_.noiseRatio(step.step);
        const at::Tensor own = isFlow_ ? latents : latents * std::sqrt(sigma * sigma + 1);
        const auto made = [&](const at::Tensor& part, double prompt) {
            const at::Tensor clean = testing::toyClean(part, sigma, prompt);
            return isFlow_ ? (part - clean) / sigma : clean;
        };
        if (!step.isGuided) {
            return made(own, testing::kToyPositive);
        }
        const std::vector<at::Tensor> halves = own.chunk(2);
        return at::cat(
            {made(halves[0], testing::kToyNegative), made(halves[1], testing::kToyPositive)});
    }

    std::vector<bool> calls;  ///< whether each was guided

private:
    const LevelSampler& sampler_;
    bool isFlow_;
};

/// A network that gives what it was given.
class GivenDenoiser final : public Denoiser {
public:
    explicit GivenDenoiser(at::Tensor prediction) : prediction_(std::move(prediction)) {}

    at::Tensor predict(const at::Tensor& /*latents*/,
                       const at::Tensor& /*timestep*/,
                       const StepInfo& /*step*/) override {
        return prediction_;
    }

private:
    at::Tensor prediction_;
};

bool isFlowModel(const std::string& model) {
    return model.starts_with("flow") || model.starts_with("flux");
}

double furthest(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

double largest(const at::Tensor& values) {
    return values.abs().max().item<double>();
}

/// Numbers of one case that stand one behind the other.
class Numbers {
public:
    explicit Numbers(at::Tensor values) : values_(std::move(values)) {}

    at::Tensor next(const std::vector<int64_t>& shape) {
        int64_t count = 1;
        for (const int64_t side : shape) {
            count *= side;
        }
        const at::Tensor taken = values_.narrow(0, at_, count).view(shape).clone();
        at_ += count;
        return taken;
    }

private:
    at::Tensor values_;
    int64_t at_ = 0;
};

struct Made {
    at::Tensor begin;
    at::Tensor out;
    std::vector<bool> calls;
};

Made runAlong(LevelSampler& sampler,
              const at::Tensor& latents,
              DenoiseSettings settings,
              bool isFlow) {
    settings.noiseWay = NoiseWay::ComfyUi;
    settings.hasGuidanceBelowOne = true;
    settings.startsEmpty = false;
    ToyDenoiser denoiser(sampler, isFlow);
    tensor::Recorder recorder;
    const DenoiseResult result = denoise(sampler,
                                         denoiser,
                                         latents,
                                         settings,
                                         nullptr,
                                         StopToken(),
                                         tensor::Record(&recorder),
                                         [](int, int) {});
    return {recorder.tensors().at("latents.init"), result.latents, denoiser.calls};
}

/// A solver whose calls are known when they are made: the loop's step numbers do not count them.
at::Tensor solvedDirectly(const LevelSampler& sampler,
                          const at::Tensor& begin,
                          double cfg,
                          int64_t& calls) {
    SolverRun run;
    run.ask = [&](const at::Tensor& latents, double sigma, int) {
        ++calls;
        const at::Tensor uncond = testing::toyClean(latents, sigma, testing::kToyNegative);
        return Denoised{
            .clean =
                uncond + (testing::toyClean(latents, sigma, testing::kToyPositive) - uncond) * cfg,
            .uncond = uncond};
    };
    run.noise = [&](double, double) { return at::zeros_like(begin); };
    return sampler.solve(std::move(run), begin);
}

}  // namespace

class ComfyuiNumbersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        golden_.emplace("tests/unit/sampling/make_comfyui_numbers.py");
        schedules_ = json("schedules");
        cases_ = json("cases");
        rules_ = json("rules");
        for (const Json& model : schedules_["models"]) {
            configs_[model["name"].get<std::string>()] = model["config"];
        }
    }

    void schedulesHaveTheLevelsOfComfyUI_data() {
        QTest::addColumn<QString>("model");
        for (const Json& model : schedules_["models"]) {
            const auto name = model["name"].get<std::string>();
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }

    /// Nine schedules, nine numbers of steps, four fractions. One step of kl_optimal is no number
    /// there, and refused here.
    void schedulesHaveTheLevelsOfComfyUI() {
        QFETCH(QString, model);
        const std::string name = model.toStdString();
        const TrainedLevels trained = trainedLevels(solverConfig(configs_.at(name), 50));
        const at::Tensor lengths = golden_->tensor("lengths/" + name);
        Numbers levels(golden_->tensor("schedules/" + name));
        int64_t i = 0;
        for (const Json& schedule : schedules_["schedules"]) {
            for (const Json& steps : schedules_["steps"]) {
                for (const Json& fraction : schedules_["fractions"]) {
                    const at::Tensor wanted = levels.next({lengths[i++].item<int64_t>()});
                    compareLevels(scheduleNamed(schedule),
                                  trained,
                                  {.steps = steps, .fraction = fraction},
                                  wanted);
                }
            }
        }
    }

    /// Of dpm_2, its ancestral kin and UniPC.
    void aStepMoreIsScheduledWhereOneIsDropped() {
        const Json dropped = json("dropped");
        QVERIFY(dropped.size() > 300);
        for (size_t i = 0; i < dropped.size(); ++i) {
            const Json& item = dropped[i];
            compareLevels(
                scheduleNamed(item["schedule"]),
                trainedLevels(solverConfig(item["config"], 50)),
                {.steps = item["steps"], .fraction = item["fraction"], .dropsPenultimate = true},
                golden_->tensor("dropped/" + std::to_string(i)));
        }
    }

    void solversGoTheWayOfComfyUI_data() {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            QTest::addRow("%zu: %s", i, cases_[i]["name"].get<std::string>().c_str()) << i;
        }
    }

    void solversGoTheWayOfComfyUI() {
        QFETCH(size_t, index);
        const Json& item = cases_[index];
        const auto model = item["model"].get<std::string>();
        const auto shape = item["shape"].get<std::vector<int64_t>>();
        Numbers numbers(golden_->tensor("case/" + std::to_string(index)));
        const at::Tensor begin = numbers.next(shape);
        const at::Tensor out = numbers.next(shape);
        const at::Tensor levels = numbers.next({item["levels"].get<int64_t>()});
        const int64_t calls = item["calls"];
        const SolverType* type = solverNamed(item["sampler"]);
        QVERIFY(type);
        const SchedulerConfig config = solverConfig(configs_.at(model), 50);
        if (calls == 0) {
            const auto error = testing::errorOf(
                [&] { const LevelSampler refused(*type, config, floatsOf(levels)); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
            return;
        }
        LevelSampler sampler(*type, config, floatsOf(levels));
        const double tolerance = item["tolerance"];
        if (type->choosesSteps) {
            int64_t asked = 0;
            const at::Tensor solved = solvedDirectly(sampler, begin, item["cfg"], asked);
            const double left = isFlowModel(model) ? sampler.sigmas().back() : 0;
            const double distance = furthest(solved / (1 - left), out);
            QCOMPARE(asked, calls);
            QVERIFY2(distance <= tolerance, qPrintable(QString::number(distance)));
            return;
        }
        QCOMPARE(static_cast<int64_t>(sampler.callCount()), calls);
        const Made made = runAlong(sampler,
                                   at::zeros(shape),
                                   {.guidanceScale = item["cfg"], .seed = 42},
                                   isFlowModel(model));
        QVERIFY(furthest(made.begin, begin) <= kOfLargestLevel * largest(begin));
        QVERIFY2(furthest(made.out, out) <= tolerance,
                 qPrintable(QString::number(furthest(made.out, out))));
    }

    void everySolverIsCompared() {
        std::set<std::string> compared;
        for (const Json& item : cases_) {
            compared.insert(item["sampler"].get<std::string>());
        }
        for (const SolverType& type : solvers()) {
            QVERIFY2(compared.contains(type.name), type.name.c_str());
        }
    }

    void thePageNamesEverySamplerThatIsCompared() {
        const QString page =
            QString::fromUtf8(testing::contentsOf(testing::sourcePath("docs/coming_from.md")));
        for (const Json& item : cases_) {
            const QString known = QString::fromStdString(item["known"].get<std::string>());
            const QString here = QString::fromStdString(item["sampler"].get<std::string>());
            const QRegularExpression row(QString("\\| `%1` \\|[^|]*\\| `%2` \\|").arg(known, here));
            QVERIFY2(page.contains(row), qPrintable(known));
        }
    }

    void runsHaveTheRulesOfKSampler_data() {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < rules_.size(); ++i) {
            QTest::newRow(rules_[i]["name"].get<std::string>().c_str()) << i;
        }
    }

    /// Image to image, first and last steps, leftover noise, two stages, masks, batches, cfg.
    void runsHaveTheRulesOfKSampler() {
        QFETCH(size_t, index);
        const Json& item = rules_[index];
        const auto model = item["model"].get<std::string>();
        const auto shape = item["shape"].get<std::vector<int64_t>>();
        Numbers numbers(golden_->tensor("rule/" + std::to_string(index)));
        const at::Tensor latents = numbers.next(shape);
        const at::Tensor begin = numbers.next(shape);
        const at::Tensor out = numbers.next(shape);
        const at::Tensor levels = numbers.next({item["levels"].get<int64_t>()});
        const SolverType* type = solverNamed(item["sampler"]);
        QVERIFY(type);
        const SchedulerConfig config = solverConfig(configs_.at(model), item["steps"]);
        const ScheduledSteps steps{.steps = item["steps"],
                                   .fraction = item["fraction"],
                                   .dropsPenultimate = type->dropsPenultimate,
                                   .first = item["start"],
                                   .end = item["end"],
                                   .keepsNoise = item["keepsNoise"]};
        const TrainedLevels trained = trainedLevels(config);
        compareLevels(scheduleNamed(item["schedule"]), trained, steps, levels);
        LevelSampler sampler(
            *type, config, scheduledLevels(scheduleNamed(item["schedule"]), trained, steps));
        DenoiseSettings settings{
            .guidanceScale = item["cfg"], .seed = item["seed"], .addNoise = item["addsNoise"]};
        if (const auto sides = item["mask"].get<std::vector<int64_t>>(); !sides.empty()) {
            settings.inpainting.mask = at::upsample_bilinear2d(
                numbers.next(sides), {shape[shape.size() - 2], shape.back()}, false);
        }
        const Made made = runAlong(sampler, latents, settings, isFlowModel(model));
        QVERIFY2(furthest(made.begin, begin) <= kOfLargestLevel * std::max(1.0, largest(begin)),
                 qPrintable(QString::number(furthest(made.begin, begin))));
        QVERIFY2(furthest(made.out, out) <= kRun * std::max(1.0, largest(out)),
                 qPrintable(QString::number(furthest(made.out, out))));
    }

    void aSolverThatChoosesItsStepsEndsWhereLatentsAreNoNumbers() {
        const LevelSampler sampler(*solverNamed("dpm_adaptive"),
                                   solverConfig(configs_.at("sd15_eps"), 5),
                                   {10.0F, 5.0F, 0.0F});
        int calls = 0;
        SolverRun run;
        run.ask = [&](const at::Tensor& latents, double, int) {
            if (++calls > 1000) {
                throw Error(ErrorKind::Internal, message("it goes on"));
            }
            const at::Tensor clean = at::full_like(latents, std::nan(""));
            return Denoised{.clean = clean, .uncond = clean};
        };
        const auto error = testing::errorOf([&] {
            (void)sampler.solve(std::move(run), at::ones({1, 4, 2, 2}));
        });
        QVERIFY(!error);
    }

    void levelsThatAreOneForTheTreeHaveNoNoiseBetween() {
        const BrownianNoise motion(5, {1, 4, 2, 2}, 0.1, 10);
        QCOMPARE(largest(motion.between(0.1234562, 0.1234559)), 0.0);
    }

    /// Both prompts are asked for at every cfg but 1, and then always by CFG++.
    void theNegativePromptIsLeftOutAtOne() {
        const SchedulerConfig config = solverConfig(configs_.at("sd15_eps"), 3);
        const auto guided = [&](const char* name, double cfg) {
            LevelSampler sampler(*solverNamed(name), config, {10.0F, 1.0F, 0.0F});
            const std::vector<bool> calls =
                runAlong(sampler, at::zeros({1, 4, 2, 2}), {.guidanceScale = cfg}, false).calls;
            return static_cast<int>(std::count(calls.begin(), calls.end(), true));
        };
        QCOMPARE(guided("euler", 1.0), 0);
        QCOMPARE(guided("euler", 1.0 + 1e-10), 0);
        QCOMPARE(guided("euler", 1.0001), 2);
        QCOMPARE(guided("euler", 0.0), 2);
        QCOMPARE(guided("euler_cfg_pp", 1.0), 2);
    }

    /// One step of Euler from a level to half of it goes half of the way to the clean latents.
    void guidanceIsRescaledAsByComfyUI() {
        const Json items = json("rescales");
        QVERIFY(items.size() >= 10);
        for (size_t i = 0; i < items.size(); ++i) {
            const Json& item = items[i];
            const auto model = item["model"].get<std::string>();
            const auto shape = item["shape"].get<std::vector<int64_t>>();
            Numbers inputs(golden_->tensor("rescale/inputs"));
            const at::Tensor latents = inputs.next(shape);
            const at::Tensor cond = inputs.next(shape);
            const at::Tensor uncond = inputs.next(shape);
            const double sigma = item["sigma"];
            const auto level = static_cast<float>(sigma);
            LevelSampler sampler(
                *solverNamed("euler"), solverConfig(configs_.at(model), 20), {level, level / 2});
            GivenDenoiser denoiser(
                isFlowModel(model) ? at::cat({(latents - uncond) / sigma, (latents - cond) / sigma})
                                   : at::cat({uncond, cond}));
            const DenoiseResult result = denoise(sampler,
                                                 denoiser,
                                                 latents,
                                                 {.guidanceScale = item["cfg"],
                                                  .guidanceRescale = item["rescale"],
                                                  .addNoise = false},
                                                 nullptr,
                                                 StopToken(),
                                                 tensor::Record(nullptr),
                                                 [](int, int) {});
            const at::Tensor wanted = golden_->tensor("rescale/" + std::to_string(i)).view(shape);
            QVERIFY(furthest(result.latents * 2 - latents, wanted) <= kStep * largest(wanted));
        }
    }

    void motionsHaveTheNoiseOfTorchsde() {
        const Json motions = json("motions");
        QVERIFY(!motions.empty());
        for (size_t i = 0; i < motions.size(); ++i) {
            const Json& item = motions[i];
            const auto shape = item["shape"].get<std::vector<int64_t>>();
            const BrownianNoise motion(item["seed"], shape, item["low"], item["high"]);
            std::vector<int64_t> all = shape;
            all.insert(all.begin(), static_cast<int64_t>(item["queries"].size()));
            const at::Tensor wanted = golden_->tensor("brownian/" + std::to_string(i)).view(all);
            for (size_t k = 0; k < item["queries"].size(); ++k) {
                const double from = item["queries"][k][0];
                const double to = item["queries"][k][1];
                if (from > to) {
                    const at::Tensor drawn = motion.between(from, to);
                    QVERIFY(furthest(drawn, wanted[static_cast<int64_t>(k)]) <= kBrownian);
                }
            }
        }
    }

    void seedsOfPartsAreThoseOfNumpy() {
        for (const Json& item : json("words")) {
            const auto spawned = item["spawned"].get<std::vector<uint64_t>>();
            QCOMPARE(seedWord(item["seed"], spawned), item["word"].get<uint32_t>());
        }
    }

private:
    /// Of a few steps in float32, per unit of the latents; from a level of 4519 most of it is used.
    static constexpr double kRun = 1e-4;
    static constexpr double kStep = 2e-5;  ///< of one step

    [[nodiscard]] Json json(const char* key) const { return parseJson(golden_->text(key), key); }

    void compareLevels(const NamedSchedule& schedule,
                       const TrainedLevels& trained,
                       const ScheduledSteps& steps,
                       const at::Tensor& wanted) {
        const QString label = QString("%1, %2 steps, %3")
                                  .arg(QString::fromStdString(schedule.name))
                                  .arg(steps.steps)
                                  .arg(steps.fraction);
        if (at::isnan(wanted).any().item<bool>()) {
            const auto error =
                testing::errorOf([&] { (void)scheduledLevels(schedule, trained, steps); });
            QVERIFY2(error && error->item() == "schedule", qPrintable(label));
            return;
        }
        const std::vector<float> levels = scheduledLevels(schedule, trained, steps);
        QVERIFY2(static_cast<int64_t>(levels.size()) == wanted.size(0), qPrintable(label));
        QVERIFY2(furthest(floatValues(levels), wanted) <= kOfLargestLevel * largest(wanted),
                 qPrintable(label));
    }

    std::optional<testing::PythonGolden> golden_;
    Json schedules_;
    Json cases_;
    Json rules_;
    std::map<std::string, Json> configs_;
};

LOWTIDE_TEST(ComfyuiNumbersTest)

}  // namespace lowtide::sampling::comfyui_numbers_test

#include "comfyui_numbers_test.moc"
