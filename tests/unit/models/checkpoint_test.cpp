#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"

#include <QtTest/QtTest>

namespace checkpoint_test {

using namespace lowtide;
using models::CheckpointFolder;
using testing::CheckpointCopy;

namespace {

const QString kUNet = "unet/diffusion_pytorch_model.safetensors";

std::shared_ptr<const models::Model> open(const std::string& path) {
    CheckpointFolder folder(path, "copy");
    return models::openCheckpoint(folder);
}

std::optional<Error> refusalOf(const CheckpointCopy& copy) {
    return testing::errorOf([&] { (void)open(copy.path()); });
}

bool names(const std::optional<Error>& error, const std::string& part) {
    return error && error->message().str().find(part) != std::string::npos;
}

struct Setting {
    const char* row;
    const char* file;
    const char* key;
    Json value;
    ErrorKind kind;
};

/// Settings that must be refused by name.
std::vector<Setting> badSettings() {
    const char* unet = "unet/config.json";
    const char* vae = "vae/config.json";
    const char* text = "text_encoder/config.json";
    using enum ErrorKind;
    return {
        {"hidden padding", text, "use_attention_mask", true, Unsupported},
        {"upcast by name", unet, "upcast_attention", "yes", Corrupt},
        {"class", unet, "_class_name", "UNet3DConditionModel", Unsupported},
        {"activation", unet, "act_fn", "gelu", Unsupported},
        {"addition embedding", unet, "addition_embed_type", "text", Unsupported},
        {"class embedding", unet, "class_embed_type", "timestep", Unsupported},
        {"dual attention", unet, "dual_cross_attention", true, Unsupported},
        {"only cross attention", unet, "only_cross_attention", {true, false, false}, Unsupported},
        {"heads", unet, "num_attention_heads", 8, Unsupported},
        {"time shift", unet, "resnet_time_scale_shift", "scale_shift", Unsupported},
        {"block",
         unet,
         "down_block_types",
         {"DownBlock2D", "SimpleCrossAttnDownBlock2D", "DownBlock2D"},
         Unsupported},
        {"block count", unet, "up_block_types", {"UpBlock2D"}, Corrupt},
        {"another middle block", unet, "mid_block_type", "UNetMidBlock2D", Unsupported},
        {"depth of units", unet, "transformer_layers_per_block", {1, {1, 1}, 1}, Corrupt},
        {"depth for two blocks", unet, "transformer_layers_per_block", {1, 1}, Corrupt},
        {"no depth", unet, "transformer_layers_per_block", 0, Corrupt},
        {"no groups", unet, "norm_num_groups", 0, Corrupt},
        {"groups that do not divide", unet, "norm_num_groups", 7, Corrupt},
        {"heads that do not divide", unet, "attention_head_dim", {4, 3, 4}, Corrupt},
        {"heads for two blocks", unet, "attention_head_dim", {4, 4}, Corrupt},
        {"layers without end", unet, "layers_per_block", 1000000000, Corrupt},
        {"negative channels", unet, "block_out_channels", {32, -64, 128}, Corrupt},
        {"channels as text", unet, "block_out_channels", "many", Corrupt},
        {"context widths", unet, "cross_attention_dim", {128, 64, 128}, Unsupported},
        {"autoencoder class", vae, "_class_name", "AutoencoderTiny", Unsupported},
        {"latent means without deviations", vae, "latents_mean", {0.0, 0.0, 0.0, 0.0}, Corrupt},
        {"three latent means", vae, "latents_mean", {0.0, 0.0, 0.0}, Corrupt},
        {"shift", vae, "shift_factor", 0.1, Unsupported},
        {"grey images", vae, "in_channels", 1, Unsupported},
        {"encoder block",
         vae,
         "down_block_types",
         {"DownEncoderBlock2D",
          "DownEncoderBlock2D",
          "AttnDownEncoderBlock2D",
          "DownEncoderBlock2D"},
         Unsupported},
        {"no scaling", vae, "scaling_factor", 0, Corrupt},
        {"text activation", text, "hidden_act", "relu", Unsupported},
        {"text heads", text, "num_attention_heads", 3, Corrupt},
        {"text layers", text, "num_hidden_layers", 100000, Corrupt},
    };
}

}  // namespace

/// Folders in the diffusers layout: what is read, what is refused and with which words.
class CheckpointTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void opensTheMiniModel() {
        const CheckpointCopy copy;
        const auto model = open(copy.path());
        QCOMPARE(model->info().family, std::string("sd15"));
        QCOMPARE(model->info().latent.factor, 8);
        QCOMPARE(model->promptsSpec({}).positive.shape(), (Shape{1, 32, 128}));
        // Parameter counts from the model's NOTES: 4.22 M, 0.82 M, 0.51 M of two bytes.
        const auto megabytes = [&](std::string_view role) {
            return static_cast<double>(model->tree(role)->fileBytes()) / 1e6;
        };
        QVERIFY(std::abs(megabytes(models::kDenoiser) - 8.44) < 0.01);
        QVERIFY(std::abs(megabytes(models::kAutoencoder) - 1.64) < 0.01);
        QVERIFY(std::abs(megabytes(models::kTextEncoder) - 1.02) < 0.01);
        QVERIFY(model->tree("upscaler") == nullptr);
    }

