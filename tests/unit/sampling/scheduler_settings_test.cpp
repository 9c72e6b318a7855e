// Which scheduler settings are read, and what is reported about those that are not built.

#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <set>

namespace lowtide::sampling::scheduler_settings_test {

using testing::errorOf;

class SchedulerSettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void allAreRegistered() {
        std::set<std::string> names;
        std::set<std::string> labels;
        for (const SamplerType& type : samplers()) {
            names.insert(type.name);
            labels.insert(type.label);
        }
        QCOMPARE(names,
                 (std::set<std::string>{"ddim",
                                        "euler",
                                        "euler_a",
                                        "dpmpp_2m",
                                        "dpmpp_2m_sde",
                                        "heun",
                                        "dpmpp_3m",
                                        "pndm",
                                        "pndm_prk",
                                        "dpmpp_single",
                                        "lms",
                                        "unipc",
                                        "deis",
                                        "kdpm2",
                                        "kdpm2_a",
                                        "ddpm",
                                        "lcm",
                                        "tcd",
                                        "sigma_lcm"}));
        QCOMPARE(labels.size(), names.size());
        QVERIFY(!labels.contains(""));
    }

    void checkpointMeansItsOwnClassAndSettings_data() {
        const testing::Rows<QString, QString> add("config", "name");
        const auto row = [&](const char* config, const char* name) { add(config, config, name); };
        row(R"({"_class_name": "EulerAncestralDiscreteScheduler"})", "euler_a");
        row(R"({"_class_name": "PNDMScheduler", "skip_prk_steps": true})", "pndm");
        row(R"({"_class_name": "PNDMScheduler", "skip_prk_steps": false})", "pndm_prk");
        row(R"({"_class_name": "PNDMScheduler"})", "pndm_prk");
        row(R"({"_class_name": "DPMSolverMultistepScheduler"})", "dpmpp_2m");
        row(R"({"_class_name": "DPMSolverMultistepScheduler", "solver_order": 3})", "dpmpp_3m");
        row(R"({"_class_name": "DPMSolverMultistepScheduler", "algorithm_type": "sde-dpmsolver++"})",
            "dpmpp_2m_sde");
    }

    void checkpointMeansItsOwnClassAndSettings() {
        QFETCH(QString, config);
        QFETCH(QString, name);
        const Json settings = parseJson(config.toStdString(), "config");
        QCOMPARE(samplerNamed("checkpoint", settings).name, name.toStdString());
        QCOMPARE(samplerNamed("ddim", settings).name, std::string("ddim"));
    }

