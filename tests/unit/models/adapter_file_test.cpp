#include "plugin/base/json.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/files/input_file.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace adapter_file_test {

using namespace lowtide;
using models::AdapterFile;
using models::AdapterLayer;
using testing::AdapterNumber;
using testing::AdapterShapes;

namespace {

constexpr int64_t kRank = 48;
constexpr int64_t kWidth = 1280;

/// Of SDXL's size: 800 layers, each of its alphas between weights, as tools write them. No byte of
/// the weights is on the disk.
Bytes writeHollow(const QString& path) {
    Json header = Json::object();
    Bytes end = 0;
    const auto add = [&](const std::string& key, const Shape& shape) {
        const Bytes bytes = elementCount(shape).value() * sizeOf(DType::F16);
        header[key] = {{"dtype", "F16"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
        end += bytes;
    };
    for (int block = 0; block < 100; ++block) {
        for (const char* part : {"attn1_to_q",
                                 "attn1_to_k",
                                 "attn1_to_v",
                                 "attn1_to_out_0",
                                 "attn2_to_q",
                                 "attn2_to_k",
                                 "attn2_to_v",
                                 "attn2_to_out_0"}) {
            const std::string layer = "lora_unet_input_blocks_7_1_transformer_blocks_" +
                                      std::to_string(block) + "_" + part;
            add(layer + ".alpha", {});
            add(layer + ".lora_down.weight", {kRank, kWidth});
            add(layer + ".lora_up.weight", {kWidth, kRank});
        }
    }
    const std::string text = header.dump();
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return 0;
    }
    uint64_t length = text.size();
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file.write(text.data(), static_cast<qint64>(text.size()));
    file.resize(static_cast<qint64>(sizeof length + text.size()) + end);
    return static_cast<Bytes>(text.size());
}

/// What this process has read from files.
int64_t bytesRead() {
    QFile file("/proc/self/io");
    (void)file.open(QIODevice::ReadOnly);
    return file.readLine().mid(7).trimmed().toLongLong();  // "rchar: "
}

AdapterShapes kohyaLora(const std::string& layer, int64_t out, int64_t in, int64_t rank) {
    return {{layer + ".lora_down.weight", {rank, in}}, {layer + ".lora_up.weight", {out, rank}}};
}

std::string whatIs(const AdapterShapes& shapes) {
    return models::whatAdapterIs(testing::headerOf(shapes)).str();
}

}  // namespace

/// What is read of a file, and when.
class AdapterFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Goal: ten files of 200 MB in 0.2 s of the processor, and none of their weights.
    void tenLargeFilesOpenAtOnce() {
        const QTemporaryDir folder;
        std::vector<std::string> paths;
        Bytes headers = 0;
        for (int i = 0; i < 10; ++i) {
            const QString path = folder.filePath(QString("%1.safetensors").arg(i));
            headers += writeHollow(path);
            paths.push_back(path.toStdString());
        }
        QVERIFY(QFileInfo(QString::fromStdString(paths[0])).size() > 190'000'000);
        const int64_t before = bytesRead();
        const testing::CpuTimer timer;

        size_t layers = 0;
        for (const std::string& path : paths) {
            layers += models::openAdapterFile(path).layers.size();
        }

        const double seconds = timer.milliseconds() / 1000;
        const int64_t read = bytesRead() - before;
        qInfo("ten files of 200 MB: %.3f s (goal 0.2 s), %.2f MB read of %.2f MB of headers",
              seconds,
              static_cast<double>(read) * 1e-6,
              static_cast<double>(headers) * 1e-6);
        QCOMPARE(layers, size_t{8000});
        QVERIFY(seconds < 10 * 0.2);
        // Headers once, the number of their bytes, 800 alphas of two bytes each.
        QVERIFY2(read < headers + 10 * 8 * kKiB, "weights were read");
    }

    void alphasOfEveryType_data() {
        const testing::Rows<DType, double, double> row("type", "alpha", "scale");
        row("f16", DType::F16, 6, 1.5);
        row("bf16", DType::BF16, 6, 1.5);
        row("f32", DType::F32, 1, 0.25);
        row("f64", DType::F64, 0.1, 0.025);
        row("i64", DType::I64, 16, 4);
        row("negative", DType::F32, -4, -1);
        row("none: kohya and LyCORIS take the rank", DType::F32, 0, 1);
    }

