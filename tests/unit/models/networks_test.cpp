#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace networks_test {

using namespace lowtide;
using nodes::WireRef;
using testing::disagreement;
using testing::ModelBench;
using testing::TensorFile;
using testing::tensorIn;

/// Networks alone, for what no case of tests/golden runs.
class NetworksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        checkpoints_ = testing::goldenFolder().toStdString() + "/checkpoints/";
        const QString script = testing::sourcePath("tests/unit/models/make_stage_goldens.py");
        const QString folder = testing::goldenFolder() + "/stages-" + testing::hashOfScript(script);
        testing::runReference({script,
                               testing::sourcePath("tests/golden/reference"),
                               QString::fromStdString(checkpoints_),
                               folder});
        folder_ = folder.toStdString() + "/";
    }

    void guidanceIsEmbedded_whenTheDenoiserWantsIt() {
        ModelBench bench;
        const TensorFile expected = testing::readTensorFile(folder_ + "lcm.safetensors");
        const WireRef value = bench.load(checkpoints_ + "sd15_4");
        const models::Model& model = ModelBench::modelOf(value);
        QVERIFY(!model.guides(4.5));
        const tensor::Conditioning positive(
            tensorIn(expected, "embeds.prompt").narrow(0, 0, 1), {}, "", -1);
        bench.record();
        bench.runWith(value, models::kDenoiser, [&] {
            tensor::Recorder recorder;
            models::StageContext context{bench.residency(), tensor::Record(&recorder)};
            const auto denoiser = model.makeDenoiser(
                context, {.positive = positive, .negative = nullptr, .batch = 2, .cfg = 4.5});
            QCOMPARE(
                disagreement(expected, "timestep_cond", recorder.tensors().at("timestep_cond")),
                std::string());
            for (const std::string call : {"000", "001"}) {
                const at::Tensor prediction =
                    denoiser->predict(tensorIn(expected, "model_in." + call),
                                      tensorIn(expected, "model_t." + call),
                                      {});
                QCOMPARE(disagreement(expected, "model_out." + call, prediction), std::string());
            }
        });
    }

    void imagesAreEncoded_data() {
        QTest::addColumn<int>("variant");
        QTest::newRow("four levels") << 0;
        QTest::newRow("three levels") << 3;
    }

    void imagesAreEncoded() {
        QFETCH(int, variant);
        ModelBench bench;
        const std::string number = std::to_string(variant);
        const TensorFile expected =
            testing::readTensorFile(folder_ + "encode_" + number + ".safetensors");
        const WireRef model = bench.load(checkpoints_ + "sd15_" + number);
        bench.runWith(model, models::kAutoencoder, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            const at::Tensor moments =
                ModelBench::modelOf(model).encode(context, tensorIn(expected, "vae.encode_in.000"));
            QCOMPARE(disagreement(expected, "vae.moments.000", moments), std::string());
        });
    }

    /// The networks are diffusers', where tiles lie and how they fade is our definition.
    void tilesAreThoseOfTheDefinition() {
        ModelBench bench;
        const TensorFile expected = testing::readTensorFile(folder_ + "tiles.safetensors");
        const WireRef model = bench.load(checkpoints_ + "sd15_1");
        bench.runWith(model, models::kAutoencoder, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            const at::Tensor decoded = models::decodeInTiles(
                tensorIn(expected, "latents"), 64, 8, [&](const at::Tensor& part) {
                    return ModelBench::modelOf(model).decode(context, part);
                });
            QCOMPARE(disagreement(expected, "decoded", decoded), std::string());
            const at::Tensor encoded = models::encodeInTiles(
                tensorIn(expected, "pixels"), 64, 8, [&](const at::Tensor& part) {
                    return ModelBench::modelOf(model).encode(context, part);
                });
            QCOMPARE(disagreement(expected, "encoded", encoded), std::string());
        });
    }

private:
    std::string checkpoints_;
    std::string folder_;
};

LOWTIDE_TEST(NetworksTest)

}  // namespace networks_test

#include "networks_test.moc"
