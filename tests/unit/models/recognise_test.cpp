#include "plugin/base/json.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace recognise_test {

using namespace lowtide;
using testing::ModelBench;

/// What files and folders are, whatever they are called.
class RecogniseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folders_ = {
            {"single", testing::singleFileFolder()},
            {"quantised",
             testing::quantisedFolder("sd15_1", {"unet_q8_0.gguf", "unet_fp8.safetensors"})},
            {"xl", testing::xlFileFolder()},
            {"folders", testing::goldenFolder() + "/checkpoints"},
            {"upscalers", testing::upscaleGoldenFolder() + "/upscalers"},
            {"mini", testing::sourcePath("resources/mini")}};
    }

    void reportsWhatIsThere_data() {
        const testing::Rows<QString, QString, QString, QString> add(
            "path", "kind", "layout", "family");
        const auto row =
            [&](const char* path, const char* kind, const char* layout, const char* family) {
                add(path, path, kind, layout, family);
            };
        row("mini/model", "checkpoint", "diffusers", "SD 1.x");
        row("folders/sd15_1", "checkpoint", "diffusers", "SD 1.x");
        row("single/sd15_0.safetensors", "checkpoint", "sd_ldm", "SD 1.x");
        row("single/sd15_1.ckpt", "checkpoint", "sd_ldm", "SD 1.x");
        row("single/inpaint_1.safetensors", "checkpoint", "sd_ldm", "SD 1.x inpainting");
        row("single/vae_ldm.ckpt", "autoencoder", "autoencoder", "autoencoder");
        row("single/vae_diffusers.safetensors", "autoencoder", "autoencoder", "autoencoder");
        row("single/vae_prefixed.safetensors", "autoencoder", "autoencoder", "autoencoder");
        const char* small = "networks with a context 96 wide";
        row("quantised/unet_q8_0.gguf", "denoiser", "denoiser", small);
        row("quantised/unet_fp8.safetensors", "denoiser", "denoiser", small);
        const char* inFolder = "folders/sd15_1/unet/diffusion_pytorch_model.safetensors";
        row(inFolder, "denoiser", "denoiser", small);
        row("upscalers/esrgan_0/esrgan_basicsr.safetensors", "upscaler", "", "ESRGAN");
        row("upscalers/esrgan_0/esrgan_old.pth", "upscaler", "", "ESRGAN");
    }

    void reportsWhatIsThere() {
        QFETCH(QString, path);
        ModelBench bench;

        const models::Recognised known = bench.stages().recognise(at(path).toStdString());

        QCOMPARE(known.problem.str(), std::string());
        QTEST(QString::fromStdString(known.kind), "kind");
        QTEST(QString::fromStdString(known.layout), "layout");
        QTEST(QString::fromStdString(known.family), "family");
        QVERIFY(known.isRunnable());
        QVERIFY(known.largest > 0 && known.stored.bytes() >= known.largest);
    }

    void ofXl_data() {
        const testing::Rows<QString, QString> row("path", "layout");
        row("folder", "xl/sdxl_1", "diffusers");
        row("file", "xl/sdxl_1.safetensors", "sdxl_ldm");
        row("refiner", "xl/refiner.safetensors", "sdxl_ldm");
    }

    void ofXl() {
        QFETCH(QString, path);
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(at(path).toStdString());
        // The small refiner's autoencoder has widths that no file states the groups of, and the
        // message describes where to state them.
        const bool isRefused = path.endsWith("refiner.safetensors");
        QVERIFY2((known.problem.str().find("norm groups") != std::string::npos) == isRefused,
                 known.problem.str().c_str());
        QVERIFY((known.problem.str().find("norm_num_groups") != std::string::npos) == isRefused);
        QCOMPARE(known.kind, std::string("checkpoint"));
        QTEST(QString::fromStdString(known.layout), "layout");
        QCOMPARE(known.family, std::string("SDXL"));
        QCOMPARE(known.isRunnable(), !isRefused);
        QVERIFY(known.largest > 0 && known.stored.bytes() > known.largest);
    }

    /// The diffusers layout states which pipeline it is; no family of the program runs that one.
    void ofAFamilyThatIsNotBuilt() {
        const testing::CheckpointCopy copy;
        copy.set("model_index.json", "_class_name", "StableDiffusion3Pipeline");
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(copy.path());
        QCOMPARE(known.problem.str(), std::string());
        QCOMPARE(known.kind, std::string("checkpoint"));
        QCOMPARE(known.family, std::string("StableDiffusion3"));
        QVERIFY(!known.isRunnable());
    }

    /// It is not run here, and so it is no part of what a checkpoint weighs.
    void theSafetyCheckerDoesNotCount() {
        const testing::CheckpointCopy copy;
        ModelBench bench;
        const Bytes weights = bench.stages().recognise(copy.path()).stored.bytes();
        testing::copyFolder(copy.file("text_encoder"), copy.file("safety_checker"));
        copy.set("model_index.json",
                 "safety_checker",
                 Json::array({"stable_diffusion", "StableDiffusionSafetyChecker"}));
        QCOMPARE(bench.stages().recognise(copy.path()).stored.bytes(), weights);
    }

    /// As in a copy of Llama's own folder, which has its tokenizer and its weights.
    void weightsNextToATokenizerDoNotCount() {
        const QTemporaryDir folder;
        const QString copy = folder.filePath("hidream");
        testing::copyFolder(testing::hidreamGoldenFolder() + "/checkpoints/hidream_0", copy);
        ModelBench bench;
        const Bytes weights = bench.stages().recognise(copy.toStdString()).stored.bytes();
        testing::copyFolder(copy + "/text_encoder_4", copy + "/tokenizer_4");
        QCOMPARE(bench.stages().recognise(copy.toStdString()).stored.bytes(), weights);
    }

    void folderAndFileWeighTheSame() {
        ModelBench bench;
        const auto folder = bench.stages().recognise(at("folders/sd15_1").toStdString());
        const auto file = bench.stages().recognise(at("single/sd15_1.safetensors").toStdString());
        QCOMPARE(folder.largest, file.largest);
        // The file has the schedule's buffers and ids of positions besides.
        const Bytes more = file.stored.bytes() - folder.stored.bytes();
        QVERIFY(more >= 0 && more < 16 * kKiB);
    }

    void reportsWhatAnAdapterIs_data() {
        QTest::addColumn<QString>("family");
        QTest::newRow("sd15_0_1/kohya_conv")
            << "LoCon for networks with a context 128 wide, rank 6, UNet and text "
               "encoder, %1 layers";
        QTest::newRow("sdxl_0_0/kohya")
            << "LoRA for networks with a context 192 wide, rank 4, UNet, text encoder "
               "and text encoder 2, %1 layers";
        QTest::newRow("sd15_0_0/old_processor")
            << "LoRA for networks with a context 128 wide, rank 4, UNet, %1 layers";
    }

    /// Layers are counted by the reference's own keys.
    void reportsWhatAnAdapterIs() {
        QFETCH(QString, family);
        const QString path =
            testing::adapterFileFolder() + "/" + QTest::currentDataTag() + ".safetensors";
        const files::InputFile file(path.toStdString());
        const auto header = files::readSafetensorsHeader(file);
        const auto downs =
            std::count_if(header.tensors.begin(), header.tensors.end(), [](const auto& tensor) {
                return tensor.first.ends_with("down.weight");
            });
        ModelBench bench;

        const models::Recognised known = bench.stages().recognise(path.toStdString());

        QCOMPARE(known.problem.str(), std::string());
        QCOMPARE(known.kind, std::string("lora"));
        QVERIFY(known.isRunnable());
        QCOMPARE(QString::fromStdString(known.family), family.arg(downs));
        QVERIFY(
            testing::runLowtide({"check", path}).output.contains("(" + family.arg(downs) + ")"));
    }

    void anAdapterOfSuchNamesRunsOrNot_data() {
        const testing::Rows<QString, Shape, bool, QString> row("layer", "change", "runs", "whose");
        const char* const reading =
            "unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k";
        row("SD 1.x", reading, {320, 768}, true, " for SD 1.x,");
        row("any UNet", reading, {320, 1152}, true, " for networks with a context 1152 wide,");
        const char* const wan = "diffusion_model.blocks.0.cross_attn.k";
        const char* const wanOfDiffusers = "transformer.blocks.0.attn2.to_k";
        row("WAN 1.3B", wan, {1536, 1536}, true, " for WAN 1.3B,");
        row("WAN 14B", wanOfDiffusers, {5120, 5120}, true, " for WAN 14B,");
        row("small WAN", wan, {48, 48}, true, " for networks with a context 48 wide,");
        row("WAN 2.2 5B", wan, {3072, 3072}, false, " for WAN 2.2 5B,");
        row("WAN of no width", wan, {4096, 4096}, false, "4096 wide,");
        row("as wide as a text of SDXL",
            wan,
            {2048, 2048},
            false,
            " for networks with a context 2048 wide,");
        row("HunyuanDiT", wanOfDiffusers, {1408, 1024}, false, "LoRA, rank");
        const char* const plain = "transformer.transformer_blocks.0.attn2.to_k";
        row("LTX-Video", plain, {2048, 2048}, false, "LoRA, rank");
        row("PixArt", plain, {1152, 1152}, false, "LoRA, rank");
        row("MiniMax H3",
            "diffusion_model.token_refiner.blocks.0.attn.qkv_proj",
            {21504, 5376},
            false,
            "LoRA, rank");
        row("MiniMax H3 of diffusers",
            "transformer.token_refiner.refiner_blocks.0.attn.to_q",
            {7168, 5376},
            false,
            "LoRA, rank");
        row("Qwen-Image",
            "transformer.transformer_blocks.19.attn.to_q",
            {3072, 3072},
            false,
            " for networks with more blocks than FLUX.1,");
        const char* const image = "diffusion_model.layers.0.attention.qkv";
        row("Z-Image", image, {11520, 3840}, true, " for Z-Image,");
        row("small Z-Image", image, {192, 64}, true, " for Z-Image,");
        row("Lumina 2", image, {4608, 2304}, false, "2304 wide,");
        row("Lumina 2 of diffusers",
            "transformer.noise_refiner.0.attn.to_q",
            {2304, 2304},
            false,
            "2304 wide,");
        const char* const ofFlux = "diffusion_model.double_blocks.0.img_attn.qkv";
        row("FLUX.1", ofFlux, {9216, 3072}, true, " for FLUX.1,");
        row("small FLUX.1",
            "transformer.single_transformer_blocks.0.attn.to_q",
            {96, 96},
            true,
            " for FLUX.1,");
        row("FLUX.2", ofFlux, {18432, 6144}, false, "6144 wide,");
        row("FLUX.2 of diffusers",
            "transformer.single_transformer_blocks.0.attn.to_qkv_mlp_proj",
            {27648, 3072},
            false,
            " for FLUX.2,");
        row("AnimateDiff",
            "unet.down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0."
            "attention_blocks.0.to_q",
            {320, 320},
            false,
            " for AnimateDiff,");
    }

    /// Names and widths of published networks: transformers have cross attentions under the names
    /// of a UNet's, Lumina 2 has Z-Image's names.
    void anAdapterOfSuchNamesRunsOrNot() {
        QFETCH(QString, layer);
        QFETCH(Shape, change);
        QFETCH(bool, runs);
        QFETCH(QString, whose);
        constexpr int64_t kRank = 4;
        const std::string name = layer.toStdString();
        const models::Recognised known = ofShapes({{name + ".lora_A.weight", {kRank, change[1]}},
                                                   {name + ".lora_B.weight", {change[0], kRank}}});
        QCOMPARE(known.kind, std::string("lora"));
        QCOMPARE(known.problem.str(), std::string());
        QCOMPARE(known.isRunnable(), runs);
        QVERIFY2(known.family.find(whose.toStdString()) != std::string::npos, known.family.c_str());
    }

    void aTextEncoderThatNoFamilyReadsIsRefused_data() {
        const testing::Rows<bool, int, QString> row("isQwen", "width", "expected");
        row("Qwen 3 4B", true, 2560, "");
        row("small Qwen 3", true, 64, "");
        row("Qwen 3 0.6B", true, 1024, "1024 wide");
        row("another Qwen 3", true, 1536, "1536 wide");
        row("UMT5 XXL", false, 4096, "");
        row("small UMT5", false, 48, "");
        row("UMT5 base", false, 768, "768 wide");
    }

    /// Of one layer, and a vocabulary of eight.
    void aTextEncoderThatNoFamilyReadsIsRefused() {
        QFETCH(bool, isQwen);
        QFETCH(int, width);
        QFETCH(QString, expected);
        const models::Recognised known = ofShapes(isQwen ? qwenOf(width) : umt5Of(width));
        QCOMPARE(known.kind, std::string("text_encoder"));
        QVERIFY2(known.isRunnable() == expected.isEmpty(), known.problem.str().c_str());
        QVERIFY2(known.problem.str().find(expected.toStdString()) != std::string::npos,
                 known.problem.str().c_str());
    }

    void anAutoencoderThatNoFamilyHasIsRefused_data() {
        QTest::addColumn<int>("channels");
        for (const int channels : {2, 4, 8, 16, 32}) {
            QTest::addRow("%d", channels) << channels;
        }
    }

    /// Stable Diffusion's latents have 4 channels, FLUX's 16.
    void anAutoencoderThatNoFamilyHasIsRefused() {
        QFETCH(int, channels);
        testing::TensorFile file =
            testing::readTensorFile(at("single/vae_diffusers.safetensors").toStdString());
        const auto of = [&](const char* name, Shape shape) {
            testing::FileTensor& tensor = file.at(name);
            shape.insert(shape.end(), tensor.shape.begin() + shape.size(), tensor.shape.end());
            tensor.shape = shape;
            tensor.bytes.assign(static_cast<size_t>(*elementCount(shape) * sizeOf(tensor.type)),
                                '\0');
        };
        const int64_t first = file.at("encoder.conv_out.weight").shape[1];
        const int64_t last = file.at("decoder.conv_in.weight").shape[0];
        of("encoder.conv_out.weight", {2 * channels, first});
        of("encoder.conv_out.bias", {2 * channels});
        of("quant_conv.weight", {2 * channels, 2 * channels});
        of("quant_conv.bias", {2 * channels});
        of("post_quant_conv.weight", {channels, channels});
        of("post_quant_conv.bias", {channels});
        of("decoder.conv_in.weight", {last, channels});
        const QTemporaryDir folder;
        const std::string path = folder.filePath("vae.safetensors").toStdString();
        testing::writeTensorFile(path, file);
        ModelBench bench;

        const models::Recognised known = bench.stages().recognise(path);

        QCOMPARE(known.kind, std::string("autoencoder"));
        QVERIFY2(known.isRunnable() == (channels == 4 || channels == 16),
                 known.problem.str().c_str());
    }

    void reportsForWhichFamilyAnEmbeddingIs_data() {
        const testing::Rows<QStringList, Shape, QString> row("sets", "shape", "family");
        row("A1111's", {"emb_params"}, {3, 768}, "embedding for SD 1.x, 3 vectors");
        row("one vector", {"<cat-toy>"}, {1024}, "embedding for SD 2.x, 1 vector");
        row("of two encoders", {"clip_g", "clip_l"}, {2, 1280}, "embedding for SDXL, 2 vectors");
        row("of another width", {"*"}, {1, 48}, "embedding for text encoders 48 wide, 1 vector");
    }

    void reportsForWhichFamilyAnEmbeddingIs() {
        QFETCH(QStringList, sets);
        QFETCH(Shape, shape);
        const QTemporaryDir folder;
        const std::string path = folder.filePath("word.safetensors").toStdString();
        const std::vector<std::byte> zeros(static_cast<size_t>(*elementCount(shape)) * 4);
        std::map<std::string, files::TensorBytes> tensors;
        for (const QString& set : sets) {
            tensors[set.toStdString()] = {DType::F32, shape, zeros};
        }
        files::writeSafetensors(path, tensors);
        ModelBench bench;

        const models::Recognised known = bench.stages().recognise(path);

        QCOMPARE(known.kind, std::string("embedding"));
        QTEST(QString::fromStdString(known.family), "family");
        QVERIFY(known.isRunnable());
    }

    void anAdapterThatIsIncompleteReportsIt() {
        ModelBench bench;
        const QTemporaryDir folder;
        const std::string path = folder.filePath("half.safetensors").toStdString();
        const std::string bytes(16, '\0');
        files::writeSafetensors(path,
                                {{"lora_unet_x.lora_down.weight",
                                  {DType::F32, {2, 2}, std::as_bytes(std::span(bytes))}}});
        const models::Recognised known = bench.stages().recognise(path);
        QCOMPARE(known.kind, std::string("lora"));
        QVERIFY2(known.problem.str().find("without up") != std::string::npos,
                 known.problem.str().c_str());
    }

    void knowsWhatOthersExchange_data() {
        const testing::Rows<QStringList, QString> row("names", "kind");
        row("kohya's LoRA", {"lora_unet_x.lora_up.weight"}, "lora");
        row("peft's LoRA", {"unet.x.lora_A.weight"}, "lora");
        row("kohya's LoRA of a text encoder", {"lora_te1_x.lora_up.weight"}, "lora");
        row("LoRA of a folder", {"unet.x.lora.down.weight"}, "lora");
        row("LoRA of other names", {"x.lora_down.weight"}, "lora");
        row("diffusers' LoRA", {"unet.to_q_lora.down.weight"}, "lora");
        row("LoHa", {"x.hada_w1_a"}, "lora");
        row("LoKr", {"x.lokr_w1"}, "lora");
        row("IP-Adapter", {"ip_adapter.1.to_k_ip.weight"}, "ip_adapter");
        row("ControlNet", {"control_model.input_blocks.0.0.weight"}, "controlnet");
        row("diffusers' ControlNet", {"controlnet_cond_embedding.conv_in.weight"}, "controlnet");
        row("ControlNet of a transformer", {"controlnet_blocks.0.weight"}, "controlnet");
        row("embedding", {"emb_params"}, "embedding");
        row("A1111's embedding", {"*"}, "embedding");
        row("diffusers' embedding", {"<cat-toy>"}, "embedding");
        row("older embedding", {"string_to_param.*"}, "embedding");
        row("embedding of two", {"clip_g", "clip_l"}, "embedding");
        row("text encoder", {"text_model.encoder.layers.0.mlp.fc1.weight"}, "text_encoder");
        row("OpenCLIP's text encoder", {"transformer.resblocks.0.ln_1.weight"}, "text_encoder");
        row("more than two rows of vectors", {"clip_g", "clip_l", "other"}, "unknown");
        row("SD 3", {"joint_blocks.0.a"}, "checkpoint");
        row("Flux", {"double_blocks.0.a"}, "checkpoint");
        row("something else", {"a", "b"}, "unknown");
        row("nothing", {}, "unknown");
    }

    void knowsWhatOthersExchange() {
        QFETCH(QStringList, names);

        const models::Recognised known = ofTensors(names);

        QTEST(QString::fromStdString(known.kind), "kind");
        QCOMPARE(known.isRunnable(), known.kind == "embedding");
        QCOMPARE(known.stored.bytes(), Bytes{16} * names.size());
    }

    void relativesOfFluxAreNamed_data() {
        const testing::Rows<QString, QString, QString> row("name", "kind", "family");
        row("FLUX.2", "double_stream_modulation_img.lin.weight", "checkpoint", "FLUX.2");
        row("Chroma", "distilled_guidance_layer.norms.0.scale", "checkpoint", "Chroma");
        row("XLabs' ControlNet", "controlnet_blocks.0.weight", "controlnet", "ControlNet");
        row("XLabs' IP-Adapter",
            "double_blocks.0.processor.ip_adapter_double_stream_k_proj.weight",
            "ip_adapter",
            "IP-Adapter for Flux");
        row("others", "txt_in.weight", "checkpoint", "network with FLUX's blocks");
    }

    /// They have FLUX's blocks, and a name that FLUX.1 has not.
    void relativesOfFluxAreNamed() {
        QFETCH(QString, name);
        const models::Recognised known = ofTensors({"double_blocks.0.img_attn.qkv.weight", name});
        QTEST(QString::fromStdString(known.kind), "kind");
        QTEST(QString::fromStdString(known.family), "family");
        QVERIFY(!known.isRunnable());
    }

    void autoencodersHaveSeveralPrefixes_data() {
        QTest::addColumn<QString>("prefix");
        for (const char* prefix : {"", "first_stage_model.", "vae."}) {
            QTest::addRow("\"%s\"", prefix) << prefix;
        }
    }

    void autoencodersHaveSeveralPrefixes() {
        QFETCH(QString, prefix);
        const models::Recognised known = ofTensors({prefix + "decoder.conv_in.weight"});
        QCOMPARE(known.kind, std::string("autoencoder"));
        QCOMPARE(known.layout, std::string("autoencoder"));
    }

    /// Bytes by the file's own header: those of a quantised weight are its numbers and its scale.
    void reportsHowWeightsLie() {
        const QString path = testing::quantisedFile("sd15_1", "fp8.safetensors");
        std::map<std::string, std::pair<int64_t, Bytes>> expected;
        const files::InputFile file(path.toStdString());
        for (const auto& [name, info] : files::readSafetensorsHeader(file).tensors) {
            const Bytes bytes = *elementCount(info.shape) * sizeOf(info.type);
            const bool isScale = name.ends_with(".weight_scale");
            if (!name.ends_with(".comfy_quant")) {
                auto& [tensors, sum] = expected[isScale || info.type == DType::F8E4M3
                                                    ? "f8_e4m3"
                                                    : std::string(nameOf(info.type))];
                tensors += isScale ? 0 : 1;
                sum += bytes;
            }
        }
        ModelBench bench;

        const models::Recognised known = bench.stages().recognise(path.toStdString());

        QCOMPARE(known.kind, std::string("checkpoint"));
        const std::vector<models::StoredFraction> stored = known.stored.sorted();
        QCOMPARE(stored.size(), expected.size());
        Bytes sum = 0;
        QString text;
        for (const models::StoredFraction& fraction : stored) {
            QVERIFY(sum == 0 || fraction.bytes <= stored.front().bytes);
            QCOMPARE(fraction.tensors, expected.at(fraction.storage).first);
            QCOMPARE(fraction.bytes, expected.at(fraction.storage).second);
            sum += fraction.bytes;
            text += QString(text.isEmpty() ? "  " : ", ") +
                    QString::fromStdString(fraction.storage + " " + formatBytes(fraction.bytes));
        }
        QCOMPARE(known.stored.bytes(), sum);
        QVERIFY(text.contains("f8_e4m3") && text.contains("F32"));
        const QString message = testing::runLowtide({"check", path}).output;
        QVERIFY2(message.endsWith(text + "\n"), qPrintable(message));
    }

    /// Of a folder all components, each weight once.
    void aFolderReportsItToo() {
        ModelBench bench;
        const auto known = bench.stages().recognise(at("mini/model").toStdString());
        const std::vector<models::StoredFraction> stored = known.stored.sorted();
        QCOMPARE(stored.size(), size_t{1});
        QCOMPARE(stored.front().storage, std::string("F16"));
        QCOMPARE(stored.front().bytes, known.stored.bytes());
    }

    void theCommandStatesTheSame() {
        const auto check = [&](const char* path) {
            return testing::runLowtide({"check", at(path)});
        };
        const testing::CommandResult checkpoint = check("single/inpaint_1.safetensors");
        QCOMPARE(checkpoint.exitCode, 0);
        QVERIFY2(checkpoint.output.contains(
                     "inpaint_1.safetensors: checkpoint (SD 1.x inpainting) in the layout sd_ldm"),
                 qPrintable(checkpoint.output));
        const testing::CommandResult vae = check("single/vae_diffusers.safetensors");
        QVERIFY2(vae.output.contains("vae_diffusers.safetensors: autoencoder in the layout"),
                 qPrintable(vae.output));
        const testing::CommandResult bare = check("single/bare.pth");
        QCOMPARE(bare.exitCode, 2);
        QVERIFY2(bare.output.contains("bare pickle"), qPrintable(bare.output));
        QCOMPARE(testing::runLowtide({"check", "no-such.safetensors"}).exitCode, 2);
    }

    void whatIsDamagedExplainsWhy() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("bad.safetensors");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no header at all");
        file.close();
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(path.toStdString());
        QVERIFY2(known.problem.str().find("bad.safetensors") != std::string::npos,
                 known.problem.str().c_str());
        QVERIFY(!known.isRunnable());
        const auto missing = testing::errorOf(
            [&] { (void)bench.stages().recognise(folder.filePath("none").toStdString()); });
        QVERIFY(missing && missing->kind() == ErrorKind::NotFound);
    }

    /// Its settings are sound, so that the family is known; it would fail where it is loaded.
    void aFolderWithADamagedFileDoesNotRun() {
        const testing::CheckpointCopy copy;
        copy.write("unet/diffusion_pytorch_model.safetensors", "no header at all");
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(copy.path());
        QCOMPARE(known.family, std::string("SD 1.x"));
        QVERIFY2(known.problem.str().find("diffusion_pytorch_model") != std::string::npos,
                 known.problem.str().c_str());
        QVERIFY(!known.isRunnable());
    }

