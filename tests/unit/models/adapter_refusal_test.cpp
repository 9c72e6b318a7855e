#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <limits>

namespace adapter_refusal_test {

using namespace lowtide;
using testing::AdapterNumber;
using testing::AdapterShapes;

namespace {

struct Refused {
    const char* row;
    AdapterShapes shapes;
    ErrorKind kind;
    std::vector<std::string> expected;
};

const std::string kProjIn = "lora_unet_down_blocks_0_attentions_0_proj_in";

AdapterShapes kohyaLora(const std::string& layer, int64_t out, int64_t in, int64_t rank) {
    return {{layer + ".lora_down.weight", {rank, in}}, {layer + ".lora_up.weight", {out, rank}}};
}

AdapterShapes together(AdapterShapes one, const AdapterShapes& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

AdapterShapes halves(size_t count) {
    AdapterShapes shapes;
    for (size_t i = 0; i < count; ++i) {
        shapes.push_back({"lora_unet_l" + std::to_string(i) + ".lora_down.weight", {4, 8}});
    }
    return shapes;
}

QString missedPart(const Error& error, const std::vector<std::string>& expected) {
    for (const std::string& part : expected) {
        if (error.message().str().find(part) == std::string::npos) {
            return QString::fromStdString("\"" + part + "\" is not in: " + error.message().str());
        }
    }
    return "";
}

const std::vector<Refused>& refusedHeaders() {
    static const std::vector<Refused> all = {
        {"down without up",
         {{kProjIn + ".lora_down.weight", {4, 320}}},
         ErrorKind::Corrupt,
         {"\"f.safetensors\"", "1 of 1 layers are incomplete", kProjIn, "without up"}},
        {"half of the keys",
         halves(24),
         ErrorKind::Corrupt,
         {"24 of 24 layers are incomplete", "lora_unet_l0.lora_down.weight", "and 14 more"}},
        {"LoHa without w2_b",
         {{"lora_unet_x.hada_w1_a", {8, 4}},
          {"lora_unet_x.hada_w1_b", {4, 8}},
          {"lora_unet_x.hada_w2_a", {8, 4}}},
         ErrorKind::Corrupt,
         {"incomplete", "without w2_b"}},
        {"LoHa with one core",
         {{"lora_unet_x.hada_w1_a", {4, 8}},
          {"lora_unet_x.hada_w1_b", {4, 8}},
          {"lora_unet_x.hada_w2_a", {4, 8}},
          {"lora_unet_x.hada_w2_b", {4, 8}},
          {"lora_unet_x.hada_t1", {4, 4, 3, 3}}},
         ErrorKind::Corrupt,
         {"incomplete", "without t2"}},
        {"LoKr without w1",
         {{"lora_unet_x.lokr_w2_a", {8, 4}}, {"lora_unet_x.lokr_w2_b", {4, 8}}},
         ErrorKind::Corrupt,
         {"incomplete", "without w1"}},
        {"DoRA alone", {{"lora_unet_x.dora_scale", {8, 1}}}, ErrorKind::Corrupt, {"without up"}},
        {"rank 0",
         kohyaLora(kProjIn, 320, 320, 0),
         ErrorKind::Corrupt,
         {kProjIn + ".lora_", "rank 0"}},
        {"ranks that differ",
         {{kProjIn + ".lora_down.weight", {4, 320}}, {kProjIn + ".lora_up.weight", {320, 8}}},
         ErrorKind::Corrupt,
         {kProjIn + ".lora_up.weight\" [320, 8]", "[4, 320]", "do not make one delta"}},
        {"one tensor of one axis",
         {{kProjIn + ".lora_down.weight", {4}}, {kProjIn + ".lora_up.weight", {320, 4}}},
         ErrorKind::Corrupt,
         {"do not make one delta"}},
        {"a difference of one number",
         {{"lora_unet_x.diff", {}}},
         ErrorKind::Corrupt,
         {"lora_unet_x.diff", "one number"}},
        {"a part twice",
         together(testing::loraOf("unet.x", 8, 8, 4), {{"unet.x.lora_A.default.weight", {4, 8}}}),
         ErrorKind::Corrupt,
         {"unet.x.lora_A.default.weight", "unet.x.lora_A.weight", "one part of one layer"}},
        {"one layer of two encoders' spellings",
         together(kohyaLora("lora_te_x", 8, 8, 4), kohyaLora("lora_te1_x", 8, 8, 4)),
         ErrorKind::Corrupt,
         {"lora_te_x", "lora_te1_x", "one part of one layer"}},
        {"two kinds",
         together(kohyaLora(kProjIn, 320, 320, 4), {{kProjIn + ".diff", {320, 320}}}),
         ErrorKind::Corrupt,
         {kProjIn + ".diff", kProjIn + ".lora_", "in two ways"}},
        {"DoRA of a difference",
         {{"lora_unet_x.diff", {8, 8}}, {"lora_unet_x.dora_scale", {8, 1}}},
         ErrorKind::Unsupported,
         {"lora_unet_x.dora_scale", "DoRA"}},
        {"OFT", {{"lora_unet_x.oft_blocks", {2, 8, 8}}}, ErrorKind::Unsupported, {"OFT"}},
        {"GLoRA", {{"lora_unet_x.a1.weight", {2, 8}}}, ErrorKind::Unsupported, {"GLoRA"}},
        {"a fourth encoder",
         kohyaLora("lora_te4_x", 8, 8, 4),
         ErrorKind::Unsupported,
         {"no adapter", "lora_te4_x.lora_down.weight"}},
        {"a checkpoint",
         {{"model.diffusion_model.input_blocks.0.0.weight", {320, 4, 3, 3}}},
         ErrorKind::Unsupported,
         {"\"f.safetensors\" is no adapter", "a whole checkpoint"}},
        {"a VAE",
         {{"decoder.mid_block.resnets.0.conv1.weight", {4, 4}}},
         ErrorKind::Unsupported,
         {"autoencoder (VAE)"}},
        {"a UNet",
         {{"down_blocks.0.resnets.0.conv1.weight", {4, 4, 3, 3}}},
         ErrorKind::Unsupported,
         {"a whole denoiser"}},
        {"a ControlNet",
         {{"control_model.input_blocks.0.0.weight", {4, 4}}},
         ErrorKind::Unsupported,
         {"a ControlNet"}},
        {"diffusers' ControlNet",
         {{"controlnet_cond_embedding.conv_in.weight", {4, 4}},
          {"down_blocks.0.resnets.0.conv1.weight", {4, 4}}},
         ErrorKind::Unsupported,
         {"a ControlNet"}},
        {"a Control-LoRA",
         together(kohyaLora("lora_unet_x", 8, 8, 4), {{"lora_controlnet", {1}}}),
         ErrorKind::Unsupported,
         {"Control-LoRA"}},
        {"an IP-Adapter",
         {{"ip_adapter.1.to_k_ip.weight", {4, 4}}},
         ErrorKind::Unsupported,
         {"IP-Adapter"}},
        {"an embedding", {{"emb_params", {4, 768}}}, ErrorKind::Unsupported, {"embedding"}},
        {"a text encoder",
         {{"text_model.encoder.layers.0.mlp.fc1.weight", {4, 4}}},
         ErrorKind::Unsupported,
         {"text encoder"}},
        {"something else", {{"a", {4}}, {"b", {4}}}, ErrorKind::Unsupported, {"a, b"}},
        {"nothing", {}, ErrorKind::Unsupported, {"no tensors"}},
    };
    return all;
}

}  // namespace

/// Files that are no adapters, or damaged ones, and adapters of other models.
class AdapterRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void headersThatAreRefused_data() { testing::addEach(refusedHeaders(), &Refused::row); }

