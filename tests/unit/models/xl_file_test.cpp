#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <cstring>

namespace xl_file_test {

using namespace lowtide;
using models::Checkpoint;
using models::TensorLocation;
using models::WeightMap;

namespace {

constexpr std::string_view kWrapper = "text_model.";

struct Component {
    const char* name;
    const char* stem;
    std::vector<const char*> settings;  ///< that decide about numbers
};

const std::vector<Component>& components() {
    static const std::vector<Component> all = {
        {"unet",
         "diffusion_pytorch_model",
         {"in_channels",
          "out_channels",
          "layers_per_block",
          "norm_num_groups",
          "attention_head_dim",
          "use_linear_projection",
          "cross_attention_dim",
          "transformer_layers_per_block",
          "block_out_channels",
          "down_block_types",
          "up_block_types",
          "addition_embed_type",
          "addition_time_embed_dim",
          "projection_class_embeddings_input_dim"}},
        {"vae",
         "diffusion_pytorch_model",
         {"block_out_channels",
          "layers_per_block",
          "latent_channels",
          "norm_num_groups",
          "scaling_factor",
          "force_upcast"}},
        {"text_encoder",
         "model",
         {"vocab_size",
          "hidden_size",
          "intermediate_size",
          "num_hidden_layers",
          "num_attention_heads",
          "max_position_embeddings",
          "hidden_act",
          "eos_token_id"}},
        {"text_encoder_2",
         "model",
         {"vocab_size",
          "hidden_size",
          "intermediate_size",
          "num_hidden_layers",
          "num_attention_heads",
          "max_position_embeddings",
          "hidden_act",
          "eos_token_id",
          "projection_dim"}},
    };
    return all;
}

/// The bytes of a tensor row by row, as networks see it.
std::string bytesOf(const WeightMap& map, const TensorLocation& location) {
    const auto size = static_cast<size_t>(sizeOf(location.type));
    const auto count = static_cast<size_t>(elementCount(location.shape).value());
    std::string stored(count * size, '\0');
    files::InputFile(map.files[location.file].path)
        .read(std::as_writable_bytes(std::span(stored)), location.offset);
    if (!location.isTransposed) {
        return stored;
    }
    std::string transposed(stored.size(), '\0');
    const auto rows = static_cast<size_t>(location.shape[0]);
    const auto columns = static_cast<size_t>(location.shape[1]);
    for (size_t row = 0; row < rows; ++row) {
        for (size_t column = 0; column < columns; ++column) {
            std::memcpy(transposed.data() + (row * columns + column) * size,
                        stored.data() + (column * rows + row) * size,
                        size);
        }
    }
    return transposed;
}

/// Where a file has what a folder calls `name`, with or without the wrapper of text encoders.
const TensorLocation* locationOf(const WeightMap& map, const std::string& name) {
    for (const std::string& each : {name, std::string(kWrapper) + name}) {
        const auto found = map.tensors.find(map.nameInFile ? map.nameInFile(each) : each);
        if (found != map.tensors.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

bool isWeight(const std::string& name) {
    return !name.ends_with("position_ids");
}

size_t countWeights(const WeightMap& map) {
    return static_cast<size_t>(
        std::count_if(map.tensors.begin(), map.tensors.end(), [](const auto& each) {
            return isWeight(each.first);
        }));
}

bool areNear(const Json& seen, const Json& expected) {
    if (!seen.is_array() || seen.size() != expected.size()) {
        return false;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
        if (std::abs(seen[i].get<double>() - expected[i].get<double>()) > 1e-6) {
            return false;
        }
    }
    return true;
}

}  // namespace

/// Single files of SDXL's construction against the folders that they were made from.
class XlFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { folder_ = testing::xlFileFolder().toStdString() + "/"; }

    void everyWeightIsThatOfTheFolder_data() { addVariants(); }

    void everyWeightIsThatOfTheFolder() {
        QFETCH(QString, name);
        const auto folder = open(name.toStdString());
        const auto single = open(name.toStdString() + ".safetensors");
        int transposed = 0;
        for (const Component& component : components()) {
            const WeightMap theirs = folder->weights(component.name, component.stem);
            const WeightMap ours = single->weights(component.name, component.stem);
            QVERIFY(theirs.tensors.size() > 10);
            QCOMPARE(countWeights(ours), countWeights(theirs));
            for (const auto& [weight, expected] : theirs.tensors) {
                const TensorLocation* location = locationOf(ours, weight);
                QVERIFY2(!isWeight(weight) || location, weight.c_str());
                if (location && isWeight(weight)) {
                    transposed += location->isTransposed;
                    QVERIFY2(location->shape == expected.shape && location->type == expected.type &&
                                 bytesOf(ours, *location) == bytesOf(theirs, expected),
                             weight.c_str());
                }
            }
        }
        QCOMPARE(transposed, 1);
    }

    void settingsAreThoseOfTheFolder_data() { addVariants(); }

    void settingsAreThoseOfTheFolder() {
        QFETCH(QString, name);
        const auto folder = open(name.toStdString());
        const auto single = open(name.toStdString() + ".safetensors");
        for (const Component& component : components()) {
            const std::string file = std::string(component.name) + "/config.json";
            const Json expected = folder->readJson(file);
            const Json inferred = single->readJson(file);
            for (const char* key : component.settings) {
                QVERIFY2(inferred.contains(key) && inferred.at(key) == expected.at(key),
                         (file + " " + key + " " + inferred.value(key, Json()).dump()).c_str());
            }
            QCOMPARE(single->componentClass(component.name),
                     folder->componentClass(component.name));
        }
        QCOMPARE(single->pipelineClass(), folder->pipelineClass());
        const char* zeros = "force_zeros_for_empty_prompt";
        QCOMPARE(single->index().at(zeros), folder->index().at(zeros));
    }

    void latentsAreThoseOfPlayground() {
        const Json expected = open("playground_0")->readJson("vae/config.json");
        const Json inferred = open("playground_0.safetensors")->readJson("vae/config.json");
        QVERIFY(areNear(inferred.at("latents_mean"), expected.at("latents_mean")));
        QVERIFY(areNear(inferred.at("latents_std"), expected.at("latents_std")));
        const Json plain = open("sdxl_0.safetensors")->readJson("vae/config.json");
        QVERIFY(!plain.contains("latents_mean"));
    }

    void theScheduleIsThatOfTheFolder_data() {
        const testing::Rows<QString, QString> row("folder", "single");
        row("base", "sdxl_0", "sdxl_0.safetensors");
        row("v_pred and ztsnr", "sdxl_2", "velocity.safetensors");
        row("playground", "playground_0", "playground_0.safetensors");
    }

    void theScheduleIsThatOfTheFolder() {
        QFETCH(QString, folder);
        QFETCH(QString, single);
        const char* file = "scheduler/scheduler_config.json";
        Json expected = open(folder.toStdString())->readJson(file);
        expected.erase("_diffusers_version");
        const Json inferred = open(single.toStdString())->readJson(file);
        QCOMPARE(QString::fromStdString(inferred.dump()), QString::fromStdString(expected.dump()));
    }

    void eachTokenizerPadsInItsWay() {
        const auto folder = open("sdxl_1");
        const auto single = open("sdxl_1.safetensors");
        for (const char* component : {"tokenizer", "tokenizer_2"}) {
            const models::ClipTokenizer expected(*folder, component, 77);
            const models::ClipTokenizer ours(*single, component, 77);
            for (const char* prompt : {"a photo of a cat!",
                                       "",
                                       "!! <|endoftext|> 12!",
                                       "\xe6\x97\xa5\xe6\x9c\xac !!!"}) {
                const auto theirs = expected.tokenize(prompt, "prompt");
                const auto own = ours.tokenize(prompt, "prompt");
                QVERIFY(own.ids == theirs.ids && own.mask == theirs.mask);
            }
        }
        const auto padding = [&](const char* component) {
            return models::ClipTokenizer(*single, component, 77).settings().padding;
        };
        QCOMPARE(padding("tokenizer_2"), 0);
        QVERIFY(padding("tokenizer") > 0);
    }

    void theRefinerHasOneEncoderAndAScore() {
        const auto refiner = open("refiner.safetensors");
        QCOMPARE(refiner->pipelineClass(), std::string("StableDiffusionXLImg2ImgPipeline"));
        QCOMPARE(refiner->index().at("requires_aesthetics_score"), Json(true));
        QCOMPARE(refiner->index().at("force_zeros_for_empty_prompt"), Json(false));
        QVERIFY(refiner->componentClass("text_encoder").empty());
        QVERIFY(refiner->componentClass("tokenizer").empty());
        QCOMPARE(refiner->componentClass("tokenizer_2"), std::string("CLIPTokenizer"));
        const Json unet = refiner->readJson("unet/config.json");
        QCOMPARE(unet.at("addition_time_embed_dim"), Json(16));
        const Json text = refiner->readJson("text_encoder_2/config.json");
        QCOMPARE(text.at("projection_dim"), Json(80));
    }

    void whatFillsMasksIsReported() {
        const auto inpaint = open("inpaint.safetensors");
        QCOMPARE(inpaint->pipelineClass(), std::string("StableDiffusionXLInpaintPipeline"));
        QCOMPARE(inpaint->readJson("unet/config.json").at("in_channels"), Json(9));
    }

    void withoutAutoencoderTheLatentsAreKnown() {
        const auto single = open("without_vae.safetensors");
        QVERIFY(single->componentClass("vae").empty());
        QCOMPARE(single->readJson("vae/config.json").at("scaling_factor"), Json(0.13025));
    }

    /// Latents are what the denoiser was trained on, whoever decodes them.
    void anAutoencoderOfAnotherFileKeepsTheLatents_data() {
        const testing::Rows<QString, double> row("file", "scale");
        row("alone: it says nothing of them", "vae.safetensors", 0.5);
        row("of a folder: it says its own", "sdxl_0", 0.13025);
    }

    void anAutoencoderOfAnotherFileKeepsTheLatents() {
        QFETCH(QString, file);
        QFETCH(double, scale);
        const QTemporaryDir location;
        const QString alone = location.filePath("vae.safetensors");
        const QString folder = QString::fromStdString(folder_);
        QVERIFY(QFile::copy(folder + "sdxl_0/vae/diffusion_pytorch_model.safetensors", alone));
        const std::string path = (file == "sdxl_0" ? folder + file : alone).toStdString();
        models::CheckpointParts parts;
        parts["vae"] = models::openPart({.path = path, .name = file.toStdString()},
                                        "vae",
                                        testing::sourcePath("resources").toStdString());
        models::AdjustedCheckpoint adjusted(open("playground_0.safetensors"), std::move(parts), "");

        const Json settings = adjusted.readJson("vae/config.json");

        QCOMPARE(settings.at("scaling_factor"), Json(scale));
        QCOMPARE(settings.at("latents_mean").is_array(), file != "sdxl_0");
        QCOMPARE(adjusted.componentClass("vae"), std::string("AutoencoderKL"));
        const WeightMap map = adjusted.weights("vae", "diffusion_pytorch_model");
        QVERIFY(map.files.front().path.starts_with(path));
        QVERIFY(adjusted.weights("unet", "diffusion_pytorch_model").files != map.files);
    }

    /// Against the config.json that diffusers wrote for the same network.
    void blocksThatAreFewerAreInferred() {
        const Json inferred = open("small.safetensors")->readJson("unet/config.json");
        const files::InputFile config(folder_ + "small/unet/config.json");
        const Json expected = parseJson(config.readAll(kMiB), "config.json");
        for (const char* key : {"mid_block_type",
                                "reverse_transformer_layers_per_block",
                                "down_block_types",
                                "up_block_types",
                                "block_out_channels",
                                "attention_head_dim",
                                "cross_attention_dim",
                                "addition_time_embed_dim"}) {
            QVERIFY2(inferred.at(key) == expected.at(key), key);
        }
        QCOMPARE(inferred.at("transformer_layers_per_block"), Json({1, 2, {2, 1}}));
    }

    void everyWeightOfFewerBlocksIsMapped() {
        const auto single = open("small.safetensors");
        const WeightMap ours = single->weights("unet", "diffusion_pytorch_model");

        const WeightMap theirs =
            models::openWeightFile(folder_ + "small/unet/diffusion_pytorch_model.safetensors").map;
        QCOMPARE(countWeights(ours), countWeights(theirs));
        for (const auto& [weight, expected] : theirs.tensors) {
            const TensorLocation* location = locationOf(ours, weight);
            QVERIFY2(location && location->shape == expected.shape, weight.c_str());
        }
    }

    void halfPrecisionIsReadAsItIs() {
        const auto half = open("sdxl_1_half.safetensors");
        const WeightMap map = half->weights("text_encoder_2", "model");
        const TensorLocation* location = locationOf(map, "text_projection.weight");
        QVERIFY(location && location->type == DType::F16 && location->shape == (Shape{80, 128}));
    }

private:
    static void addVariants() {
        QTest::addColumn<QString>("name");
        for (const char* kind : {"sdxl", "playground"}) {
            for (const char* variant : {"0", "1", "2"}) {
                const QString name = QString(kind) + "_" + variant;
                QTest::newRow(qPrintable(name)) << name;
            }
        }
    }

    std::unique_ptr<Checkpoint> open(const std::string& name) const {
        return models::openLayout({.path = folder_ + name, .name = name},
                                  testing::sourcePath("resources").toStdString());
    }

    std::string folder_;
};

LOWTIDE_TEST(XlFileTest)

}  // namespace xl_file_test

#include "xl_file_test.moc"
