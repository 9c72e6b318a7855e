#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::transfer_test {

class TransferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void roundsHalvesToEvenAsNumpyDoes() {
        const testing::PythonGolden golden("tests/unit/tensor/make_tensor_goldens.py");
        const at::Tensor row = golden.tensor("levels.in");  // below 0, all halves, above 1
        const at::Tensor pixels = row.view({1, 1, 1, -1}).expand({1, 3, 1, -1});
        const at::Tensor bytes = image8Tensor(pixels);
        QCOMPARE(bytes.sizes().vec(), (std::vector<int64_t>{1, 1, row.size(0), 3}));
        for (int64_t channel = 0; channel < 3; ++channel) {
            QVERIFY(at::equal(bytes[0][0].select(1, channel), golden.tensor("levels.out")));
        }
    }

    void imagesAreInterleavedRowsTopFirst() {
        at::Tensor pixels = at::zeros({2, 3, 2, 3});
        pixels.select(0, 1).select(0, 2).select(0, 1).select(0, 2).fill_(1);  // blue, last pixel
        const std::vector<Image8> images = image8(pixels);
        QCOMPARE(images.size(), 2U);
        QCOMPARE(images[1].widthPixels, 3);
        QCOMPARE(images[1].heightPixels, 2);
        QCOMPARE(images[1].channels, 3);
        QCOMPARE(int(images[1].pixels[(1 * 3 + 2) * 3 + 2]), 255);
        const auto sum = [](const Image8& image) {
            int total = 0;
            for (size_t i = 0; i < image.byteCount(); ++i) {
                total += image.pixels[i];
            }
            return total;
        };
        QCOMPARE(sum(images[0]), 0);
        QCOMPARE(sum(images[1]), 255);
    }

    void hostTensorsDoNotMove() {
        const at::Tensor value = at::rand({3});
        QVERIFY(spill(value).is_same(value));
        QVERIFY(upload(value, at::Device(at::kCPU)).is_same(value));
        QVERIFY(!spill(at::Tensor()).defined());
    }

    void recordCopyHasItsOwnDenseStorage() {
        at::Tensor value = at::arange(12, at::kFloat).view({3, 4}).t();
        const at::Tensor copy = recordCopy(value);
        QVERIFY(copy.is_contiguous());
        QVERIFY(at::equal(copy, value));
        value.fill_(-1);
        QCOMPARE(copy[0][1].item<float>(), 4.0F);
    }

    void recordCopyHasTheTypeAndShapeOfTheValue() {
        for (const at::ScalarType type : {at::kFloat, at::kLong, at::kByte, at::kHalf}) {
            const at::Tensor value = at::ones({2, 0, 3}).to(type);
            QCOMPARE(recordCopy(value).scalar_type(), type);
            QCOMPARE(recordCopy(value).sizes(), value.sizes());
        }
        QCOMPARE(recordCopy(at::scalar_tensor(3, at::kLong)).item<int64_t>(), 3);
    }

    void scalarCountsItsWaits() {
        const int64_t before = scalarFetches();
        QCOMPARE(scalar(at::scalar_tensor(2.5, at::kFloat)), 2.5);
        QCOMPARE(scalarFetches(), before + 1);
    }

    void bytesBelongToTheDeviceOfTheTensor() {
        const at::Tensor value = at::zeros({4, 4}).slice(0, 1, 2);
        QCOMPARE(deviceIdOf(value), std::string_view("cpu"));
        QCOMPARE(bytesOn(value, "cpu"), int64_t{64});  // a view keeps the whole storage alive
        QCOMPARE(bytesOn(value, "fake"), int64_t{0});
        QCOMPARE(bytesOn(at::Tensor(), "cpu"), int64_t{0});
        QCOMPARE(deviceIdOf(at::empty({1}, at::kMeta)), std::string_view("meta"));
    }
};

LOWTIDE_TEST(TransferTest)

}  // namespace lowtide::tensor::transfer_test

#include "transfer_test.moc"
