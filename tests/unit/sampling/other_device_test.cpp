// The loop on a device that is not the host gives the host's bits and reads nothing back inside it.

#include "plugin/residency/device/device_source.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling::other_device_test {

namespace {

struct Run {
    DenoiseResult result;
    std::map<std::string, at::Tensor> recorded;
};

Run run(const std::string& name,
        c10::Device device,
        const at::Tensor& latents,
        DenoiseSettings settings,
        const std::shared_ptr<const tensor::SamplerCarry>& carry) {
    const c10::InferenceMode inference;
    const Json config = {{"clip_sample", true}, {"prediction_type", "v_prediction"}};
    const bool hasEta = name == "ddim" || name == "tcd";
    const ScheduleOptions options{.steps = 5,
                                  .eta = hasEta ? 0.5 : 0,
                                  .endStep = settings.part.endStep,
                                  .keepNoise = settings.part.keepNoise};
    const auto sampler = samplerNamed(name, config).make(config, options);
    FakeDenoiser denoiser;
    tensor::Recorder recorder;
    DenoiseResult result = denoise(*sampler,
                                   denoiser,
                                   tensor::upload(latents, device),
                                   settings,
                                   carry,
                                   StopToken(),
                                   tensor::Record(&recorder),
                                   [](int, int) {});
    return {std::move(result), recorder.tensors()};
}

}  // namespace

class OtherDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        source_ = residency::makeDeviceSource(testing::buildPath("lib").toStdString());
        device_ = source_->open({.kind = "fake"});
    }

    void everySamplerHasTheHostsBits_data() { addSamplers(); }

    void everySamplerHasTheHostsBits() {
        QFETCH(QString, name);
        const DenoiseSettings settings{.guidanceRescale = 0.5, .seed = 3, .scheduleKey = {}};
        const at::Tensor empty = at::zeros({2, 4, 3, 5});
        const Run host = run(name.toStdString(), at::kCPU, empty, settings, nullptr);
        const int64_t fetches = tensor::scalarFetches();
        const Run there = run(name.toStdString(), device_->torchDevice(), empty, settings, nullptr);
        QCOMPARE(tensor::scalarFetches(), fetches);
        QVERIFY(there.result.latents.is_privateuseone());
        QCOMPARE(there.recorded.size(), host.recorded.size());
        for (const auto& [key, value] : host.recorded) {
            QVERIFY2(at::equal(there.recorded.at(key), value), key.c_str());
        }
    }

    void aRangeGoesOnFromACarryOnTheHost_data() { addSamplers(); }

    /// What the executor keeps between runs lies on the host.
    void aRangeGoesOnFromACarryOnTheHost() {
        QFETCH(QString, name);
        const std::string sampler = name.toStdString();
        const c10::Device device = device_->torchDevice();
        const at::Tensor empty = at::zeros({1, 4, 3, 5});
        const DenoiseSettings all{.seed = 3, .scheduleKey = "a"};
        const DenoiseSettings head{
            .seed = 3, .part = {.endStep = 2, .keepNoise = true}, .scheduleKey = "a"};
        const DenoiseSettings tail{
            .seed = 3, .part = {.startStep = 2}, .addNoise = false, .scheduleKey = "a"};
        const Run first = run(sampler, device, empty, head, nullptr);
        const tensor::Latents wire(first.result.latents, {}, first.result.carry);
        const auto kept = std::dynamic_pointer_cast<const tensor::Latents>(wire.onHost());
        const Run second = run(sampler, device, kept->samples(), tail, kept->carry());
        const Run whole = run(sampler, device, empty, all, nullptr);
        QVERIFY(
            at::equal(tensor::spill(second.result.latents), tensor::spill(whole.result.latents)));
    }

    void noOrderWasMissing() {
        QCOMPARE(device_->allocated(), Bytes{0});
        QVERIFY(device_->extras().hazards().empty());
    }

    void cleanupTestCase() {
        device_.reset();
        source_.reset();
    }

private:
    static void addSamplers() {
        QTest::addColumn<QString>("name");
        for (const SamplerType& type : samplers()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    std::unique_ptr<residency::DeviceSource> source_;
    std::unique_ptr<residency::Device> device_;
};

LOWTIDE_TEST(OtherDeviceTest)

}  // namespace lowtide::sampling::other_device_test

#include "other_device_test.moc"