    void headersThatAreRefused() {
        QFETCH(int, index);
        const Refused& refused = refusedHeaders()[static_cast<size_t>(index)];
        const auto error = testing::errorOf(
            [&] { (void)models::readAdapterHeader(testing::headerOf(refused.shapes)); });
        QVERIFY(error);
        QCOMPARE(error->kind(), refused.kind);
        QVERIFY(!error->hint().empty());
        QCOMPARE(missedPart(*error, refused.expected), QString());
    }

    void typesAndStridesAreChecked() {
        models::WeightFileHeader header = testing::headerOf(kohyaLora(kProjIn, 320, 320, 4));
        models::TensorLocation& up = header.map.tensors.at(kProjIn + ".lora_up.weight");
        up.type = DType::I8;
        auto error = testing::errorOf([&] { (void)models::readAdapterHeader(header); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QCOMPARE(missedPart(*error, {kProjIn + ".lora_up.weight", "I8"}), QString());
        up.type = DType::F16;
        up.isRowMajor = false;
        error = testing::errorOf([&] { (void)models::readAdapterHeader(header); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(missedPart(*error, {kProjIn + ".lora_up.weight", "row by row"}), QString());
    }

    void alphasAreFiniteNumbers_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("elements");
        const double infinite = std::numeric_limits<double>::infinity();
        const double none = std::numeric_limits<double>::quiet_NaN();
        for (const DType type : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
            const std::string name(nameOf(type));
            QTest::addRow("%s NaN", name.c_str()) << static_cast<int>(type) << none << 1;
            QTest::addRow("%s infinite", name.c_str()) << static_cast<int>(type) << infinite << 1;
        }
        QTest::newRow("two numbers") << static_cast<int>(DType::F32) << 4.0 << 2;
        QTest::newRow("none") << static_cast<int>(DType::F32) << 4.0 << 0;
    }

    void alphasAreFiniteNumbers() {
        QFETCH(int, type);
        QFETCH(double, value);
        QFETCH(int, elements);
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.safetensors").toStdString();
        const AdapterNumber alpha{
            static_cast<DType>(type), value, elements == 1 ? Shape{} : Shape{elements}};
        testing::writeAdapter(path, kohyaLora(kProjIn, 32, 32, 4), {{kProjIn + ".alpha", alpha}});

        const auto error = testing::errorOf([&] { (void)models::openAdapterFile(path); });

        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QCOMPARE(missedPart(*error, {"\"a.safetensors\"", kProjIn + ".alpha"}), QString());
    }

    void aFlagIsZeroOrOne() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.safetensors").toStdString();
        testing::writeAdapter(path,
                              {{"lora_unet_conv_in.weight", {1, 320, 1, 1}}},
                              {{"lora_unet_conv_in.on_input", {DType::I64, 2}}});
        const auto error = testing::errorOf([&] { (void)models::openAdapterFile(path); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QCOMPARE(missedPart(*error, {"lora_unet_conv_in.on_input", "neither 0 nor 1"}), QString());
    }

    void peftsConfigIsChecked_data() {
        const testing::Rows<QString, QString> row("metadata", "expected");
        row("no JSON", "{", "lora_adapter_metadata");
        row("a text", R"({"unet.lora_alpha": "4"})", "lora_alpha");
        row("rank 0", R"({"unet.r": 0})", "rank");
        row("a regular expression",
            R"({"unet.alpha_pattern": {".*attn1.*": 4}})",
            "regular expression");
    }

    void peftsConfigIsChecked() {
        QFETCH(QString, metadata);
        QFETCH(QString, expected);
        const auto header = testing::headerOf(testing::loraOf("unet.x", 8, 8, 4),
                                              {{"lora_adapter_metadata", metadata.toStdString()}});
        const auto error = testing::errorOf([&] { (void)models::readAdapterHeader(header); });
        QVERIFY(error);
        QCOMPARE(missedPart(*error, {"\"f.safetensors\"", expected.toStdString()}), QString());
    }

    void shapesThatDoNotFitAreNamed() {
        const models::AdapterFile file = models::readAdapterHeader(testing::headerOf(together(
            kohyaLora(kProjIn, 320, 640, 4), {{"lora_unet_conv_in.diff", {320, 4, 1, 1}}})));
        const auto error = testing::errorOf(
            [&] { (void)models::bindAdapter(file, "denoiser", testing::piecesOfUNet(), "base"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(missedPart(*error,
                            {"\"f.safetensors\"",
                             "denoiser of checkpoint base",
                             kProjIn + ".lora_down.weight makes [320, 640]",
                             "down_blocks.0.attentions.0.proj_in.weight needs [320, 320, 1, 1]",
                             "lora_unet_conv_in.diff makes [320, 4, 1, 1]",
                             "conv_in.weight needs [320, 4, 3, 3]"}),
                 QString());
    }

    void doraOfAnotherSizeIsNamed() {
        const models::AdapterFile file = models::readAdapterHeader(testing::headerOf(
            together(kohyaLora(kProjIn, 320, 320, 4), {{kProjIn + ".dora_scale", {319, 1}}})));
        const auto error = testing::errorOf(
            [&] { (void)models::bindAdapter(file, "denoiser", testing::piecesOfUNet(), "base"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
    }

    void oneWeightTwiceIsNamed() {
        const models::AdapterFile file = models::readAdapterHeader(testing::headerOf(
            together(kohyaLora(kProjIn, 320, 320, 4),
                     kohyaLora("lora_unet_input_blocks_1_1_proj_in", 320, 320, 4))));
        const auto error = testing::errorOf(
            [&] { (void)models::bindAdapter(file, "denoiser", testing::piecesOfUNet(), "base"); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QCOMPARE(missedPart(*error,
                            {kProjIn,
                             "lora_unet_input_blocks_1_1_proj_in",
                             "both change down_blocks.0.attentions.0.proj_in.weight"}),
                 QString());
    }

    void anotherFamilyIsNamed_data() {
        QTest::addColumn<QString>("layer");
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("expected");
        const char* const key = "lora_unet_input_blocks_1_1_transformer_blocks_0_attn2_to_k";
        QTest::newRow("SD 2.x") << key << 1024 << "LoRA for SD 2.x, rank 4, UNet, 1 layer;";
        QTest::newRow("SDXL") << key << 2048 << "LoRA for SDXL, rank 4, UNet, 1 layer;";
        QTest::newRow("refiner") << key << 1280 << "LoRA for the SDXL refiner,";
        QTest::newRow("none known") << key << 48 << "LoRA for networks with a context 48 wide,";
        QTest::newRow("Flux") << "lora_unet_double_blocks_0_img_attn_qkv" << 3072
                              << "LoRA for FLUX.1,";
        QTest::newRow("Chroma") << "lora_unet_distilled_guidance_layer_layers_0_in_layer" << 5120
                                << "LoRA for Chroma,";
        for (const char* name : {"lora_unet_double_blocks_0_img_mlp_fc1",
                                 "diffusion_model.double_blocks.0.img_attn_qkv",
                                 "lora_unet_txt_in_individual_token_refiner_blocks_0_self_attn_qkv",
                                 "transformer.context_embedder.token_refiner.refiner_blocks.0.attn"
                                 ".to_q"}) {
            QTest::newRow(name) << name << 3072 << "LoRA for HunyuanVideo or a relative,";
        }
        QTest::newRow("more blocks") << "lora_unet_double_blocks_19_img_attn_qkv" << 3072
                                     << "LoRA for networks with more blocks than FLUX.1,";
        QTest::newRow("HiDream") << "lora_unet_double_stream_blocks_0_block_attn1_to_q" << 2560
                                 << "LoRA for HiDream-I1,";
        QTest::newRow("WAN") << "diffusion_model.blocks.0.cross_attn.k" << 5120
                             << "LoRA for WAN 14B,";
    }

    void anotherFamilyIsNamed() {
        QFETCH(QString, layer);
        QFETCH(int, width);
        QFETCH(QString, expected);
        const models::AdapterFile file = models::readAdapterHeader(
            testing::headerOf(kohyaLora(layer.toStdString(), width, width, 4)));
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const models::AdapterTarget target{"denoiser", &tree};
        const auto error = testing::errorOf(
            [&] { (void)models::bindWholeAdapter(file, std::span(&target, 1), "base"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(missedPart(*error,
                            {"\"f.safetensors\" is " + expected.toStdString(),
                             "checkpoint base needs one for SD 1.x"}),
                 QString());
    }

    /// Most of their layers have FLUX.1's names and shapes: one that it cannot have tells them
    /// apart.
    void relativesOfFluxAreRefused_data() {
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("expected");
        for (const char* name : {"lora_unet_double_blocks_18_img_attn_qkv",
                                 "lora_unet_single_blocks_37_linear1",
                                 "transformer.single_transformer_blocks.19.attn.to_q",
                                 "lora_transformer_single_transformer_blocks_19_attn_to_q"}) {
            QTest::addRow("FLUX.1, %s", name) << name << "";
        }
        for (const char* name : {"lora_unet_double_blocks_19_img_attn_qkv",
                                 "lora_unet_single_blocks_38_linear1",
                                 "diffusion_model.single_blocks.38.linear2",
                                 "transformer.single_transformer_blocks.38.attn.to_q",
                                 "transformer.transformer_blocks.19.attn.to_q",
                                 "transformer_blocks.19.attn.add_k_proj",
                                 "lora_unet_transformer_blocks_19_attn_to_q"}) {
            QTest::addRow("more blocks, %s", name)
                << name << "networks with more blocks than FLUX.1";
        }
        QTest::newRow("HunyuanVideo, musubi-tuner") << "lora_unet_double_blocks_0_img_mlp_fc1"
                                                    << "HunyuanVideo or a relative";
        QTest::newRow("HunyuanVideo, its own names")
            << "diffusion_model.double_blocks.0.txt_attn_qkv"
            << "HunyuanVideo or a relative";
        QTest::newRow("Chroma") << "diffusion_model.distilled_guidance_layer.layers.0.in_layer"
                                << "Chroma";
    }

    void relativesOfFluxAreRefused() {
        QFETCH(QString, other);
        QFETCH(QString, expected);
        const memory::ComponentTree tree =
            testing::treeOf("denoiser",
                            "FluxTransformer2DModel",
                            {{"single_transformer_blocks.0.proj_out.weight", {3072, 15360}}});
        const models::AdapterTarget target{"denoiser", &tree};
        const models::AdapterFile file = models::readAdapterHeader(testing::headerOf(
            together(kohyaLora("lora_unet_single_blocks_0_linear2", 3072, 15360, 4),
                     kohyaLora(other.toStdString(), 9216, 3072, 4))));
        size_t bound = 0;
        const auto error = testing::errorOf([&] {
            bound = models::bindWholeAdapter(file, std::span(&target, 1), "base")
                        .bindings.front()
                        .layers.size();
        });
        if (expected.isEmpty()) {
            QCOMPARE(bound, size_t{1});
            return;
        }
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(missedPart(*error,
                            {"\"f.safetensors\" is LoRA for " + expected.toStdString() + ", rank 4",
                             "checkpoint base needs one for FLUX.1"}),
                 QString());
    }

    void nothingThatMatchesIsReported() {
        const models::AdapterFile file = models::readAdapterHeader(
            testing::headerOf(kohyaLora("lora_unet_no_such_layer", 320, 320, 4)));
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const models::AdapterTarget target{"denoiser", &tree};
        const auto error = testing::errorOf(
            [&] { (void)models::bindWholeAdapter(file, std::span(&target, 1), "base"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(missedPart(*error,
                            {"none of its layers matches checkpoint base",
                             "SD 1.x",
                             "lora_unet_no_such_layer"}),
                 QString());
    }

    /// By the reader of torch files, before a name is seen.
    void bombsAreRefused_data() {
        QTest::addColumn<QString>("seed");
        QTest::newRow("bomb") << "bomb";
        QTest::newRow("compressed") << "compressed";
    }

    void bombsAreRefused() {
        QFETCH(QString, seed);
        const QTemporaryDir folder;
        const QString path = folder.filePath("lora.pt");
        QVERIFY(
            QFile::copy(testing::buildPath("tests/fuzz/inputs/torch_file/seeds/" + seed), path));
        const auto error =
            testing::errorOf([&] { (void)models::openAdapterFile(path.toStdString()); });
        QVERIFY(error);
        QCOMPARE(missedPart(*error, {"lora.pt"}), QString());
    }
};

LOWTIDE_TEST(AdapterRefusalTest)

}  // namespace adapter_refusal_test

#include "adapter_refusal_test.moc"