    void takesOldSchedulersAsDiffusersPipelineDoes_data() {
        const testing::Rows<QByteArray, QByteArray> row("config", "taken");
        // The last column is pipe.scheduler.config of StableDiffusionPipeline, diffusers 0.42.1.
        row("DDIM, nothing said",
            QByteArray(R"({"_class_name": "DDIMScheduler"})"),
            QByteArray(R"({"steps_offset": 1, "clip_sample": false})"));
        row("PNDM of the first files",
            QByteArray(
                R"({"_class_name": "PNDMScheduler", "steps_offset": 0, "clip_sample": true})"),
            QByteArray(R"({"steps_offset": 1, "clip_sample": false})"));
        row("single step solver has no offset",
            QByteArray(R"({"_class_name": "DPMSolverSinglestepScheduler"})"),
            QByteArray(R"({"steps_offset": null})"));
        row("what cannot be read is left",
            QByteArray(R"({"_class_name": "DDIMScheduler", "steps_offset": "one"})"),
            QByteArray(R"({"steps_offset": "one", "clip_sample": false})"));
    }

    void takesOldSchedulersAsDiffusersPipelineDoes() {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, taken);
        const CheckpointCopy copy;
        copy.write("scheduler/scheduler_config.json", config);

        const Json read = open(copy.path())->info().schedulerConfig;

