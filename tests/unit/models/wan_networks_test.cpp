// The networks of WAN alone, on what the reference's own gave and got.
#include "nodes/denoise/denoise_schedule.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace wan_networks_test {

using namespace lowtide;
using nodes::WireRef;
using testing::disagreement;
using testing::ModelBench;
using testing::TensorFile;
using testing::tensorIn;

class WanNetworksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = testing::wanGoldenFolder().toStdString() + "/";
        cases_ = testing::readCases("wan_cases");
    }

    void textsAreEncoded_data() { testing::addCaseRows(cases_); }

    void textsAreEncoded() {
        ModelBench bench;
        const WireRef value = open(bench);
        bench.record();
        bench.runWith(value, models::kTextEncoder, [&] {
            tensor::Recorder recorder;
            models::StageContext context{bench.residency(), tensor::Record(&recorder)};
            (void)ModelBench::modelOf(value).encodePrompts(
                context,
                {.prompt = test().at("prompt").get<std::string>(),
                 .negative = test().at("negative").get<std::string>()});
            std::vector<std::string> keys = {"tokens.000",
                                             "tokens_mask.000",
                                             "text_encoder.last_hidden_state.000",
                                             "embeds.prompt"};
            if (isGuided()) {
                keys.insert(keys.end(),
                            {"tokens.001",
                             "tokens_mask.001",
                             "text_encoder.last_hidden_state.001",
                             "embeds.negative"});
            }
            for (const std::string& key : keys) {
                requireAgreement(expected(), key, recorder.tensors().at(key));
            }
        });
    }

    /// All but what a step cache recorded: it gives results that no network computed.
    void theTransformerAgrees_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            if (!cases_[i].contains("threshold")) {
                QTest::newRow(cases_[i].at("name").get<std::string>().c_str())
                    << static_cast<int>(i);
            }
        }
    }

    void theTransformerAgrees() {
        ModelBench bench;
        const WireRef value = open(bench);
        const models::Model& model = ModelBench::modelOf(value);
        bench.runWith(nodes::denoisersOf(model), [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            const auto conditioning = [&](const char* key) {
                return tensor::Conditioning(tensorIn(expected(), key), {}, "", -1);
            };
            const tensor::Conditioning positive = conditioning("embeds.prompt");
            const tensor::Conditioning negative =
                conditioning(isGuided() ? "embeds.negative" : "embeds.prompt");
            const at::Tensor seen = model.info().visionImage.empty()
                                        ? at::Tensor()
                                        : tensorIn(expected(), "model_cond_image");
            const auto denoiser = model.makeDenoiser(
                context,
                {.positive = positive,
                 .negative = isGuided() ? &negative : nullptr,
                 .batch = 1,
                 .cfg = test().at("cfg").get<double>(),
                 .second = sampling::LowNoiseModel{1000 * model.info().boundaryRatio},
                 .visionEmbeds = seen.defined() ? &seen : nullptr});
            const auto recorded = [&](const char* key, int call) {
                return tensorIn(expected(),
                                key + QString(".%1").arg(call, 3, 10, QChar('0')).toStdString());
            };
            const int calls = test().at("steps").get<int>() * (isGuided() ? 2 : 1);
            for (int call = 0; call < calls; ++call) {
                const bool isUncond = isGuided() && call % 2 == 1;  // the positive one comes first
                requireAgreement(expected(),
                                 QString("model_out.%1").arg(call, 3, 10, QChar('0')).toStdString(),
                                 denoiser->predict(recorded("model_in", call),
                                                   recorded("model_t", call).reshape({}),
                                                   {.slot = {.isUncond = isUncond}}));
            }
        });
    }

    void theAutoencoderAgrees_data() { testing::addCaseRows(cases_); }

    void theAutoencoderAgrees() {
        ModelBench bench;
        const WireRef value = open(bench);
        const models::Model& model = ModelBench::modelOf(value);
        bench.runWith(value, models::kAutoencoder, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            requireAgreement(expected(),
                             "vae.decode_out",
                             model.decode(context, tensorIn(expected(), "vae.decode_in"))
                                 .transpose(0, 1)
                                 .unsqueeze(0));
            if (test().contains("image")) {
                requireAgreement(
                    expected(),
                    "vae.moments.000",
                    model.encode(
                        context,
                        tensorIn(expected(), "vae.encode_in.000").squeeze(0).transpose(0, 1)));
            }
        });
    }

private:
    static void requireAgreement(const TensorFile& all,
                                 const std::string& key,
                                 const at::Tensor& seen) {
        const std::string problem = disagreement(all, key, seen.to(at::kFloat));
        QVERIFY2(problem.empty(), problem.c_str());
    }

    [[nodiscard]] const Json& test() const {
        QFETCH(int, index);
        return cases_[static_cast<size_t>(index)];
    }

    [[nodiscard]] bool isGuided() const { return test().at("cfg").get<double>() > 1; }

    [[nodiscard]] WireRef open(ModelBench& bench) {
        const auto name = test().at("name").get<std::string>();
        if (read_ != name) {
            expected_ = testing::readTensorFile(folder_ + name + ".safetensors");
            read_ = name;
        }
        return bench.load(folder_ + "checkpoints/" + test().at("checkpoint").get<std::string>());
    }

    [[nodiscard]] const TensorFile& expected() const { return expected_; }

    std::string folder_;
    std::string read_;
    Json cases_;
    TensorFile expected_;
};

LOWTIDE_TEST(WanNetworksTest)

}  // namespace wan_networks_test

#include "wan_networks_test.moc"
