#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"

#include <QtTest/QtTest>

namespace adapter_names_test {

using namespace lowtide;
using models::AdapterFile;
using models::BoundLayer;
using testing::AdapterShapes;

namespace {

constexpr const char* kLayer = "down_blocks.0.attentions.0.transformer_blocks.0.";

models::AdapterBinding bound(const AdapterShapes& shapes, const memory::ComponentTree& tree) {
    return models::bindAdapter(
        models::readAdapterHeader(testing::headerOf(shapes)), tree.role, tree, "base");
}

/// The weight that a LoRA of one layer adapts; empty: it fits none.
QString locationOf(const std::string& layer,
                   int64_t out,
                   int64_t in,
                   const memory::ComponentTree& tree) {
    const models::AdapterBinding binding = bound(testing::loraOf(layer, out, in, 4), tree);
    if (binding.layers.empty()) {
        return QString::fromStdString(binding.unmatched.empty() ? "nowhere" : "");
    }
    return QString::fromStdString(tree.weights[binding.layers.front().weight].name);
}

}  // namespace

/// What adapters call the modules of networks.
class AdapterNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void unetsNames_data() {
        const testing::Rows<QString> row("weight");
        const QString q = QString(kLayer) + "attn1.to_q.weight";
        const QString out = QString(kLayer) + "attn1.to_out.0.weight";
        row("lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn1_to_q", q);
        row("lora_unet_input_blocks_1_1_transformer_blocks_0_attn1_to_q", q);
        row("diffusion_model.input_blocks.1.1.transformer_blocks.0.attn1.to_q", q);
        row("unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q", q);
        row("unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.processor.to_q", q);
        row("unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.processor.to_out", out);
        row("unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_out.0", out);
        row("lora_unet_input_blocks_1_1_transformer_blocks_0_attn1_to_out_0", out);
        row("lora_unet_input_blocks_1_1_proj_in", "down_blocks.0.attentions.0.proj_in.weight");
        // Of no module: shorter, longer, of another block, half mangled.
        row("lora_unet_input_blocks_1_1_transformer_blocks_0_attn1_to", "");
        row("lora_unet_input_blocks_1_1_transformer_blocks_0_attn1_to_q_x", "");
        row("lora_unet_input_blocks_1_1_transformer_blocks_0_attn1", "");
        row("lora_unet_input_blocks_11_1_transformer_blocks_0_attn1_to_q", "");
        row("unet.down_blocks_0.attentions.0.transformer_blocks.0.attn1.to_q", "");
    }

    void unetsNames() {
        QFETCH(QString, weight);
        QCOMPARE(locationOf(QTest::currentDataTag(), 320, 320, testing::piecesOfUNet()), weight);
    }

    void convolutionsHaveNamesOfBothLayouts() {
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const auto location = [&](const std::string& layer, int64_t in) {
            const models::AdapterBinding binding =
                bound({{layer + ".lora_down.weight", {4, in, 3, 3}},
                       {layer + ".lora_up.weight", {320, 4, 1, 1}}},
                      tree);
            return binding.layers.empty() ? std::string()
                                          : tree.weights[binding.layers[0].weight].name;
        };
        QCOMPARE(location("lora_unet_input_blocks_0_0", 4), std::string("conv_in.weight"));
        QCOMPARE(location("lora_unet_conv_in", 4), std::string("conv_in.weight"));
        QCOMPARE(location("lora_unet_input_blocks_1_0_in_layers_2", 320),
                 std::string("down_blocks.0.resnets.0.conv1.weight"));
        QCOMPARE(location("lora_unet_input_blocks_3_0_op", 320),
                 std::string("down_blocks.0.downsamplers.0.conv.weight"));
    }

