// The networks of Z-Image alone, on what the reference's own gave and got.
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/families/zimage/zimage_transformer.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace zimage_networks_test {

using namespace lowtide;
using testing::ModelBench;
using testing::TensorFile;
using testing::tensorIn;

class ZImageNetworksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = testing::zimageGoldenFolder().toStdString() + "/";
        cases_ = testing::readCases("zimage_cases");
    }

    void theTextIsEncoded_data() { testing::addCaseRows(cases_); }

    /// What the last but one of Qwen 3's layers makes of the prompt in a chat turn.
    void theTextIsEncoded() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        constexpr int64_t kTokens = 512;
        const TensorFile all =
            testing::readTensorFile(folder_ + test.at("name").get<std::string>() + ".safetensors");
        const std::string root =
            folder_ + "checkpoints/" + test.at("checkpoint").get<std::string>();
        const auto checkpoint = models::openLayout({.path = root, .name = "zimage"}, "");
        const models::LanguageText text(*checkpoint, "tokenizer", "text_encoder", "pad_token");
        const models::TokenizedPrompt prompt =
            text.tokenize("<|im_start|>user\n" + test.at("prompt").get<std::string>() +
                              "<|im_end|>\n<|im_start|>assistant\n",
                          kTokens,
                          "prompt");
        QVERIFY(at::equal(at::tensor(prompt.ids), tensorIn(all, "tokens.000").select(0, 0)));
        QVERIFY(at::equal(at::tensor(prompt.mask), tensorIn(all, "tokens_mask.000").select(0, 0)));

        const std::vector<int64_t> lengths = {at::tensor(prompt.mask).sum().item<int64_t>()};
        const models::LanguageModel& model = text.model().get();
        ModelBench bench;
        bench.runWith(model.tree(), [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            models::Forward forward(context, *model.tree());
            const int64_t state = model.config().layers - 1;
            const at::Tensor made =
                model.encode(forward,
                             at::tensor(prompt.ids).narrow(0, 0, lengths[0]).unsqueeze(0),
                             lengths,
                             state,
                             state);
            const std::string problem =
                testing::disagreement(all, "embeds.prompt", made.select(1, 0));
            QVERIFY2(problem.empty(), problem.c_str());
        });
    }

    void theTransformerAgrees_data() { testing::addCaseRows(cases_); }

    void theTransformerAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const TensorFile all =
            testing::readTensorFile(folder_ + test.at("name").get<std::string>() + ".safetensors");
        const models::ZImageTransformer transformer = open(test.at("checkpoint"));
        const auto predict = [&](const testing::RecordedCall& call) {
            return transformer.predict(
                call.forward, call.input, call.time, tensorIn(all, "embeds." + call.branch));
        };
        testing::checkRecordedCalls(
            all, transformer.tree(), test.at("cfg").get<double>() > 0, predict);
    }

private:
    [[nodiscard]] models::ZImageTransformer open(const std::string& checkpoint) const {
        const std::string root = folder_ + "checkpoints/" + checkpoint;
        const QByteArray config =
            testing::contentsOf(QString::fromStdString(root + "/transformer/config.json"));
        return {models::readZImageConfig(Json::parse(config.toStdString()), "config.json"),
                models::openWeights(root, "transformer", "diffusion_pytorch_model"),
                "denoiser"};
    }

    std::string folder_;
    Json cases_;
};

LOWTIDE_TEST(ZImageNetworksTest)

}  // namespace zimage_networks_test

#include "zimage_networks_test.moc"
