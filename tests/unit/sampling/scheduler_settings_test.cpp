// Which scheduler settings are read, and what is said of those that are not built.

#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "tests/fixtures/error_of.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling {

using testing::errorOf;

class SchedulerSettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void allFourAreRegistered() {
        std::vector<std::string> names;
        for (const SamplerType& type : samplers()) {
            names.push_back(type.name);
            QVERIFY(!type.label.empty());
        }
        QCOMPARE(names, (std::vector<std::string>{"ddim", "euler", "euler_a", "dpmpp_2m"}));
    }

    void checkpointMeansItsOwnClass() {
        const Json config = {{"_class_name", "EulerAncestralDiscreteScheduler"}};
        QCOMPARE(samplerNamed("checkpoint", config).name, std::string("euler_a"));
        QCOMPARE(samplerNamed("ddim", config).name, std::string("ddim"));
    }

    void unknownSamplersAreListed_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("blamed");
        QTest::newRow("name") << "heun"
                              << "{}"
                              << "heun";
        QTest::newRow("class") << "checkpoint"
                               << R"({"_class_name": "PNDMScheduler"})"
                               << "PNDMScheduler";
        QTest::newRow("no class") << "checkpoint"
                                  << "{}"
                                  << "_class_name";
    }

    void unknownSamplersAreListed() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        QFETCH(QString, blamed);
        const Json settings = parseJson(config.toStdString(), "config");
        const auto error = errorOf([&] { (void)samplerNamed(sampler.toStdString(), settings); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("sampler"));
        QVERIFY(error->message().find(blamed.toStdString()) != std::string::npos);
        QVERIFY(error->hint().find("ddim, euler, euler_a, dpmpp_2m") != std::string::npos);
    }

    void refusesWhatIsNotBuilt_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("key");
        const auto row = [](const char* sampler, const char* config, const char* key) {
            QTest::addRow("%s %s", sampler, config) << sampler << config << key;
        };
        for (const char* sampler : {"ddim", "euler", "euler_a", "dpmpp_2m"}) {
            row(sampler, R"({"beta_schedule": "laplace"})", "beta_schedule");
            row(sampler, R"({"prediction_type": "flow"})", "prediction_type");
            row(sampler, R"({"timestep_spacing": "log"})", "timestep_spacing");
        }
        row("ddim", R"({"thresholding": true})", "thresholding");
        row("dpmpp_2m", R"({"thresholding": true})", "thresholding");
        row("euler_a", R"({"prediction_type": "sample"})", "prediction_type");
        row("euler", R"({"interpolation_type": "log_linear"})", "interpolation_type");
        row("euler",
            R"({"timestep_type": "continuous", "prediction_type": "v_prediction"})",
            "timestep_type");
        row("euler", R"({"final_sigmas_type": "one"})", "final_sigmas_type");
        row("dpmpp_2m", R"({"use_lu_lambdas": true})", "use_lu_lambdas");
        row("dpmpp_2m", R"({"use_flow_sigmas": true})", "use_flow_sigmas");
        row("dpmpp_2m", R"({"algorithm_type": "sde-dpmsolver++"})", "algorithm_type");
        row("dpmpp_2m", R"({"solver_type": "heun"})", "solver_type");
        row("dpmpp_2m", R"({"solver_order": 3})", "solver_order");
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
        QVERIFY(error->message().find(key.toStdString()) != std::string::npos);
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
                                   "[]"}) {
            QTest::newRow(config) << config;
        }
    }

    void refusesImpossibleValues() {
        QFETCH(QString, config);
        const auto error = errorOf([&] { (void)make("euler", config, {}); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
    }

    void blamesThePersonsChoice_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("value");
        QTest::newRow("ddim karras") << "ddim"
                                     << "sigmas"
                                     << "karras";
        QTest::newRow("euler_a beta") << "euler_a"
                                      << "sigmas"
                                      << "beta";
        QTest::newRow("unknown sigmas") << "euler"
                                        << "sigmas"
                                        << "wavy";
        QTest::newRow("unknown spacing") << "euler"
                                         << "spacing"
                                         << "random";
        QTest::newRow("no step") << "euler"
                                 << "steps"
                                 << "0";
        QTest::newRow("too many steps") << "ddim"
                                        << "steps"
                                        << "1001";
        QTest::newRow("no room") << "dpmpp_2m"
                                 << "steps"
                                 << "1000";
    }

    void blamesThePersonsChoice() {
        QFETCH(QString, sampler);
        QFETCH(QString, item);
        QFETCH(QString, value);
        ScheduleOptions options;
        if (item == "steps") {
            options.steps = value.toInt();
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
            QCOMPARE(sampler->callCount(), 4);
        }
    }

    void ddimLeavesSigmaSettingsOfOtherClassesAlone() {
        const auto sampler = make("ddim", R"({"use_karras_sigmas": true})", {.steps = 4});
        QVERIFY(!sampler->schedule().sigmas.defined());
    }

    void trailingHasExactlyTheStepsAskedFor() {
        for (const SamplerType& type : samplers()) {
            const auto sampler = type.make(Json::object(), {.steps = 61, .spacing = "trailing"});
            QCOMPARE(sampler->callCount(), 61);
            QVERIFY(sampler->schedule().timesteps[60].item<double>() >= 0);
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

}  // namespace lowtide::sampling

QTEST_GUILESS_MAIN(lowtide::sampling::SchedulerSettingsTest)
#include "scheduler_settings_test.moc"
