// Every sampler at every number of steps and spacing: finite, or refused.

#include "plugin/sampling/sampler.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling::solver_grid_test {

namespace {

/// As Stable Diffusion 1.5 ships it: with the offset, leading may begin at timestep 1000.
const char* const kShipped = R"({"_class_name": "PNDMScheduler", "num_train_timesteps": 1000,
    "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1,
    "clip_sample": false, "set_alpha_to_one": false, "skip_prk_steps": true})";

const char* const kFlowShipped =
    R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 5})";

/// The last latents of all calls on a network that is smooth in everything.
at::Tensor lastLatents(Sampler& sampler) {
    at::Tensor latents = at::linspace(-1, 1, 4).view({1, 4, 1, 1});
    for (int call = 0; call < sampler.callCount(); ++call) {
        const at::Tensor prediction = at::sin(sampler.scaleInput(latents, call));
        latents = sampler.step(
            prediction, call, latents, [&](at::IntArrayRef shape) { return at::full(shape, 0.5); });
    }
    return latents;
}

}  // namespace

class SolverGridTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aRunIsFiniteOrRefused_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("sigmas");
        QTest::addColumn<QString>("spacing");
        QTest::addColumn<int>("steps");
        const auto row = [](const SamplerType& type,
                            const char* config,
                            const char* sigmas,
                            const char* spacing,
                            int steps) {
            QTest::addRow("%s%s, %s, %s, %d",
                          type.name.c_str(),
                          config == kFlowShipped ? " flow" : "",
                          sigmas,
                          spacing,
                          steps)
                << QString::fromStdString(type.name) << config << sigmas << spacing << steps;
        };
        for (const SamplerType& type : samplers()) {
            for (const int steps : {1, 2, 3, 110, 999, 1000}) {
                for (const char* spacing : {"sampler", "leading", "trailing", "linspace"}) {
                    row(type, kShipped, "sampler", spacing, steps);
                }
                if (steps != 1000) {
                    row(type, kShipped, steps == 999 ? "beta" : "karras", "sampler", steps);
                }
                if (steps < 999) {
                    row(type, kShipped, "exponential", "sampler", steps);
                    row(type, kFlowShipped, "sampler", "trailing", steps);
                    row(type, kFlowShipped, "beta", "linspace", steps);
                }
            }
        }
    }

    void aRunIsFiniteOrRefused() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        QFETCH(QString, sigmas);
        QFETCH(QString, spacing);
        QFETCH(int, steps);
        const Json file = parseJson(config.toStdString(), "config");
        std::unique_ptr<Sampler> made;
        const auto error = testing::errorOf([&] {
            made = samplerNamed(sampler.toStdString(), file)
                       .make(file,
                             {.steps = steps,
                              .sigmas = sigmas.toStdString(),
                              .spacing = spacing.toStdString()});
        });
        if (error) {
            QVERIFY(error->kind() == ErrorKind::InvalidInput ||
                    error->kind() == ErrorKind::Unsupported);
            QVERIFY(!error->item().empty() && !error->hint().empty());
            return;
        }
        QVERIFY(at::isfinite(lastLatents(*made)).all().item<bool>());
    }

    void twoStepsAtOneLevelAreRefused_data() {
        QTest::addColumn<QString>("sampler");
        for (const char* sampler : {"dpmpp_2m", "dpmpp_2m_sde", "dpmpp_3m", "unipc", "deis"}) {
            QTest::newRow(sampler) << sampler;
        }
    }

    /// Timestep 1000 is beyond the training: it has the level of timestep 999.
    void twoStepsAtOneLevelAreRefused() {
        QFETCH(QString, sampler);
        const Json file = parseJson(kShipped, "config");
        const auto error = testing::errorOf([&] {
            (void)samplerNamed(sampler.toStdString(), file)
                .make(file, {.steps = 999, .spacing = "leading"});
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("steps"));
        QVERIFY(error->message().str().find("timesteps 1000 and 999") != std::string::npos);
    }
};

LOWTIDE_TEST(SolverGridTest)

}  // namespace lowtide::sampling::solver_grid_test

#include "solver_grid_test.moc"
