// The networks of Stable Diffusion XL alone, for what no case of tests/golden runs.

#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QtTest/QtTest>

namespace sdxl_networks_test {

using namespace lowtide;
using models::ClipTextModel;
using testing::disagreement;
using testing::ModelBench;
using testing::TensorFile;

namespace {

Json jsonAt(const std::string& path) {
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("the goldens have no " + path);
    }
    return parseJson(file.readAll().toStdString(), path);
}

ClipTextModel encoderOf(const std::string& checkpoint, const std::string& role) {
    return {models::readClipTextConfig(jsonAt(checkpoint + "/" + role + "/config.json"), role),
            models::openWeights(checkpoint, role, "model"),
            {.role = role,
             .state = models::ClipTextState::Penultimate,
             .projectsPooled = role == "text_encoder_2"}};
}

std::vector<int64_t> idsIn(const TensorFile& file, const std::string& key) {
    const at::Tensor ids = testing::tensorIn(file, key);
    const auto* begin = ids.const_data_ptr<int64_t>();
    return {begin, begin + ids.numel()};
}

}  // namespace

class SdxlNetworksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::sdxlGoldenFolder().toStdString() + "/"; }

    void rowsHaveTheBitsThatTheyHaveAlone() {
        const TensorFile expected = golden("sdxl_1_ddim");
        const ClipTextModel::Row prompt{.ids = idsIn(expected, "tokens_2.000")};
        const ClipTextModel::Row negative{.ids = idsIn(expected, "tokens_2.001"), .clipSkip = 1};
        const auto together = encoded("sdxl_1", "text_encoder_2", {prompt, negative}).first;
        const auto first = encoded("sdxl_1", "text_encoder_2", {prompt}).first;
        const auto second = encoded("sdxl_1", "text_encoder_2", {negative}).first;
        QVERIFY(at::equal(together[0].embeds, first[0].embeds));
        QVERIFY(at::equal(together[0].pooled, first[0].pooled));
        QVERIFY(at::equal(together[1].embeds, second[0].embeds));
        QVERIFY(at::equal(together[1].pooled, second[0].pooled));
    }

    /// One less than where the last state counts: the embeddings are the last that can be chosen.
    void clipSkipLeavesTheEmbeddings() {
        const ClipTextModel encoder = encoderOf(goldens_ + "checkpoints/sdxl_0", "text_encoder");
        const int layers = static_cast<int>(encoder.config().layers);
        const auto skip = [&](int clipSkip) {
            ClipTextModel::Row row{.ids = std::vector<int64_t>(77, 5), .clipSkip = clipSkip};
            return encoded("sdxl_0", "text_encoder", {row});
        };
        const auto [outputs, recorded] = skip(layers - 1);
        QVERIFY(at::equal(outputs[0].embeds, recorded.at("text_encoder.hidden.0.000")));
        const auto error = testing::errorOf([&] { (void)skip(layers); });
        QVERIFY(error && error->item() == "clip_skip");
        QVERIFY2(error->hint().str().ends_with("at most " + std::to_string(layers - 1)),
                 error->hint().str().c_str());
    }

    /// What is added to the last skip is not added to what goes past the missing middle block.
    void aMissingMiddleBlockIsSkipped() {
        const std::string path =
            testing::goldenFile("tests/unit/models/make_no_middle_goldens.py").toStdString();
        const TensorFile expected = testing::readTensorFile(path);
        const Json config = {{"block_out_channels", {32, 64}},
                             {"norm_num_groups", 8},
                             {"attention_head_dim", {2, 4}},
                             {"cross_attention_dim", 16},
                             {"down_block_types", {"DownBlock2D", "CrossAttnDownBlock2D"}},
                             {"up_block_types", {"CrossAttnUpBlock2D", "UpBlock2D"}},
                             {"mid_block_type", nullptr},
                             {"transformer_layers_per_block", {1, {2, 1}}},
                             {"reverse_transformer_layers_per_block", {{1, 3, 2}, 1}}};
        const models::UNet2DCondition unet(models::readUNet2DConfig(config, "unet"),
                                           models::openWeightFile(path).map,
                                           models::kDenoiser);
        models::UNetResiduals residuals{.middle = testing::tensorIn(expected, "in.middle")};
        for (int i = 0; i < 6; ++i) {
            residuals.skips.push_back(testing::tensorIn(expected, "in.skip." + std::to_string(i)));
        }
        ModelBench bench;
        bench.runWith(unet.tree(), [&] {
            models::Forward forward(bench.residency(), *unet.tree(), tensor::Record(nullptr));
            const auto predict = [&](const models::UNetResiduals& added) {
                return unet.predict(forward,
                                    testing::tensorIn(expected, "in.latents"),
                                    at::scalar_tensor(301, at::kLong),
                                    {.context = testing::tensorIn(expected, "in.context")},
                                    added);
            };
            QCOMPARE(disagreement(expected, "out.plain", predict({})), std::string());
            QCOMPARE(disagreement(expected, "out.added", predict(residuals)), std::string());
        });
    }

    void widthsOfTheAdditionAreNeeded_data() {
        const testing::Rows<QString> row("key");
        row("addition_time_embed_dim", "addition_time_embed_dim");
        row("projection_class_embeddings_input_dim", "projection_class_embeddings_input_dim");
    }

    void widthsOfTheAdditionAreNeeded() {
        QFETCH(QString, key);
        Json config = jsonAt(goldens_ + "checkpoints/sdxl_0/unet/config.json");
        for (const Json& wrong : {Json(nullptr), Json(-4)}) {
            config[key.toStdString()] = wrong;
            const auto error =
                testing::errorOf([&] { (void)models::readUNet2DConfig(config, "unet"); });
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
            QVERIFY2(error->message().str().find(key.toStdString()) != std::string::npos,
                     error->message().str().c_str());
        }
    }

    /// As diffusers: "Must provide 'reverse_transformer_layers_per_block' if using asymmetrical
    /// UNet."
    void depthsOfSingleUnitsNeedTheWayUp() {
        Json config = jsonAt(goldens_ + "checkpoints/ssd_1/unet/config.json");
        config["transformer_layers_per_block"] = {1, 2, {2, 1}};
        config.erase("reverse_transformer_layers_per_block");
        const auto error =
            testing::errorOf([&] { (void)models::readUNet2DConfig(config, "unet"); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY2(error->message().str().find("reverse_transformer_layers_per_block is missing") !=
                     std::string::npos,
                 error->message().str().c_str());
    }

private:
    [[nodiscard]] TensorFile golden(const QString& name) const {
        return testing::readTensorFile(goldens_ + name.toStdString() + ".safetensors");
    }

    /// What the encoder gives for `rows`, and what it records.
    [[nodiscard]] std::pair<std::vector<ClipTextModel::Output>, std::map<std::string, at::Tensor>>
    encoded(const QString& checkpoint,
            const QString& role,
            const std::vector<ClipTextModel::Row>& rows) const {
        const ClipTextModel encoder =
            encoderOf(goldens_ + "checkpoints/" + checkpoint.toStdString(), role.toStdString());
        std::vector<ClipTextModel::Output> outputs;
        std::map<std::string, at::Tensor> recorded;
        ModelBench bench;
        bench.runWith(encoder.tree(), [&] {
            tensor::Recorder recorder;
            models::Forward forward(bench.residency(), *encoder.tree(), tensor::Record(&recorder));
            outputs = encoder.encode(forward, rows);
            for (const auto& [key, value] : recorder.tensors()) {
                recorded[key] = value;
            }
        });
        return {outputs, recorded};
    }

    std::string goldens_;
};

LOWTIDE_TEST(SdxlNetworksTest)

}  // namespace sdxl_networks_test

#include "sdxl_networks_test.moc"