        const Json expected = Json::parse(taken.toStdString());
        for (const auto& [key, value] : expected.items()) {
            QCOMPARE(read.value(key, Json()), value);
        }
    }

    /// Latent images have values far beyond 1: a class that knows no clip_sample states nothing of
    /// it in its file, and DDIM and DDPM would take their default.
    void latentsHaveNoBoundWhateverClassTheFileNames_data() {
        QTest::addColumn<QByteArray>("config");
        for (const char* name : {"EulerDiscreteScheduler",
                                 "DPMSolverMultistepScheduler",
                                 "UniPCMultistepScheduler",
                                 "LMSDiscreteScheduler",
                                 "PNDMScheduler"}) {
            QTest::newRow(name) << QByteArray(R"({"_class_name": ")") + name + "\"}";
        }
        QTest::newRow("null") << QByteArray(
            R"({"_class_name": "EulerDiscreteScheduler", "clip_sample": null})");
    }

    void latentsHaveNoBoundWhateverClassTheFileNames() {
        QFETCH(QByteArray, config);
        const CheckpointCopy copy;
        copy.write("scheduler/scheduler_config.json", config);
        const Json read = open(copy.path())->info().schedulerConfig;
        QCOMPARE(read.value("clip_sample", Json()), Json(false));
    }

    void readsShardsAndVariantsLikeTheWhole() {
        const CheckpointCopy whole;
        const CheckpointCopy sharded;
        const Json positions = sharded.split(kUNet, {"a.safetensors", "b.safetensors"});
        sharded.write("unet/diffusion_pytorch_model.safetensors.index.json",
                      QByteArray::fromStdString(Json{{"weight_map", positions}}.dump()));
        const CheckpointCopy half;
        half.split(kUNet, {"diffusion_pytorch_model.fp16.safetensors"});

        const auto tree = open(whole.path())->tree(models::kDenoiser);
        for (const CheckpointCopy* other : {&sharded, &half}) {
            const auto otherTree = open(other->path())->tree(models::kDenoiser);
            QCOMPARE(otherTree->weights.size(), tree->weights.size());
            QCOMPARE(otherTree->deviceBytes(), tree->deviceBytes());
        }
        QCOMPARE(open(sharded.path())->tree(models::kDenoiser)->files.size(), 2u);
    }

    void prefersTheWholeFileToItsVariant() {
        const CheckpointCopy copy;
        QVERIFY(QFile::copy(copy.file(kUNet),
                            copy.file("unet/diffusion_pytorch_model.fp16.safetensors")));
        const auto tree = open(copy.path())->tree(models::kDenoiser);
        QCOMPARE(tree->files.size(), 1u);
        QVERIFY(tree->files[0].path.ends_with("model.safetensors"));
    }

    void refusesShardsThatLeadElsewhere_data() {
        QTest::addColumn<QString>("shard");
        QTest::newRow("parent") << "../vae/diffusion_pytorch_model.safetensors";
        QTest::newRow("absolute") << "/etc/passwd";
        QTest::newRow("nothing") << "";
    }

    void refusesShardsThatLeadElsewhere() {
        QFETCH(QString, shard);
        const CheckpointCopy copy;
        copy.remove(kUNet);
        const Json index{{"weight_map", {{"conv_in.bias", shard.toStdString()}}}};
        copy.write("unet/diffusion_pytorch_model.safetensors.index.json",
                   QByteArray::fromStdString(index.dump()));
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "weight_map") && error->kind() == ErrorKind::Corrupt);
    }

    void namesTheTensorThatAShardLacks() {
        const CheckpointCopy copy;
        Json positions = copy.split(kUNet, {"a.safetensors", "b.safetensors"});
        positions["conv_in.more"] = "a.safetensors";
        copy.write("unet/diffusion_pytorch_model.safetensors.index.json",
                   QByteArray::fromStdString(Json{{"weight_map", positions}}.dump()));
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "a.safetensors") && names(error, "conv_in.more"));
    }

    void reportsWhichFormatIsNotRead() {
        const CheckpointCopy copy;
        copy.remove(kUNet);
        copy.write("unet/diffusion_flax_model.msgpack", "x");
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "diffusion_flax_model.msgpack") &&
                error->kind() == ErrorKind::Unsupported);
    }

    /// As diffusers and transformers wrote them before safetensors.
    void opensFoldersOfTorchFiles() {
        const CheckpointCopy copy;
        for (const auto& [from, to] :
             {std::pair(kUNet, QString("unet/diffusion_pytorch_model.bin")),
              std::pair(QString("text_encoder/model.safetensors"),
                        QString("text_encoder/pytorch_model.bin"))}) {
            testing::runReference({"-c",
                                   "import sys, torch, safetensors.torch as s; "
                                   "torch.save(s.load_file(sys.argv[1]), sys.argv[2])",
                                   copy.file(from),
                                   copy.file(to)});
            copy.remove(from);
        }
        const auto model = open(copy.path());
        const auto text = model->tree("text_encoder");
        QVERIFY(text->files.front().path.ends_with("pytorch_model.bin"));
        QCOMPARE(model->tree("denoiser")->weights.size(),
                 open(CheckpointCopy().path())->tree("denoiser")->weights.size());
    }

    void refusesSettingsByName_data() { testing::addEach(badSettings(), &Setting::row); }

    void refusesSettingsByName() {
        QFETCH(int, index);
        const Setting setting = badSettings()[static_cast<size_t>(index)];
        const CheckpointCopy copy;
        copy.set(setting.file, setting.key, setting.value);

        const auto error = refusalOf(copy);

        QVERIFY(error);
        QVERIFY2(error->kind() == setting.kind, error->message().str().c_str());
        const std::string text = setting.key == std::string("_class_name")
                                     ? setting.value.get<std::string>()
                                     : setting.key;
        QVERIFY2(names(error, text) && names(error, setting.file), error->message().str().c_str());
    }

    void noPresetSumsInHalf_whereAttentionIsUpcast_data() {
        QTest::addColumn<bool>("upcasts");
        QTest::newRow("as the file has it") << false;
        QTest::newRow("upcast_attention") << true;
    }

    void noPresetSumsInHalf_whereAttentionIsUpcast() {
        QFETCH(bool, upcasts);
        const CheckpointCopy copy;
        copy.set("unet/config.json", "upcast_attention", upcasts);
        const auto model = open(copy.path());
        bool sumsInHalf = false;
        for (const auto& [name, preset] : model->precisions().presets) {
            for (const auto& [role, component] : preset) {
                sumsInHalf = sumsInHalf || component.accumulatesInHalf;
            }
        }
        QCOMPARE(sumsInHalf, !upcasts);
    }

    void reportsWhichTensorsDoNotFitTheConfig() {
        const CheckpointCopy copy;
        copy.set("unet/config.json", "cross_attention_dim", 96);
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "copy/unet") &&
                names(error, "attn2.to_k.weight is [64, 128], needs [64, 96]"));
    }

    void namesFamilyAndClass_whenAPipelineIsNotBuilt() {
        const CheckpointCopy copy;
        copy.set("model_index.json", "_class_name", "KandinskyPipeline");
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "KandinskyPipeline") && names(error, "sd15"));
        QCOMPARE(error->kind(), ErrorKind::Unsupported);
    }

    void namesTheComponentThatIsAnother() {
        const CheckpointCopy copy;
        copy.set("model_index.json", "text_encoder", {"transformers", "T5EncoderModel"});
        const auto error = refusalOf(copy);
        QVERIFY(names(error, "text_encoder") && names(error, "T5EncoderModel"));
    }

    void refusesATokenizerThatDoesNotFit() {
        const CheckpointCopy copy;
        copy.set("tokenizer/tokenizer_config.json", "model_max_length", 77);
        QVERIFY(names(refusalOf(copy), "77"));
        copy.set("tokenizer/tokenizer_config.json", "model_max_length", 32);
        Json vocabulary = Json::parse(R"({"<|startoftext|>": 855, "<|endoftext|>": 857})");
        copy.write("tokenizer/vocab.json", QByteArray::fromStdString(vocabulary.dump()));
        copy.write("tokenizer/merges.txt", "#version: 0.2\n");
        QVERIFY(names(refusalOf(copy), "858"));
    }

    void readsTheOlderNamesOfTheAutoencodersAttention() {
        const CheckpointCopy copy;
        const QString file = "vae/diffusion_pytorch_model.safetensors";
        QFile weights(copy.file(file));
        QVERIFY(weights.open(QIODevice::ReadOnly));
        const QByteArray bytes = weights.readAll();
        quint64 length = 0;
        std::memcpy(&length, bytes.constData(), sizeof(length));
        QByteArray header = bytes.mid(8, static_cast<int>(length));
        const std::pair<QByteArray, QByteArray> renames[] = {{"to_q.", "query."},
                                                             {"to_k.", "key."},
                                                             {"to_v.", "value."},
                                                             {"to_out.0.", "proj_attn."}};
        for (const auto& [now, older] : renames) {
            QVERIFY(header.contains(now));
            header.replace(now, older);
        }
        const auto renamedLength = static_cast<quint64>(header.size());
        copy.write(file,
                   QByteArray(reinterpret_cast<const char*>(&renamedLength), 8) + header +
                       bytes.mid(8 + static_cast<int>(length)));
        QVERIFY(open(copy.path())->tree(models::kAutoencoder) != nullptr);
    }
};

LOWTIDE_TEST(CheckpointTest)

}  // namespace checkpoint_test

#include "checkpoint_test.moc"