    void alphasOfEveryType() {
        QFETCH(DType, type);
        QFETCH(double, alpha);
        QFETCH(double, scale);
        for (const Shape& shape : {Shape{}, Shape{1}}) {
            const QTemporaryDir folder;
            const std::string path = folder.filePath("a.safetensors").toStdString();
            testing::writeAdapter(path,
                                  kohyaLora("lora_unet_a", 8, 8, 4),
                                  {{"lora_unet_a.alpha", {type, alpha, shape}},
                                   {"lora_unet_b.alpha", {DType::F32, 77}}});
            const AdapterFile file = models::openAdapterFile(path);
            QCOMPARE(file.layers.size(), size_t{1});
            QCOMPARE(file.layers[0].alpha, std::optional(alpha));
            QCOMPARE(file.layers[0].scale(), scale);
            QCOMPARE(file.unread, std::vector<std::string>{"lora_unet_b.alpha"});
        }
    }

    /// Alphas that lie apart and side by side are those of their own layers.
    void everyAlphaIsItsLayers() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.safetensors").toStdString();
        AdapterShapes shapes;
        std::map<std::string, AdapterNumber> alphas;
        for (int i = 0; i < 20; ++i) {
            const std::string layer = "lora_unet_l" + std::to_string(i);
            const int64_t width = i % 3 == 0 ? 3000 : 2;
            for (const auto& each : kohyaLora(layer, width, 2, 1)) {
                shapes.push_back(each);
            }
            alphas[layer + ".alpha"] = {i % 2 == 0 ? DType::F32 : DType::F16,
                                        static_cast<double>(i + 1)};
        }
        testing::writeAdapter(path, shapes, alphas);
        for (const AdapterLayer& layer : models::openAdapterFile(path).layers) {
            const int number = std::stoi(layer.module.substr(1));
            QCOMPARE(layer.alpha, std::optional<double>(number + 1));
        }
    }

    void numbersComeInTheOrderAskedFor() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.safetensors").toStdString();
        testing::writeAdapter(
            path,
            {{"m", {3000}}},
            {{"a", {DType::F32, 1}}, {"b", {DType::F16, 2}}, {"z", {DType::F64, 3}}});
        const models::WeightMap map = models::openWeightFile(path).map;
        const std::string names[] = {"z", "a", "b", "a"};
        QCOMPARE(models::readScalars(map, names), (std::vector<double>{3, 1, 2, 1}));
    }

    void flagsStateWhatScalesActOn() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.safetensors").toStdString();
        testing::writeAdapter(
            path,
            {{"lora_unet_a.weight", {8}}, {"lora_unet_b.weight", {1, 8, 1, 1}}},
            {{"lora_unet_a.on_input", {DType::I64, 1}}, {"lora_unet_b.on_input", {DType::F16, 0}}});
        const AdapterFile file = models::openAdapterFile(path);
        QCOMPARE(file.layers.size(), size_t{2});
        QVERIFY(file.layers[0].factors.contains("on_input"));
        QVERIFY(file.layers[1].factors.contains("on_output"));
    }

    /// LyCORIS stores an alpha with whole matrices, and makes nothing of it.
    void kroneckerRanks() {
        const auto layerOf = [](const AdapterShapes& shapes) {
            return models::readAdapterHeader(testing::headerOf(shapes)).layers.at(0);
        };
        const AdapterLayer whole = layerOf({{"lora_unet_a.lokr_w1", {4, 4}},
                                            {"lora_unet_a.lokr_w2", {80, 80}},
                                            {"lora_unet_a.alpha", {}}});
        QVERIFY(!whole.rank && whole.alphaKey.empty());
        const AdapterLayer second = layerOf({{"lora_unet_a.lokr_w1_a", {4, 2}},
                                             {"lora_unet_a.lokr_w1_b", {2, 4}},
                                             {"lora_unet_a.lokr_w2_a", {80, 6}},
                                             {"lora_unet_a.lokr_w2_b", {6, 80}}});
        QCOMPARE(second.rank, std::optional<int64_t>(6));
        const auto unreadOf = [](const AdapterShapes& shapes) {
            return models::readAdapterHeader(testing::headerOf(shapes)).unread;
        };
        QCOMPARE(unreadOf({{"lora_unet_a.lokr_w1", {4, 4}},
                           {"lora_unet_a.lokr_w2", {80, 80}},
                           {"lora_unet_a.alpha", {}}}),
                 std::vector<std::string>());
        QCOMPARE(unreadOf({{"lora_unet_a.diff", {4, 4}}, {"lora_unet_a.alpha", {}}}),
                 std::vector<std::string>{"lora_unet_a.alpha"});
    }

    /// A bias of lora_B is multiplied as its weight is.
    void aBiasGoesWithItsWeight() {
        const AdapterFile file = models::readAdapterHeader(testing::headerOf(
            {{"unet.conv_in.lora_A.weight", {4, 4, 3, 3}},
             {"unet.conv_in.lora_B.weight", {320, 4, 1, 1}},
             {"unet.conv_in.lora_B.bias", {320}}},
            {{"lora_adapter_metadata", R"({"unet.lora_alpha": 8, "unet.use_rslora": true})"}}));
        QCOMPARE(file.layers.size(), size_t{2});
        QVERIFY(file.layers[1].isBias && file.layers[1].kind == "difference");
        QCOMPARE(file.layers[0].scale(), 4.0);  // 8 / sqrt(4)
        QCOMPARE(file.layers[1].scale(), 4.0);
    }

    void metadataOfEveryComponentIsRead_data() {
        const testing::Rows<QString, QString> add("prefix", "component");
        const auto row = [&](const char* prefix, const char* component) {
            add(prefix, prefix, component);
        };
        row("unet.", "denoiser");
        row("transformer.", "denoiser");
        row("transformer_2.", "denoiser_2");
        row("diffusion_model.", "denoiser");
        row("text_encoder.", "text_encoder");
        row("text_encoder_2.", "text_encoder_2");
        row("text_encoder_3.", "text_encoder_3");
        row("text_encoder_4.", "text_encoder_4");
        row("", "denoiser");
    }

    /// Every name that is read of tensors, and one network alone (save_lora_adapter of diffusers).
    void metadataOfEveryComponentIsRead() {
        QFETCH(QString, prefix);
        QFETCH(QString, component);
        const std::string name = prefix.toStdString();
        const AdapterFile file = models::readAdapterHeader(
            testing::headerOf({{name + "layers.3.to_q.lora_A.weight", {4, 48}},
                               {name + "layers.3.to_q.lora_B.weight", {48, 4}}},
                              {{"lora_adapter_metadata",
                                R"({")" + name + R"(r": 4, ")" + name + R"(lora_alpha": 16, ")" +
                                    name + R"(alpha_pattern": {"to_k": 1}})"}}));
        QCOMPARE(file.layers.size(), size_t{1});
        QCOMPARE(file.layers[0].component, component.toStdString());
        QCOMPARE(file.layers[0].scale(), 4.0);
        QVERIFY(file.unknownComponents.empty());
    }

    /// The file of diffusers' save_lora_weights for WAN: alpha 16 and rank 4.
    void alphaOfATransformerIsRead() {
        const AdapterFile file = models::openAdapterFile(
            testing::sourcePath("tests/unit/models/wan_lora_with_metadata.safetensors")
                .toStdString());
        QVERIFY(!file.layers.empty());
        for (const models::AdapterLayer& layer : file.layers) {
            QCOMPARE(layer.scale(), 4.0);
        }
    }

    void metadataOfNobodyIsReported() {
        const AdapterFile file = models::readAdapterHeader(testing::headerOf(
            {{"transformer.layers.3.to_q.lora_A.weight", {4, 48}},
             {"transformer.layers.3.to_q.lora_B.weight", {48, 4}}},
            {{"lora_adapter_metadata", R"({"prior.r": 4, "prior.lora_alpha": 16})"}}));
        QCOMPARE(file.unknownComponents, std::vector<std::string>{"prior"});
        QCOMPARE(file.layers[0].scale(), 1.0);
    }

    /// Every kind at a weight of its size.
    void everyKindFits_data() { testing::addEach(kinds(), &Kind::first); }

    void everyKindFits() {
        QFETCH(int, index);
        AdapterShapes shapes;
        for (const auto& [ending, shape] : kinds()[static_cast<size_t>(index)].second) {
            shapes.emplace_back("lora_unet_down_blocks_0_resnets_0_conv1" + ending, shape);
        }
        const AdapterFile file = models::readAdapterHeader(testing::headerOf(shapes));
        const auto binding = models::bindAdapter(file, "denoiser", testing::piecesOfUNet(), "base");
        QCOMPARE(binding.layers.size(), size_t{1});
        QVERIFY(binding.unmatched.empty() && file.unread.empty());
    }

    void describesWhatItIs() {
        const std::string block = "lora_unet_input_blocks_1_1_transformer_blocks_0_";
        AdapterShapes xl = kohyaLora(block + "attn2_to_k", 640, 2048, 32);
        QCOMPARE(whatIs(xl), std::string("LoRA for SDXL, rank 32, UNet, 1 layer"));
        const auto add = [&](const AdapterShapes& more) {
            xl.insert(xl.end(), more.begin(), more.end());
        };
        add(kohyaLora("lora_te1_text_model_encoder_layers_0_mlp_fc1", 3072, 768, 8));
        add(kohyaLora("lora_te2_text_model_encoder_layers_0_mlp_fc1", 5120, 1280, 32));
        QCOMPARE(whatIs(xl),
                 std::string("LoRA for SDXL, ranks 8 to 32, UNet, text encoder and text encoder 2, "
                             "3 layers"));
        add({{"lora_unet_conv_in.lora_down.weight", {32, 4, 3, 3}},
             {"lora_unet_conv_in.lora_up.weight", {320, 32, 1, 1}},
             {"lora_unet_conv_in.diff_b", {320}}});
        QCOMPARE(whatIs(xl),
                 std::string("LoCon and full differences for SDXL, ranks 8 to 32, UNet, text "
                             "encoder and text encoder 2, 4 layers"));
    }

    void reportsWhatItIsOfTextAlone() {
        QCOMPARE(whatIs(kohyaLora(
                     "lora_te_text_model_encoder_layers_0_self_attn_q_proj", 1024, 1024, 4)),
                 std::string("LoRA for the text encoder of SD 2.x, rank 4, text encoder, 1 layer"));
    }

    void reportsDora() {
        AdapterShapes shapes = testing::loraOf("unet.mid_block.x.attn2.to_v", 1280, 768, 16);
        shapes.emplace_back("unet.mid_block.x.attn2.to_v.lora_magnitude_vector", Shape{1280});
        QCOMPARE(whatIs(shapes), std::string("DoRA (LoRA) for SD 1.x, rank 16, UNet, 1 layer"));
    }

private:
    using Kind = std::pair<const char*, AdapterShapes>;

    /// Of a weight [320, 320, 3, 3], by the shapes that LyCORIS 4.1.3 and peft 0.21 give them.
    static const std::vector<Kind>& kinds() {
        static const std::vector<Kind> all = {
            {"LoCon", {{".lora_down.weight", {4, 320, 3, 3}}, {".lora_up.weight", {320, 4, 1, 1}}}},
            {"LoCon, Tucker",
             {{".lora_down.weight", {4, 320, 1, 1}},
              {".lora_mid.weight", {4, 4, 3, 3}},
              {".lora_up.weight", {320, 4, 1, 1}}}},
            {"DoRA",
             {{".lora_down.weight", {4, 320, 3, 3}},
              {".lora_up.weight", {320, 4, 1, 1}},
              {".dora_scale", {320, 1, 1, 1}}}},
            {"LoHa",
             {{".hada_w1_a", {320, 4}},
              {".hada_w1_b", {4, 2880}},
              {".hada_w2_a", {320, 4}},
              {".hada_w2_b", {4, 2880}}}},
            {"LoHa, Tucker",
             {{".hada_w1_a", {4, 320}},
              {".hada_w1_b", {4, 320}},
              {".hada_w2_a", {4, 320}},
              {".hada_w2_b", {4, 320}},
              {".hada_t1", {4, 4, 3, 3}},
              {".hada_t2", {4, 4, 3, 3}}}},
            {"LoKr", {{".lokr_w1", {16, 16}}, {".lokr_w2", {20, 20, 3, 3}}}},
            {"LoKr of factors",
             {{".lokr_w1_a", {16, 4}},
              {".lokr_w1_b", {4, 16}},
              {".lokr_w2_a", {20, 4}},
              {".lokr_w2_b", {4, 180}}}},
            {"LoKr, Tucker",
             {{".lokr_w1", {16, 16}},
              {".lokr_t2", {4, 4, 3, 3}},
              {".lokr_w2_a", {4, 20}},
              {".lokr_w2_b", {4, 20}}}},
            {"full", {{".diff", {320, 320, 3, 3}}}},
            {"(IA)3", {{".weight", {1, 320, 1, 1}}, {".on_input", {}}}},
        };
        return all;
    }
};

LOWTIDE_TEST(AdapterFileTest)

}  // namespace adapter_file_test

#include "adapter_file_test.moc"
