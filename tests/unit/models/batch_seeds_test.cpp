// Batches whose images have seeds of their own.

#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <limits>

namespace batch_seeds_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ImageBench;
using testing::Truth;

namespace {

constexpr const char* kMini = "builtin:mini";
constexpr int64_t kBatch = 3;
/// A batch is convolved and multiplied in other blocks than an image alone: the noise has the same
/// bits, what the network makes of it agrees as with the reference (design, section 5).
constexpr double kBatchError = testing::kRelativeL2;

testing::DenoiseRequest smallRequest(ImageBench& bench, int64_t batch) {
    testing::DenoiseRequest request = bench.request("a cat", "dark");
    request.latent = bench.emptyLatent(64, 48, batch);
    request.steps = 3;
    request.cfg = 3;
    request.seed = 41;
    request.batchSeeds = "each";
    request.sampler = "euler_a";
    return request;
}

double relativeError(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).norm() / b.norm()).item<double>();
}

std::vector<std::string> textsOf(ImageBench& bench, const testing::DenoiseRequest& request) {
    const WireRef image = bench.decode(bench.denoise(request));
    std::vector<std::string> texts;
    for (size_t i = 0; i < kBatch; ++i) {
        texts.push_back(bench.stages().parametersText(image, i));
    }
    return texts;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class BatchSeedsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void drawsWhatTheReferenceDraws_data() {
        QTest::addColumn<QString>("seed");
        for (const char* seed :
             {"0", "7", "4294967297", "9223372036854775807", "18446744073709551613"}) {
            QTest::newRow(seed) << seed;
        }
    }

    void drawsWhatTheReferenceDraws() {
        QFETCH(QString, seed);
        const Truth truth("make_batch_goldens.py", seed.toStdString());
        ImageBench bench(testing::goldenCheckpoint("sd15_1"));
        testing::DenoiseRequest request = bench.request("a red car", "blurry");
        request.latent = bench.emptyLatent(64, 72, kBatch);
        request.steps = 4;
        request.cfg = 4;
        request.seed = seed.toULongLong();
        request.batchSeeds = "each";
        request.sampler = "euler_a";
        bench.bench().record();

        const at::Tensor latents = ImageBench::samplesOf(bench.denoise(request));

        const testing::TensorFile recorded = bench.bench().recorded();
        for (int i = 0; truth.has("random.00" + std::to_string(i)); ++i) {
            const std::string key = "random.00" + std::to_string(i);
            QVERIFY2(at::equal(testing::tensorIn(recorded, key), truth.tensor(key)), key.c_str());
        }
        QVERIFY(truth.has("random.003"));
        QCOMPARE(truth.disagreement("latents", latents), std::string());
    }

    void eachImageIsThatOfItsSeedAlone_data() {
        QTest::addColumn<QString>("seed");
        QTest::newRow("small") << "41";
        QTest::newRow("the last seed is followed by 0") << "18446744073709551615";
    }

    void eachImageIsThatOfItsSeedAlone() {
        QFETCH(QString, seed);
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        request.seed = seed.toULongLong();
        bench.bench().record();
        const at::Tensor together = ImageBench::samplesOf(bench.denoise(request));
        const at::Tensor noise = testing::tensorIn(bench.bench().recorded(), "random.002");
        for (int64_t i = 0; i < kBatch; ++i) {
            testing::DenoiseRequest alone = smallRequest(bench, 1);
            alone.seed = seed.toULongLong() + static_cast<uint64_t>(i);
            for (const char* way : {"each", "one"}) {
                alone.batchSeeds = way;
                bench.bench().record();
                const at::Tensor single = ImageBench::samplesOf(bench.denoise(alone));
                const at::Tensor own = testing::tensorIn(bench.bench().recorded(), "random.002");
                QVERIFY(at::equal(own, noise.narrow(0, i, 1)));
                const double error = relativeError(together.narrow(0, i, 1), single);
                qInfo("image %lld: %.1e from that of its seed alone",
                      static_cast<long long>(i),
                      error);
                QVERIFY(error <= kBatchError);
            }
        }
    }

    void oneStreamIsAnotherBatch() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        const at::Tensor own = ImageBench::samplesOf(bench.denoise(request));
        request.batchSeeds = "one";
        const at::Tensor shared = ImageBench::samplesOf(bench.denoise(request));
        QVERIFY(relativeError(shared.narrow(0, 1, 1), own.narrow(0, 1, 1)) > 0.1);
    }

    void twoRangesHaveTheBitsOfOne_data() {
        QTest::addColumn<QString>("way");
        QTest::newRow("one seed") << "one";
        QTest::newRow("own seeds") << "each";
    }

    /// All generators go on where they were.
    void twoRangesHaveTheBitsOfOne() {
        QFETCH(QString, way);
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        request.batchSeeds = way.toStdString();
        request.steps = 4;
        const at::Tensor whole = ImageBench::samplesOf(bench.denoise(request));
        testing::DenoiseRequest first = request;
        first.endStep = 2;
        first.keepNoise = true;
        const WireRef half = bench.denoise(first);
        const testing::StageSpec spec =
            testing::spec(bench.stages(),
                          testing::known({.positive = {1, 32, 128},
                                          .negative = {1, 32, 128},
                                          .latentKind = testing::emptyLatentSpec(64, 48, kBatch)},
                                         first));
        const auto& carry = dynamic_cast<const tensor::Latents&>(*half).carry();
        QCOMPARE(spec.output().hostBytes, static_cast<Bytes>(carry->generator.nbytes()));
        request.startStep = 2;
        request.addNoise = false;
        request.latent = half->onHost();
        QVERIFY(at::equal(ImageBench::samplesOf(bench.denoise(request)), whole));
    }

    void imagesRecordTheirSeeds() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        request.seed = std::numeric_limits<uint64_t>::max() - 1;
        const std::vector<std::string> texts = textsOf(bench, request);
        QVERIFY2(contains(texts[0], "Seed: 18446744073709551614, Size"), texts[0].c_str());
        QVERIFY2(contains(texts[1], "Seed: 18446744073709551615, Size"), texts[1].c_str());
        QVERIFY2(contains(texts[2], "Seed: 0, Size"), texts[2].c_str());
        QVERIFY2(!contains(texts[1], "Batch"), texts[1].c_str());
    }

    void imagesReportTheirIndex_whenTheyShareASeed() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        request.batchSeeds = "one";
        const std::vector<std::string> texts = textsOf(bench, request);
        for (size_t i = 0; i < kBatch; ++i) {
            QVERIFY2(contains(texts[i], "Seed: 41, Size"), texts[i].c_str());
            QVERIFY2(contains(texts[i], "Batch size: 3, Batch pos: " + std::to_string(i)),
                     texts[i].c_str());
        }
    }

    void anUnknownWayIsRefused() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = smallRequest(bench, kBatch);
        request.batchSeeds = "many";
        const auto error = testing::errorOf([&] {
            (void)testing::spec(
                bench.stages(),
                testing::known({.latentKind = testing::emptyLatentSpec(64, 64)}, request));
        });
        QVERIFY(error && error->item() == "batch_seeds");
    }
};

LOWTIDE_TEST(BatchSeedsTest)

}  // namespace batch_seeds_test

#include "batch_seeds_test.moc"
