// What a file of the LDM layout states of its noise and of what it predicts.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/sampling/sampler.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>

namespace single_file_schedule_test {

using namespace lowtide;

namespace {

constexpr const char* kVersion1 = "sd15_1.safetensors";
constexpr const char* kVersion2 = "open_clip_1.safetensors";
constexpr const char* kBias =
    "model.diffusion_model.output_blocks.11.1.transformer_blocks.0.norm1.bias";
constexpr const char* kInput = "model.diffusion_model.input_blocks.0.0.weight";

using OwnTensor = testing::FileTensor;
using OwnTensors = testing::TensorFile;

/// 320 values, one half of them `deviation`, the other -`deviation`.
OwnTensor biasOf(double deviation, at::ScalarType scalars, DType type) {
    constexpr int64_t kChannels = 320;
    const at::Tensor signs = at::arange(kChannels).remainder(2) * 2 - 1;
    const at::Tensor values = (signs * deviation).to(scalars).contiguous();
    return {type,
            {kChannels},
            std::string(static_cast<const char*>(values.const_data_ptr()), values.nbytes())};
}

/// The scheduler's settings of a file of the goldens with `changes`.
Json schedulerOf(const char* file,
                 const std::function<void(OwnTensors&)>& change,
                 const std::map<std::string, std::string>& metadata = {}) {
    const std::string source = testing::singleFileFolder().toStdString() + "/" + file;
    OwnTensors tensors = testing::readTensorFile(source);
    change(tensors);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("m.safetensors").toStdString();
    testing::writeTensorFile(path, tensors, metadata);
    const std::string resources = testing::sourcePath("resources").toStdString();
    return models::openLayout({.path = path, .name = "m"}, resources)
        ->readJson("scheduler/scheduler_config.json");
}

void addKeys(OwnTensors& tensors, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        tensors[name] = {DType::F32, {0}, ""};
    }
}

}  // namespace

class SingleFileScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theKeysOfZeroSnrBeginWithoutSignal_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("version 1") << kVersion1;
        QTest::newRow("version 2") << kVersion2;
    }

    /// As DDIMScheduler(rescale_betas_zero_snr=True, timestep_spacing="trailing") of diffusers
    /// 0.42.1 begins, which its documents ask for.
    void theKeysOfZeroSnrBeginWithoutSignal() {
        QFETCH(QString, file);
        const Json config = schedulerOf(qPrintable(file), [](OwnTensors& tensors) {
            addKeys(tensors, {"v_pred", "ztsnr"});
        });
        const auto sampler =
            sampling::samplerNamed("checkpoint", config).make(config, {.steps = 4});
        const at::Tensor expected = at::tensor({999, 749, 499, 249}, at::kLong);
        QVERIFY(at::equal(sampler->schedule().timesteps.to(at::kLong), expected));
        QVERIFY(std::isinf(sampler->noiseRatio(0)));
    }

    void noiseThatPredictsNoiseKeepsItsSampler() {
        const Json config =
            schedulerOf(kVersion1, [](OwnTensors& tensors) { addKeys(tensors, {"ztsnr"}); });
        QCOMPARE(config.at("_class_name"), Json("PNDMScheduler"));
        QCOMPARE(config.at("rescale_betas_zero_snr"), Json(true));
    }

    void aBiasDistinguishesVelocityFromNoise_data() {
        const testing::Rows<double, at::ScalarType, DType, QString> row(
            "deviation", "scalars", "type", "prediction");
        row("f32 above", 0.0901, at::kFloat, DType::F32, "v_prediction");
        row("f32 below", 0.0899, at::kFloat, DType::F32, "epsilon");
        row("f16 above", 0.0905, at::kHalf, DType::F16, "v_prediction");
        row("f16 below", 0.0895, at::kHalf, DType::F16, "epsilon");
        row("bf16 above", 0.093, at::kBFloat16, DType::BF16, "v_prediction");
        row("bf16 below", 0.087, at::kBFloat16, DType::BF16, "epsilon");
        row("f64 above", 0.0901, at::kDouble, DType::F64, "v_prediction");
        row("no number", std::nan(""), at::kHalf, DType::F16, "epsilon");
        row("integers", 1, at::kInt, DType::I32, "v_prediction");  // as without the tensor
    }

    /// The figure is ComfyUI's: 768-v models of version 2 lie above, base models below.
    void aBiasDistinguishesVelocityFromNoise() {
        QFETCH(double, deviation);
        QFETCH(at::ScalarType, scalars);
        QFETCH(DType, type);
        QFETCH(QString, prediction);
        const OwnTensor bias = biasOf(deviation, scalars, type);
        const auto predictionOf = [&](const char* file,
                                      const std::map<std::string, std::string>& metadata) {
            const Json config = schedulerOf(
                file, [&](OwnTensors& tensors) { tensors[kBias] = bias; }, metadata);
            return config.at("prediction_type").get<std::string>();
        };
        QCOMPARE(predictionOf(kVersion2, {}), prediction.toStdString());
        QCOMPARE(predictionOf(kVersion2, {{"modelspec.prediction_type", "v"}}),
                 std::string("v_prediction"));
        QCOMPARE(predictionOf(kVersion2, {{"modelspec.prediction_type", "epsilon"}}),
                 std::string("epsilon"));
        QCOMPARE(predictionOf(kVersion1, {}), std::string("epsilon"));
    }

    void modelsThatFillMasksPredictNoise() {
        const Json config = schedulerOf(kVersion2, [](OwnTensors& tensors) {
            tensors[kBias] = biasOf(0.2, at::kFloat, DType::F32);
            OwnTensor& input = tensors.at(kInput);
            input = {DType::F32, {1, 9, 1, 1}, std::string(9 * sizeof(float), '\0')};
        });
        QCOMPARE(config.at("prediction_type"), Json("epsilon"));
    }
};

LOWTIDE_TEST(SingleFileScheduleTest)

}  // namespace single_file_schedule_test

#include "single_file_schedule_test.moc"
