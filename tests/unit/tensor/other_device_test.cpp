// Crossing and operators on a device that is not the host: the fake one, which has the CPU's bits.

#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/recorder.hpp"
#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::other_device_test {

class OtherDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        source_ = residency::makeDeviceSource(testing::buildPath("lib").toStdString());
        device_ = source_->open({.kind = "fake"});
    }

    void valuesGoThereAndBack() {
        const at::Tensor value = at::rand({3, 4});
        const at::Tensor there = upload(value, device_->torchDevice());
        QVERIFY(there.is_privateuseone());
        QCOMPARE(deviceIdOf(there), std::string_view("fake"));
        QVERIFY(bytesOn(there, "fake") >= 48);
        QCOMPARE(bytesOn(there, "cpu"), int64_t{0});
        QVERIFY(upload(there, device_->torchDevice()).is_same(there));
        QVERIFY(at::equal(spill(there), value));
        QVERIFY(at::equal(recordCopy(there.t()), value.t()));
        QVERIFY(recordCopy(there.t()).is_contiguous());
        QCOMPARE(scalar(there.select(0, 1).select(0, 2)), value[1][2].item<double>());
    }

    void imagesAreRoundedAsOnTheHost() {
        const at::Tensor pixels = at::rand({2, 3, 9, 7}) * 1.4 - 0.2;
        const at::Tensor there = upload(pixels, device_->torchDevice());
        QVERIFY(at::equal(image8Tensor(there), image8Tensor(pixels)));
        QCOMPARE(image8(there).size(), 2U);
    }

    void resamplingHasTheHostsBits() {
        const at::Tensor pixels = at::rand({1, 3, 11, 13});
        const at::Tensor there = upload(pixels, device_->torchDevice());
        for (const auto filter :
             {kernels::Resample::Area, kernels::Resample::Bicubic, kernels::Resample::Lanczos}) {
            const at::Tensor expected = kernels::resample(pixels, 23, 7, filter);
            QVERIFY(at::equal(spill(kernels::resample(there, 23, 7, filter)), expected));
        }
    }

    void interpolationHasTheHostsBits() {
        const at::Tensor latents = at::randn({2, 4, 11, 13});
        const at::Tensor there = upload(latents, device_->torchDevice());
        for (const auto how : {kernels::Interpolation::Bicubic, kernels::Interpolation::Bislerp}) {
            const at::Tensor expected = kernels::interpolate(latents, 23, 7, how);
            const at::Tensor made = kernels::interpolate(there, 23, 7, how);
            QVERIFY(made.is_privateuseone());
            QVERIFY(at::equal(spill(made), expected));
        }
    }

    /// Our operators reach the device through ATen's dispatcher.
    void ownOperatorsHaveTheHostsBits() {
        const auto there = [&](const at::Tensor& x) { return upload(x, device_->torchDevice()); };
        const at::Tensor x = at::randn({2, 20, 12, 17});
        const at::Tensor weight = at::randn({24, 20, 3, 3});
        const at::Tensor bias = at::randn({24});
        const at::Tensor made = kernels::conv2d(there(x), there(weight), there(bias), 1, 1);
        QVERIFY(made.is_privateuseone());
        QVERIFY(at::equal(spill(made), kernels::conv2d(x, weight, bias, 1, 1)));
        const at::Tensor halved = kernels::conv2d(there(x), there(weight), there(bias), 2, 1);
        QVERIFY(at::equal(spill(halved), kernels::conv2d(x, weight, bias, 2, 1)));
        const at::Tensor q = at::randn({2, 40, 3, 16}).transpose(1, 2);
        QVERIFY(at::equal(spill(kernels::attention(there(q), there(q), there(q), false)),
                          kernels::attention(q, q, q, false)));
        const at::Tensor scale = at::randn({20});
        QVERIFY(at::equal(
            spill(kernels::activatedNorm(there(x), {}, 5, there(scale), there(scale), 1e-5)),
            kernels::activatedNorm(x, {}, 5, scale, scale, 1e-5)));
    }

    void wireValuesMoveToTheHost() {
        auto carry = std::make_shared<SamplerCarry>();
        carry->history = {upload(at::rand({2, 2}), device_->torchDevice())};
        const Latents there(upload(at::rand({1, 4, 2, 2}), device_->torchDevice()), {}, carry);
        QVERIFY(there.bytesOn("fake") >= 64 + 16);
        const auto host = std::dynamic_pointer_cast<const Latents>(there.onHost());
        QCOMPARE(host->bytesOn("fake"), Bytes{0});
        QVERIFY(host->carry() && host->carry()->history[0].is_cpu());
        QVERIFY(at::equal(host->samples(), spill(there.samples())));
    }

    void nothingRemainsBehind() { QCOMPARE(device_->allocated(), Bytes{0}); }

    void noOrderWasMissing() { QVERIFY(device_->extras().hazards().empty()); }

    void cleanupTestCase() {
        device_.reset();
        source_.reset();
    }

private:
    std::unique_ptr<residency::DeviceSource> source_;
    std::unique_ptr<residency::Device> device_;
};

LOWTIDE_TEST(OtherDeviceTest)

}  // namespace lowtide::tensor::other_device_test

#include "other_device_test.moc"