    void textModelsNames_data() {
        const testing::Rows<QString, int> row("module", "out");
        row("lora_te_text_model_encoder_layers_0_mlp_fc1", "encoder.layers.0.mlp.fc1", 3072);
        row("lora_te1_text_model_encoder_layers_0_mlp_fc1", "encoder.layers.0.mlp.fc1", 3072);
        row("lora_te_encoder_layers_0_mlp_fc1", "encoder.layers.0.mlp.fc1", 3072);
        row("text_encoder.text_model.encoder.layers.0.mlp.fc1", "encoder.layers.0.mlp.fc1", 3072);
        row("text_encoder.encoder.layers.0.mlp.fc1", "encoder.layers.0.mlp.fc1", 3072);
        row("text_encoder.text_model.encoder.layers.0.self_attn.to_q",
            "encoder.layers.0.self_attn.q_proj",
            768);
        row("text_encoder.text_model.encoder.layers.0.self_attn.to_out",
            "encoder.layers.0.self_attn.out_proj",
            768);
        row("transformer.resblocks.0.mlp.c_fc", "encoder.layers.0.mlp.fc1", 3072);
        row("lora_te_transformer_resblocks_0_attn_out_proj",
            "encoder.layers.0.self_attn.out_proj",
            768);
    }

    void textModelsNames() {
        QFETCH(QString, module);
        QFETCH(int, out);
        for (const char* wrapper : {"", "text_model."}) {
            QCOMPARE(locationOf(QTest::currentDataTag(), out, 768, testing::pieceOfText(wrapper)),
                     wrapper + module + ".weight");
        }
    }

    void aProjectionIsItself() {
        QCOMPARE(
            locationOf("lora_te_text_projection", 768, 768, testing::pieceOfText("text_model.")),
            QString("text_projection.weight"));
    }

    /// Convolutions of 1x1 and matrices are the same, whichever of them the file has.
    void pixelsAreRows() {
        memory::ComponentTree tree = testing::piecesOfUNet();
        const std::string name = "lora_unet_down_blocks_0_attentions_0_proj_in";
        const AdapterShapes asMatrix = {{name + ".lora_down.weight", {4, 320}},
                                        {name + ".lora_up.weight", {320, 4}}};
        const AdapterShapes asConvolution = {{name + ".lora_down.weight", {4, 320, 1, 1}},
                                             {name + ".lora_up.weight", {320, 4, 1, 1}}};
        QCOMPARE(bound(asMatrix, tree).layers.size(), size_t{1});
        QCOMPARE(bound(asConvolution, tree).layers.size(), size_t{1});
        for (memory::Weight& weight : tree.weights) {
            if (weight.name.ends_with("proj_in.weight")) {
                weight.shape = {320, 320};
            }
        }
        QCOMPARE(bound(asMatrix, tree).layers.size(), size_t{1});
        QCOMPARE(bound(asConvolution, tree).layers.size(), size_t{1});
    }