private:
    using Shapes = std::map<std::string, Shape>;

    static models::Recognised ofTensors(const QStringList& names) {
        Shapes shapes;
        for (const QString& name : names) {
            shapes[name.toStdString()] = {4};
        }
        return ofShapes(shapes);
    }

    /// What is recognised of a file of such tensors, whose name states what it is not.
    static models::Recognised ofShapes(const Shapes& shapes) {
        int64_t most = 0;
        for (const auto& [name, shape] : shapes) {
            most = std::max(most, *elementCount(shape));
        }
        const std::vector<std::byte> zeros(static_cast<size_t>(most) * 4);
        std::map<std::string, files::TensorBytes> tensors;
        for (const auto& [name, shape] : shapes) {
            tensors[name] = {DType::F32,
                             shape,
                             std::span(zeros).first(static_cast<size_t>(*elementCount(shape)) * 4)};
        }
        const QTemporaryDir folder;
        const std::string path = folder.filePath("sd_xl_base.safetensors").toStdString();
        files::writeSafetensors(path, tensors);
        ModelBench bench;
        return bench.stages().recognise(path);
    }

    static Shapes qwenOf(int64_t width) {
        const std::string layer = "model.layers.0.";
        return {{"model.embed_tokens.weight", {8, width}},
                {layer + "input_layernorm.weight", {width}},
                {layer + "self_attn.q_proj.weight", {64, width}},
                {layer + "self_attn.k_proj.weight", {32, width}},
                {layer + "self_attn.v_proj.weight", {32, width}},
                {layer + "self_attn.o_proj.weight", {width, 64}},
                {layer + "self_attn.q_norm.weight", {32}},
                {layer + "self_attn.k_norm.weight", {32}},
                {layer + "post_attention_layernorm.weight", {width}},
                {layer + "mlp.gate_proj.weight", {16, width}},
                {layer + "mlp.up_proj.weight", {16, width}},
                {layer + "mlp.down_proj.weight", {width, 16}},
                {"model.norm.weight", {width}}};
    }

    static Shapes umt5Of(int64_t width) {
        const std::string layer = "encoder.block.0.layer.";
        return {{"shared.weight", {8, width}},
                {layer + "0.layer_norm.weight", {width}},
                {layer + "0.SelfAttention.relative_attention_bias.weight", {32, 2}},
                {layer + "0.SelfAttention.q.weight", {32, width}},
                {layer + "0.SelfAttention.k.weight", {32, width}},
                {layer + "0.SelfAttention.v.weight", {32, width}},
                {layer + "0.SelfAttention.o.weight", {width, 32}},
                {layer + "1.layer_norm.weight", {width}},
                {layer + "1.DenseReluDense.wi_0.weight", {16, width}},
                {layer + "1.DenseReluDense.wi_1.weight", {16, width}},
                {layer + "1.DenseReluDense.wo.weight", {width, 16}},
                {"encoder.final_layer_norm.weight", {width}}};
    }

    QString at(const QString& path) const {
        const QString folder = path.section('/', 0, 0);
        return folders_.value(folder) + "/" + path.section('/', 1);
    }

    QMap<QString, QString> folders_;
};

LOWTIDE_TEST(RecogniseTest)

}  // namespace recognise_test

#include "recognise_test.moc"
