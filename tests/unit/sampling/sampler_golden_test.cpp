// Every sampler against diffusers 0.42.1, over the settings that make_scheduler_goldens.py lists.

#include "plugin/sampling/denoise_loop.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <optional>

namespace lowtide::sampling::sampler_golden_test {

namespace {

// Every operation is the reference's own, so all is equal to the bit where numpy's exp and pow of
// float64 are those of the C library; elsewhere their last bit reaches a sigma now and then.
constexpr double kSigmaTolerance = 1e-6;
constexpr double kLatentTolerance = 1e-6;
constexpr double kFractionTolerance = 1e-6;

ScheduleOptions optionsOf(const Json& item) {
    return {.steps = item["steps"].get<int>(),
            .sigmas = item["sigmas"].get<std::string>(),
            .spacing = item["spacing"].get<std::string>(),
            .eta = item["eta"].get<double>()};
}

DenoiseSettings settingsOf(const Json& item) {
    const int start = item["start"].get<int>();
    return {.guidanceScale = item["cfg"].get<double>(),
            .guidanceRescale = item["rescale"].get<double>(),
            .seed = item["seed"].get<uint64_t>(),
            .part = {.startStep = start},
            .startsEmpty = start == 0,
            .scheduleKey = {}};
}

/// What the golden starts from in the middle of a schedule.
at::Tensor cleanLatents(int64_t batch) {
    return at::cos(at::arange(batch * 120, at::kFloat)).view({batch, 4, 5, 6});
}

void compare(const at::Tensor& mine,
             const at::Tensor& reference,
             double tolerance,
             const char* what) {
    QCOMPARE(mine.sizes().vec(), reference.sizes().vec());
    const double distance = testing::relativeL2(mine, reference);
    QVERIFY2(distance <= tolerance, qPrintable(QString("%1: %2").arg(what).arg(distance)));
}

}  // namespace

class SamplerGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        golden_.emplace("tests/unit/sampling/make_scheduler_goldens.py");
        cases_ = parseJson(golden_->text("cases"), "cases");
        QVERIFY(cases_.size() > 3500);
    }

    void stepsAsTheReference_data() {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            QTest::newRow(cases_[i]["name"].get<std::string>().c_str()) << i;
        }
    }

    void stepsAsTheReference() {
        QFETCH(size_t, index);
        const Json& item = cases_[index];
        const std::string name = item["name"].get<std::string>() + "/";
        const SamplerType& type = samplerNamed(item["sampler"].get<std::string>(), item["config"]);
        const auto sampler = type.make(item["config"], optionsOf(item));
        tensor::Recorder recorder;
        FakeDenoiser denoiser;

        const DenoiseResult result = denoise(*sampler,
                                             denoiser,
                                             cleanLatents(item["batch"].get<int64_t>()),
                                             settingsOf(item),
                                             nullptr,
                                             StopToken(),
                                             tensor::Record(&recorder),
                                             [](int, int) {});

        const auto& mine = recorder.tensors();
        compareTimesteps(mine.at("timesteps"), golden_->tensor(name + "timesteps"));
        QVERIFY(at::equal(mine.at("init_noise_sigma"), golden_->tensor(name + "init_noise_sigma")));
        QCOMPARE(mine.contains("sigmas"), golden_->has(name + "sigmas"));
        if (mine.contains("sigmas")) {
            compare(mine.at("sigmas"), golden_->tensor(name + "sigmas"), kSigmaTolerance, "sigmas");
        }
        const at::Tensor states = golden_->tensor(name + "latents");
        compare(mine.at("latents.init"), states[0], kSigmaTolerance, "latents.init");
        for (int64_t i = 1; i < states.size(0); ++i) {
            const QString key = QString("latents.step.%1").arg(i - 1, 3, 10, QChar('0'));
            compare(mine.at(key.toStdString()), states[i], kLatentTolerance, qPrintable(key));
        }
        QVERIFY(at::equal(result.latents, mine.at("latents.final")));
    }

    void cleanupTestCase() { golden_.reset(); }

private:
    static void compareTimesteps(const at::Tensor& mine, const at::Tensor& reference) {
        QVERIFY(mine.scalar_type() == reference.scalar_type());
        QCOMPARE(mine.sizes().vec(), reference.sizes().vec());
        if (mine.scalar_type() == at::kLong) {
            QVERIFY(at::equal(mine, reference));
        } else {
            QVERIFY(at::allclose(mine, reference, kFractionTolerance, kFractionTolerance));
        }
    }

    std::optional<testing::PythonGolden> golden_;
    Json cases_;
};

LOWTIDE_TEST(SamplerGoldenTest)

}  // namespace lowtide::sampling::sampler_golden_test

#include "sampler_golden_test.moc"
