// The names of FLUX.1's transformer in files.
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/families/flux/flux_file.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace flux_networks_test {

using namespace lowtide;

class FluxNetworksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void namesOfWeights_data() {
        const testing::Rows<QString, QString> add("ours", "authors");
        const auto row = [&](const char* ours, const char* authors) { add(ours, ours, authors); };
        row("x_embedder.weight", "img_in.weight");
        row("context_embedder.bias", "txt_in.bias");
        row("time_text_embed.text_embedder.linear_2.weight", "vector_in.out_layer.weight");
        row("transformer_blocks.3.attn.to_k.bias", "double_blocks.3.img_attn.qkv.bias[k]");
        row("transformer_blocks.18.attn.add_v_proj.weight",
            "double_blocks.18.txt_attn.qkv.weight[v]");
        row("transformer_blocks.0.norm1_context.linear.weight",
            "double_blocks.0.txt_mod.lin.weight");
        row("transformer_blocks.0.attn.norm_added_q.weight",
            "double_blocks.0.txt_attn.norm.query_norm.scale");
        row("single_transformer_blocks.37.proj_mlp.weight", "single_blocks.37.linear1.weight[3]");
        row("single_transformer_blocks.1.attn.norm_k.weight",
            "single_blocks.1.norm.key_norm.scale");
        row("norm_out.shift.bias", "final_layer.adaLN_modulation.1.bias[0]");
        row("proj_out.weight", "final_layer.linear.weight");
    }

    void namesOfWeights() {
        QFETCH(QString, ours);
        QFETCH(QString, authors);
        QCOMPARE(QString::fromStdString(models::fluxName(ours.toStdString())), authors);
    }

    void namesOfXLabs_data() {
        const testing::Rows<QString, QString> add("ours", "theirs");
        const auto row = [&](const char* ours, const char* theirs) { add(ours, ours, theirs); };
        row("transformer_blocks.2.attn.add_k_proj.weight",
            "double_blocks.2.processor.qkv_lora2.weight[k]");
        row("transformer_blocks.2.attn.to_out.0.weight",
            "double_blocks.2.processor.proj_lora1.weight");
        row("single_transformer_blocks.5.attn.to_v.weight",
            "single_blocks.5.processor.qkv.weight[v]");
        row("single_transformer_blocks.5.proj_out.weight", "single_blocks.5.processor.proj.weight");
        row("single_transformer_blocks.5.proj_mlp.weight",
            "single_transformer_blocks.5.proj_mlp.weight");
        row("proj_out.weight", "proj_out.weight");
    }

    void namesOfXLabs() {
        QFETCH(QString, ours);
        QFETCH(QString, theirs);
        QCOMPARE(QString::fromStdString(models::fluxXLabsName(ours.toStdString())), theirs);
    }

    /// It has the names of the first blocks, and no end.
    void aControlNetIsNoTransformer() {
        const std::string file =
            (testing::fluxFileFolder({"flux_0"}) + "/flux_0/diffusion_model.safetensors")
                .toStdString();
        models::WeightMap map = models::openWeightFile(file).map;
        std::erase_if(map.tensors, [](const auto& tensor) {
            return tensor.first.starts_with("single_blocks.") ||
                   tensor.first.starts_with("final_layer.");
        });
        QVERIFY(!models::fluxNetwork().find(map));
    }

    /// What shapes reveal of a file is what its config.json states.
    void settingsAreThoseOfTheConfig() {
        const std::string file =
            (testing::fluxFileFolder({"flux_0"}) + "/flux_0/diffusion_model.safetensors")
                .toStdString();
        const auto naming = models::fluxNetwork().find(models::openWeightFile(file).map);
        QVERIFY(naming && naming->isOwn);
        const Json reported = models::openDenoiser({.path = file, .name = "file"}, "")
                                  ->readJson("transformer/config.json");
        const QString config =
            testing::fluxGoldenFolder() + "/checkpoints/flux_0/transformer/config.json";
        const Json stated = Json::parse(testing::contentsOf(config).toStdString());
        for (const auto& [key, value] : reported.items()) {
            if (key != "out_channels") {  // the config leaves it out
                QVERIFY2(stated.at(key) == value, key.c_str());
            }
        }
    }
};

LOWTIDE_TEST(FluxNetworksTest)

}  // namespace flux_networks_test

#include "flux_networks_test.moc"