    void aLabelIsWhatIsDone_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("label");
        QTest::addColumn<bool>("drawsNoise");
        const auto row =
            [](const char* sampler, const char* config, const char* label, bool drawsNoise) {
                QTest::addRow("%s with %s", sampler, config)
                    << sampler << config << label << drawsNoise;
            };
        const char* sde = R"({"_class_name": "DPMSolverMultistepScheduler",)"
                          R"( "algorithm_type": "sde-dpmsolver++", "solver_order": 3})";
        row("checkpoint", sde, "DPM++ 3M SDE", true);
        row("dpmpp_2m", sde, "DPM++ 2M", false);
        row("dpmpp_2m_sde", sde, "DPM++ 2M SDE", true);
        row("dpmpp_3m", sde, "DPM++ 3M", false);
        row("dpmpp_single", sde, "DPM++ 2S", false);
        row("unipc", sde, "UniPC", false);
        row("euler_a", sde, "Euler a", true);
        row("checkpoint",
            R"({"_class_name": "DPMSolverMultistepScheduler", "solver_order": 1})",
            "DPM++ 1M",
            false);
        row("checkpoint",
            R"({"_class_name": "DPMSolverSinglestepScheduler", "solver_order": 3})",
            "DPM++ 3S",
            false);
        row("checkpoint", R"({"_class_name": "DPMSolverMultistepScheduler"})", "DPM++ 2M", false);
    }

    /// Noise that is drawn, and predictions that are kept, are those of the label.
    void aLabelIsWhatIsDone() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        QFETCH(QString, label);
        QFETCH(bool, drawsNoise);
        constexpr int kSteps = 8;
        const Json file = parseJson(config.toStdString(), "config");
        const ChosenSampler chosen = chosenSampler(sampler.toStdString(), file);
        QCOMPARE(chosen.facts.label, label.toStdString());
        QCOMPARE(chosen.facts.drawsNoise, drawsNoise);
        const auto made = chosen.type.make(chosen.config, {.steps = kSteps});
        int draws = 0;
        at::Tensor latents = at::ones({1, 4, 2, 2});
        for (int call = 0; call < made->callCount(); ++call) {
            latents = made->step(latents, call, latents, [&](at::IntArrayRef shape) {
                ++draws;
                return at::zeros(shape);
            });
        }
        QCOMPARE(draws > 0, drawsNoise);
        if (label.startsWith("DPM++") && label.mid(7, 1) == "M") {
            QCOMPARE(made->historyLength(), label.mid(6, 1).toInt() - 1);
        }
    }

    void aDistilledSamplerSpreadsItsStepsOverTheStrength_data() {
        const testing::Rows<double, QList<int>> row("strength", "timesteps");
        // LCMScheduler.set_timesteps(4, strength=...) of diffusers 0.42.1
        row("1", 1.0, {999, 759, 499, 259});
        row("0.5", 0.5, {499, 379, 259, 139});
        row("0.29", 0.29, {279, 219, 139, 79});
    }

    void aDistilledSamplerSpreadsItsStepsOverTheStrength() {
        QFETCH(double, strength);
        QFETCH(QList<int>, timesteps);
        const auto sampler = samplerNamed("lcm", Json::object())
                                 .make(Json::object(), {.steps = 4, .strength = strength});
        QCOMPARE(sampler->callCount(), 4);
        for (int call = 0; call < 4; ++call) {
            QCOMPARE(timestepIn(sampler->schedule().timesteps.select(0, call)),
                     static_cast<double>(timesteps[call]));
        }
    }

    void aDistilledSamplerNamesTheStrength_whenStepsDoNotFit() {
        const auto error = errorOf([] {
            (void)samplerNamed("lcm", Json::object())
                .make(Json::object(), {.steps = 8, .strength = 0.1});
        });
        QVERIFY(error && error->item() == "steps");
        QVERIFY(error->message().str().find("a strength of 0.1 leaves 5") != std::string::npos);
    }

    void unknownSamplersAreListed_data() {
        const testing::Rows<QString, QString, QString> row("sampler", "config", "blamed");
        row("name", "magic", "{}", "magic");
        row("class",
            "checkpoint",
            R"({"_class_name": "DDIMInverseScheduler"})",
            "DDIMInverseScheduler");
        row("no class", "checkpoint", "{}", "_class_name");
    }

    void unknownSamplersAreListed() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        QFETCH(QString, blamed);
        const Json settings = parseJson(config.toStdString(), "config");
        const auto error = errorOf([&] { (void)samplerNamed(sampler.toStdString(), settings); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("sampler"));
        QVERIFY(error->message().str().find(blamed.toStdString()) != std::string::npos);
        QVERIFY(error->hint().str().find("ddim, euler, euler_a, dpmpp_2m") != std::string::npos);
    }

    void refusesWhatIsNotBuilt_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("key");
        const auto row = [](const char* sampler, const char* config, const char* key) {
            QTest::addRow("%s %s", sampler, config) << sampler << config << key;
        };
        const std::set<std::string> ownTimesteps = {"lcm", "tcd", "dpmpp_single"};
        for (const SamplerType& type : samplers()) {
            const char* sampler = type.name.c_str();
            row(sampler, R"({"beta_schedule": "laplace"})", "beta_schedule");
            row(sampler, R"({"prediction_type": "flow"})", "prediction_type");
            if (!ownTimesteps.contains(type.name)) {
                row(sampler, R"({"timestep_spacing": "log"})", "timestep_spacing");
            }
        }
        for (const char* sampler :
             {"ddim", "ddpm", "lcm", "dpmpp_2m", "dpmpp_single", "unipc", "deis"}) {
            row(sampler, R"({"thresholding": true})", "thresholding");
        }
        for (const char* sampler : {"euler_a", "pndm", "pndm_prk", "kdpm2", "kdpm2_a"}) {
            row(sampler, R"({"prediction_type": "sample"})", "prediction_type");
        }
        for (const char* sampler : {"dpmpp_2m", "dpmpp_2m_sde", "dpmpp_single", "unipc", "deis"}) {
            row(sampler,
                R"({"use_flow_sigmas": true, "prediction_type": "epsilon"})",
                "prediction_type");
            row(sampler,
                R"({"use_flow_sigmas": true, "use_dynamic_shifting": true})",
                "use_dynamic_shifting");
            row(sampler, R"({"solver_order": 4})", "solver_order");
            row(sampler, R"({"solver_type": "rk4"})", "solver_type");
        }
        row("euler",
            R"({"_class_name": "EDMEulerScheduler", "sigma_schedule": "beta"})",
            "sigma_schedule");
        row("euler",
            R"({"_class_name": "EDMEulerScheduler", "prediction_type": "sample"})",
            "prediction_type");
        row("euler",
            R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "stochastic_sampling": true})",
            "stochastic_sampling");
        row("euler",
            R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "use_dynamic_shifting": true})",
            "use_dynamic_shifting");
        row("unipc",
            R"({"use_flow_sigmas": true, "use_karras_sigmas": true})",
            "use_karras_sigmas");
        row("dpmpp_single", R"({"algorithm_type": "sde-dpmsolver"})", "algorithm_type");
        row("deis", R"({"algorithm_type": "sde-dpmsolver++"})", "algorithm_type");
        row("unipc", R"({"predict_x0": false})", "predict_x0");
        row("unipc", R"({"solver_p": {"order": 1}})", "solver_p");
        row("ddpm", R"({"variance_type": "learned_range"})", "variance_type");
        row("ddpm", R"({"variance_type": "fixed_large_log"})", "variance_type");
        for (const char* sampler : {"lcm", "tcd"}) {
            row(sampler, R"({"rescale_betas_zero_snr": true})", "rescale_betas_zero_snr");
        }
        row("ddpm",
            R"({"rescale_betas_zero_snr": true, "timestep_spacing": "trailing"})",
            "rescale_betas_zero_snr");
        row("euler", R"({"interpolation_type": "log_linear"})", "interpolation_type");
        row("euler",
            R"({"timestep_type": "continuous", "prediction_type": "v_prediction"})",
            "timestep_type");
        row("euler", R"({"final_sigmas_type": "one"})", "final_sigmas_type");
        row("dpmpp_2m", R"({"algorithm_type": "dpmsolver"})", "algorithm_type");
        row("dpmpp_2m", R"({"variance_type": "learned_range"})", "variance_type");
        row("ddim",
            R"({"rescale_betas_zero_snr": true, "timestep_spacing": "trailing"})",
            "rescale_betas_zero_snr");
    }

    void refusesWhatIsNotBuilt() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        QFETCH(QString, key);
        const auto error = errorOf([&] { (void)make(sampler, config, {}); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(error->item(), key.toStdString());
        QVERIFY(error->message().str().find(key.toStdString()) != std::string::npos);
        QVERIFY(!error->hint().empty());
    }

    void refusesImpossibleValues_data() {
        QTest::addColumn<QString>("config");
        for (const char* config : {R"({"num_train_timesteps": 0})",
                                   R"({"num_train_timesteps": 10000000})",
                                   R"({"beta_start": -0.1})",
                                   R"({"beta_end": 1.5})",
                                   R"({"beta_start": "small"})",
                                   R"({"trained_betas": [0.1, 0.2]})",
                                   R"({"steps_offset": -1})",
                                   R"({"sigma_min": 0})",
                                   R"({"use_karras_sigmas": true, "use_beta_sigmas": true})",
                                   R"({"_class_name": "EDMEulerScheduler", "sigma_max": 0.001})",
                                   R"({"_class_name": "EDMEulerScheduler", "sigma_data": 0})",
                                   R"({"use_flow_sigmas": true, "flow_shift": -1})",
                                   R"({"use_flow_sigmas": true, "shift_terminal": 1})",
                                   "[]"}) {
            QTest::newRow(config) << config;
        }
    }

    void refusesImpossibleValues() {
        QFETCH(QString, config);
        const auto error = errorOf([&] { (void)make("euler", config, {}); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
    }

    void blamesTheUsersChoice_data() {
        const testing::Rows<QString, QString, QString> row("sampler", "item", "value");
        row("ddim karras", "ddim", "sigmas", "karras");
        row("euler_a beta", "euler_a", "sigmas", "beta");
        row("unknown sigmas", "euler", "sigmas", "wavy");
        row("unknown spacing", "euler", "spacing", "random");
        row("no step", "euler", "steps", "0");
        row("too many steps", "ddim", "steps", "1001");
        row("no step left", "dpmpp_2m", "steps", "1000");
        row("no Runge-Kutta", "pndm_prk", "steps", "3");
        row("distilled", "lcm", "steps", "51");
        row("own timesteps", "tcd", "spacing", "trailing");
        row("linspace alone", "dpmpp_single", "spacing", "leading");
        row("eta above 1", "tcd", "eta", "1.5");
    }

    void blamesTheUsersChoice() {
        QFETCH(QString, sampler);
        QFETCH(QString, item);
        QFETCH(QString, value);
        ScheduleOptions options;
        if (item == "steps") {
            options.steps = value.toInt();
        } else if (item == "eta") {
            options.eta = value.toDouble();
        } else {
            (item == "sigmas" ? options.sigmas : options.spacing) = value.toStdString();
        }
        const auto error = errorOf([&] { (void)make(sampler, "{}", options); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
        QVERIFY(!error->hint().empty());
    }

    void normalSigmasAreOfferedByAll() {
        for (const SamplerType& type : samplers()) {
            const auto sampler = type.make(Json::object(), {.steps = 4, .sigmas = "normal"});
            QCOMPARE(sampler->stepCount(), 4);
        }
    }

    /// What a user asks for and the class does not have is reported, never left out.
    void choicesThatTheClassLacksAreRefused_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("value");
        const auto rows = [](const char* item, const char* value, std::set<std::string> offering) {
            for (const SamplerType& type : samplers()) {
                if (!offering.contains(type.name)) {
                    QTest::addRow("%s %s %s", type.name.c_str(), item, value)
                        << QString::fromStdString(type.name) << item << value;
                }
            }
        };
        const std::set<std::string> multistep = {"dpmpp_2m", "dpmpp_2m_sde", "dpmpp_3m"};
        std::set<std::string> spreading = {"euler",
                                           "dpmpp_single",
                                           "heun",
                                           "lms",
                                           "unipc",
                                           "deis",
                                           "kdpm2",
                                           "kdpm2_a",
                                           "sigma_lcm"};
        spreading.insert(multistep.begin(), multistep.end());
        rows("eta", "0.5", {"ddim", "tcd"});
        rows("sigmas", "lu", multistep);
        rows("sigmas", "karras", spreading);
    }

    void choicesThatTheClassLacksAreRefused() { blamesTheUsersChoice(); }

    /// The reference computes NaN there.
    void aWayDownThatRoundingLosesIsRefused() {
        const auto error = errorOf([] {
            (void)make("kdpm2_a", R"({"beta_schedule": "squaredcos_cap_v2"})", {.steps = 5});
        });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(error->item(), std::string("steps"));
    }

    void ddimLeavesSigmaSettingsOfOtherClassesAlone() {
        const auto sampler = make("ddim", R"({"use_karras_sigmas": true})", {.steps = 4});
        QVERIFY(!sampler->schedule().sigmas.defined());
    }

    void trailingHasExactlyTheStepsAskedFor() {
        const std::set<std::string> ownTimesteps = {"lcm", "tcd", "dpmpp_single"};
        for (const SamplerType& type : samplers()) {
            if (ownTimesteps.contains(type.name)) {
                continue;
            }
            const auto sampler = type.make(Json::object(), {.steps = 61, .spacing = "trailing"});
            QCOMPARE(sampler->stepCount(), 61);
            QVERIFY(sampler->schedule().timesteps[-1].item<double>() >= 0);
        }
    }

private:
    static std::unique_ptr<Sampler> make(const QString& sampler,
                                         const QString& config,
                                         const ScheduleOptions& options) {
        const Json settings = parseJson(config.toStdString(), "config");
        return samplerNamed(sampler.toStdString(), settings).make(settings, options);
    }
};

LOWTIDE_TEST(SchedulerSettingsTest)

}  // namespace lowtide::sampling::scheduler_settings_test

#include "scheduler_settings_test.moc"
