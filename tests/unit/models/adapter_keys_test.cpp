#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace adapter_keys_test {

using namespace lowtide;
using models::AdapterKey;

/// Names as tools write them, from their sources: kohya sd-scripts, LyCORIS 4.1, peft 0.21,
/// diffusers 0.42.1, ComfyUI.
class AdapterKeysTest : public QObject {
    Q_OBJECT

    static QString reported(const AdapterKey& key) {
        const char* part = key.part == AdapterKey::Part::Alpha     ? "alpha"
                           : key.part == AdapterKey::Part::OnInput ? "on_input"
                                                                   : key.factor.c_str();
        return QString::fromStdString(key.component + " " + key.module + " " + key.kind + " ") +
               part + (key.isBias ? " bias" : "");
    }

private Q_SLOTS:

    void namesAreTakenApart_data() {
        const testing::Rows<QString> row("reported");
        row("lora_unet_mid_block_attentions_0_proj_in.lora_down.weight",
            "denoiser mid_block_attentions_0_proj_in low_rank down");
        row("lora_unet_input_blocks_4_1_proj_in.lora_up.weight",
            "denoiser input_blocks_4_1_proj_in low_rank up");
        row("lora_unet_conv_in.lora_mid.weight", "denoiser conv_in low_rank mid");
        row("lora_te_text_model_encoder_layers_0_mlp_fc1.alpha",
            "text_encoder text_model_encoder_layers_0_mlp_fc1  alpha");
        row("lora_te1_text_model_encoder_layers_0_mlp_fc1.dora_scale",
            "text_encoder text_model_encoder_layers_0_mlp_fc1  dora_scale");
        row("lora_te2_text_projection.lora_down.weight",
            "text_encoder_2 text_projection low_rank down");
        row("lora_te3_encoder_block_0_layer_0_SelfAttention_q.lora_down.weight",
            "t5 encoder_block_0_layer_0_SelfAttention_q low_rank down");
        row("lora_unet_x.hada_w1_a", "denoiser x hadamard w1_a");
        row("lora_unet_x.hada_t2", "denoiser x hadamard t2");
        row("lora_unet_x.lokr_w1", "denoiser x kronecker w1");
        row("lora_unet_x.lokr_w2_b", "denoiser x kronecker w2_b");
        row("lora_unet_x.on_input", "denoiser x  on_input");
        row("lora_unet_x.weight", "denoiser x scale on_output");
        row("lora_unet_x.diff", "denoiser x difference difference");
        row("lora_unet_x.diff_b", "denoiser x difference difference bias");
        row("lora_unet_x.w_norm", "denoiser x difference difference");
        row("lora_unet_x.b_norm", "denoiser x difference difference bias");
        row("lycoris_down_blocks_0_x.lokr_w2", "denoiser down_blocks_0_x kronecker w2");
        row("unet.mid_block.attn1.to_q.lora_A.weight",
            "denoiser mid_block.attn1.to_q low_rank down");
        row("unet.mid_block.attn1.to_q.lora_B.default.weight",
            "denoiser mid_block.attn1.to_q low_rank up");
        row("unet.x.lora_B.bias", "denoiser x difference difference bias");
        row("unet.x.lora_magnitude_vector", "denoiser x  magnitude");
        row("unet.x.lora_magnitude_vector.default.weight", "denoiser x  magnitude");
        row("text_encoder.text_model.a.lora_A.weight", "text_encoder text_model.a low_rank down");
        row("text_encoder_2.text_model.a.lora_A.weight",
            "text_encoder_2 text_model.a low_rank down");
        row("base_model.model.down_blocks.0.a.lora_A.weight",
            "denoiser down_blocks.0.a low_rank down");
        row("base_model.model.text_model.a.lora_B.weight", "text_encoder text_model.a low_rank up");
        row("unet.base_model.model.down_blocks.0.a.lora_A.weight",
            "denoiser down_blocks.0.a low_rank down");
        row("unet.x.attn1.to_q.lora.down.weight", "denoiser x.attn1.to_q low_rank down");
        row("unet.x.attn1.processor.to_out_lora.up.weight",
            "denoiser x.attn1.processor.to_out low_rank up");
        row("mid_block.x.attn1.processor.to_q_lora.down.weight",
            "denoiser mid_block.x.attn1.processor.to_q low_rank down");
        row("text_encoder.a.q_proj.lora_linear_layer.up.weight",
            "text_encoder a.q_proj low_rank up");
        row("diffusion_model.input_blocks.1.1.a.lora_up.weight",
            "denoiser input_blocks.1.1.a low_rank up");
        row("text_encoders.clip_g.transformer.text_model.a.lora_down.weight",
            "text_encoder_2 text_model.a low_rank down");
    }

    void namesAreTakenApart() {
        QFETCH(QString, reported);
        const auto key = models::parseAdapterKey(QTest::currentDataTag());
        QVERIFY(key);
        QCOMPARE(AdapterKeysTest::reported(*key), reported);
        QVERIFY(key->layer.ends_with(key->module));
        QVERIFY(std::string(QTest::currentDataTag()).starts_with(key->layer));
    }

    void otherNamesAreNone_data() {
        QTest::addColumn<bool>("isOfAdapter");
        QTest::newRow("lora_unet_") << false;
        QTest::newRow("lora_unet_.lora_down.weight") << true;
        QTest::newRow("lora_te4_x.lora_down.weight") << true;
        QTest::newRow("lora_unetx.lora_down.weight") << true;
        QTest::newRow("unet.x.lora_A.a.b.weight") << false;
        QTest::newRow("unet.x.lora_Ab.weight") << false;
        QTest::newRow("unet.x.lora_A.bias") << false;
        QTest::newRow("betas") << false;
        QTest::newRow("") << false;
    }

    void otherNamesAreNone() {
        const std::string key = QTest::currentDataTag();
        const auto parsed = models::parseAdapterKey(key);
        QVERIFY(!parsed || parsed->kind == "scale");
        QTEST(models::isOfAdapter(key), "isOfAdapter");
    }

    /// Names of whole networks end in ".weight", and no adapter's do.
    void weightsOfNetworksAreOfNoAdapter() {
        for (const char* key : {"model.diffusion_model.input_blocks.0.0.weight",
                                "down_blocks.0.resnets.0.conv1.weight",
                                "text_model.encoder.layers.0.mlp.fc1.bias"}) {
            QVERIFY2(!models::isOfAdapter(key), key);
        }
    }
};

LOWTIDE_TEST(AdapterKeysTest)

}  // namespace adapter_keys_test

#include "adapter_keys_test.moc"