    void biasesAndNormsAreChanged() {
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const auto binding = bound({{"lora_unet_conv_in.diff", {320, 4, 3, 3}},
                                    {"lora_unet_conv_in.diff_b", {320}},
                                    {"lora_unet_down_blocks_0_resnets_0_norm1.w_norm", {320}},
                                    {"lora_unet_down_blocks_0_resnets_0_norm1.b_norm", {320}}},
                                   tree);
        std::vector<std::string> names;
        for (const BoundLayer& layer : binding.layers) {
            names.push_back(tree.weights[layer.weight].name);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"conv_in.weight",
                                           "conv_in.bias",
                                           "down_blocks.0.resnets.0.norm1.weight",
                                           "down_blocks.0.resnets.0.norm1.bias"}));
    }

    void aBiasThatIsNotThereHasNoTarget() {
        const auto binding = bound({{std::string("unet.") + kLayer + "attn1.to_q.diff_b", {320}}},
                                   testing::piecesOfUNet());
        QVERIFY(binding.layers.empty());
        QCOMPARE(binding.unmatched.size(), size_t{1});
    }

    void aFusedLayerIsParted_data() {
        QTest::addColumn<QString>("layer");
        QTest::newRow("OpenCLIP") << "transformer.resblocks.0.attn.in_proj";
        QTest::newRow("kohya") << "lora_te_transformer_resblocks_0_attn_in_proj";
    }

    void aFusedLayerIsParted() {
        QFETCH(QString, layer);
        const memory::ComponentTree tree = testing::pieceOfText("text_model.");
        const auto binding = bound(testing::loraOf(layer.toStdString(), 3 * 768, 768, 4), tree);

        QCOMPARE(binding.layers.size(), size_t{3});
        int64_t first = 0;
        const char* parts[] = {"q_proj", "k_proj", "v_proj"};
        for (size_t i = 0; i < 3; ++i) {
            const BoundLayer& part = binding.layers[i];
            QVERIFY(tree.weights[part.weight].name.ends_with(std::string(parts[i]) + ".weight"));
            QVERIFY(part.rows);
            QCOMPARE(part.rows->first, first);
            QCOMPARE(part.rows->count, 768);
            const models::TensorLocation& up = part.layer.factors.at("up").location;
            QCOMPARE(up.shape, (Shape{768, 4}));
            // `down` is the first tensor of the file, [4, 768].
            QCOMPARE(up.offset, (4 * 768 + first * 4) * sizeOf(DType::F32));
            QCOMPARE(part.layer.factors.at("down").location.offset, 0);
            QCOMPARE(part.layer.scale(), 1.0);
            first += 768;
        }
    }

    void queriesOfTheContextAreNoPartOfTheirKeys() {
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const std::string block = std::string("unet.") + kLayer;
        QCOMPARE(bound(testing::loraOf(block + "attn1.to_qkv", 960, 320, 4), tree).layers.size(),
                 size_t{3});
        QCOMPARE(bound(testing::loraOf(block + "attn2.to_kv", 640, 768, 4), tree).layers.size(),
                 size_t{2});
    }

    void aFusedProductCannotBeParted() {
        const auto error = testing::errorOf([&] {
            (void)bound({{"transformer.resblocks.0.attn.in_proj.lokr_w1", {3, 1}},
                         {"transformer.resblocks.0.attn.in_proj.lokr_w2", {768, 768}}},
                        testing::pieceOfText("text_model."));
        });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY2(error->message().str().find("cannot be parted") != std::string::npos,
                 error->what());
    }

    /// Two modules whose names are one with '_' for '.'.
    void aNameOfTwoIsRefused() {
        const memory::ComponentTree tree = testing::treeOf(
            "denoiser", "Net", {{"a.b_c.weight", {8, 8}}, {"a_b.c.weight", {8, 8}}});
        const auto error = testing::errorOf(
            [&] { (void)bound(testing::loraOf("lora_unet_a_b_c", 8, 8, 2), tree); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY2(error->message().str().find("a.b_c and a_b.c") != std::string::npos,
                 error->what());
        QCOMPARE(locationOf("unet.a.b_c", 8, 8, tree), QString("a.b_c.weight"));
    }

    /// LDM numbers blocks by the resnets of a level: where levels differ, its names mean nothing.
    void unevenLevelsHaveNoNamesOfLdm() {
        memory::ComponentTree tree = testing::piecesOfUNet();
        const auto id = static_cast<memory::WeightId>(tree.weights.size());
        tree.weights.push_back(
            {.name = "down_blocks.1.resnets.0.conv1.weight", .shape = {320, 320, 3, 3}});
        tree.leaves.push_back({.name = "down_blocks.1.resnets.0.conv1", .weights = {id}});
        QCOMPARE(locationOf("lora_unet_input_blocks_1_1_proj_in", 320, 320, tree), QString());
        QCOMPARE(locationOf("lora_unet_down_blocks_0_attentions_0_proj_in", 320, 320, tree),
                 QString("down_blocks.0.attentions.0.proj_in.weight"));
    }
};

LOWTIDE_TEST(AdapterNamesTest)

}  // namespace adapter_names_test

#include "adapter_names_test.moc"
