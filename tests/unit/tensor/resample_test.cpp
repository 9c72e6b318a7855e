#include "plugin/base/json.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest>

namespace lowtide::tensor::resample_test {

namespace {

// Pillow rounds to 8 bit between its passes and its weights to 22 bits.
constexpr int kMostLevels = 1;

kernels::Resample filterNamed(const QString& name) {
    return name == "area"      ? kernels::Resample::Area
           : name == "bicubic" ? kernels::Resample::Bicubic
                               : kernels::Resample::Lanczos;
}

}  // namespace

class ResampleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void resizesAsPillowDoes_data() {
        const testing::Rows<QString, int, int> row("filter", "width", "height");
        const testing::PythonGolden golden(kScript);
        for (const Json& item : parseJson(golden.text("cases"), "cases")) {
            row(item["name"].get<std::string>().c_str(),
                QString::fromStdString(item["filter"]),
                item["width"].get<int>(),
                item["height"].get<int>());
        }
    }

    void resizesAsPillowDoes() {
        QFETCH(QString, filter);
        QFETCH(int, width);
        QFETCH(int, height);
        const testing::PythonGolden golden(kScript);
        const std::string name = QTest::currentDataTag();
        const at::Tensor pixels =
            golden.tensor(name + ".in").permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 255;

        const at::Tensor resized = kernels::resample(pixels, height, width, filterNamed(filter));

        const at::Tensor levels = image8Tensor(resized)[0].to(at::kInt);
        const at::Tensor expected = golden.tensor(name + ".out").to(at::kInt);
        QCOMPARE(levels.sizes().vec(), expected.sizes().vec());
        const int farthest = (levels - expected).abs().max().item<int>();
        QVERIFY2(farthest <= kMostLevels, qPrintable(QString::number(farthest)));
    }

    void keepsEveryImageOfABatchApart() {
        at::Tensor batch = at::rand({3, 3, 9, 11});
        const at::Tensor together = kernels::resample(batch, 20, 5, kernels::Resample::Lanczos);
        for (int64_t i = 0; i < 3; ++i) {
            const at::Tensor alone =
                kernels::resample(batch.slice(0, i, i + 1), 20, 5, kernels::Resample::Lanczos);
            QVERIFY(at::equal(together[i], alone[0]));
        }
    }

    void bitsDoNotDependOnThreads() {
        const at::Tensor image = at::rand({2, 3, 200, 300});
        const at::Tensor expected = kernels::resample(image, 450, 310, kernels::Resample::Area);
        at::set_num_threads(1);
        const at::Tensor alone = kernels::resample(image, 450, 310, kernels::Resample::Area);
        at::set_num_threads(2);
        QVERIFY(at::equal(alone, expected));
    }

    void sameSizeIsTheSameImage() {
        const at::Tensor image = at::rand({1, 3, 8, 8});
        QVERIFY(at::equal(kernels::resample(image, 8, 8, kernels::Resample::Bicubic), image));
    }

private:
    static constexpr const char* kScript = "tests/unit/tensor/make_tensor_goldens.py";
};

LOWTIDE_TEST(ResampleTest)

}  // namespace lowtide::tensor::resample_test

#include "resample_test.moc"
