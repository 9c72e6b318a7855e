#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QtTest/QtTest>

namespace single_file_test {

using namespace lowtide;
using models::CheckpointFolder;
using testing::ModelBench;

namespace {

constexpr std::string_view kRoles[] = {
    models::kTextEncoder, models::kDenoiser, models::kAutoencoder};

/// What of a network's settings changes numbers.
std::string textOf(const models::UNet2DConfig& config) {
    Json json = {config.inChannels,
                 config.outChannels,
                 config.convInKernel,
                 config.convOutKernel,
                 config.groups,
                 config.epsilon,
                 config.linearProjection,
                 config.cosineFirst,
                 config.frequencyShift,
                 config.timeWidth,
                 config.guidanceWidth};
    for (const models::UNetLevel& level : config.levels) {
        json.push_back({level.channels,
                        level.layers,
                        level.heads,
                        level.downTransformers,
                        level.upTransformers,
                        level.contextWidth,
                        static_cast<int>(level.down),
                        static_cast<int>(level.up)});
    }
    return json.dump();
}

std::string textOf(const models::AutoencoderConfig& config) {
    return Json{config.latentChannels,
                config.layersPerBlock,
                config.groups,
                config.scalingFactor,
                config.quantConv,
                config.postQuantConv,
                config.midAttention,
                config.channels}
        .dump();
}

std::string textOf(const models::ClipTextConfig& config) {
    return Json{config.vocabularySize,
                config.width,
                config.innerWidth,
                config.layers,
                config.heads,
                config.positions,
                config.endToken,
                config.epsilon,
                config.quickGelu}
        .dump();
}

/// All settings of a checkpoint that change numbers.
std::vector<std::string> settingsOf(models::Checkpoint& checkpoint) {
    return {textOf(models::readUNet2DConfig(checkpoint.readJson("unet/config.json"), "unet")),
            textOf(models::readAutoencoderConfig(checkpoint.readJson("vae/config.json"), "vae")),
            textOf(models::readClipTextConfig(checkpoint.readJson("text_encoder/config.json"),
                                              "text"))};
}

std::string resources() {
    return testing::sourcePath("resources").toStdString();
}

}  // namespace

/// Checkpoints in one file against the folders that they were made from, to the last bit.
class SingleFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Source: diffusers 0.42.1, UNet2DConditionModel.__init__.
    void whatAConfigLeavesOutIsAsInTheReference() {
        const models::UNet2DConfig config = models::readUNet2DConfig(Json::object(), "unet");
        std::vector<int64_t> channels;
        for (const models::UNetLevel& level : config.levels) {
            channels.push_back(level.channels);
        }
        QCOMPARE(channels, (std::vector<int64_t>{320, 640, 1280, 1280}));
        QCOMPARE(config.contextWidth(), int64_t{1280});
    }

    void initTestCase() {
        singles_ = testing::singleFileFolder().toStdString() + "/";
        folders_ = testing::goldenFolder().toStdString() + "/checkpoints/";
    }

    void everyWeightIsThatOfTheFolder_data() {
        const testing::Rows<QString, QString> row("single", "folder");
        for (const char* variant : {"0", "1", "2", "3", "4", "5"}) {
            const QString name = QString("sd15_") + variant;
            row(qPrintable(name), name + ".safetensors", name);
        }
        row("ckpt 0", "sd15_0.ckpt", "sd15_0");
        row("ckpt 1", "sd15_1.ckpt", "sd15_1");
        row("half", "half_1.safetensors", "half_1");
        row("half ckpt", "half_1.ckpt", "half_1");
        row("without text_model.", "bare_1.safetensors", "sd15_1");
        row("OpenCLIP", "open_clip_1.safetensors", "sd15_1");
    }

    void everyWeightIsThatOfTheFolder() {
        QFETCH(QString, single);
        QFETCH(QString, folder);
        ModelBench bench;
        const nodes::WireRef ours = bench.load(singles_ + single.toStdString());
        const nodes::WireRef theirs = bench.load(folders_ + folder.toStdString());
        for (const std::string_view role : kRoles) {
            const auto ourWeights = testing::weightsOf(*ModelBench::modelOf(ours).tree(role));
            const auto theirWeights = testing::weightsOf(*ModelBench::modelOf(theirs).tree(role));
            QVERIFY(theirWeights.size() > 10);
            QCOMPARE(ourWeights.size(), theirWeights.size());
            for (const auto& [name, weight] : theirWeights) {
                QVERIFY2(ourWeights.contains(name) && ourWeights.at(name) == weight, name.c_str());
            }
        }
    }

    void settingsAreThoseOfTheFolder_data() {
        QTest::addColumn<QString>("name");
        for (const char* variant : {"0", "1", "2", "3", "4", "5"}) {
            QTest::newRow(variant) << QString("sd15_") + variant;
        }
    }

    void settingsAreThoseOfTheFolder() {
        QFETCH(QString, name);
        CheckpointFolder folder(folders_ + name.toStdString(), "folder");
        const auto single = openSingle(name.toStdString() + ".safetensors");
        const std::vector<std::string> expected = settingsOf(folder);
        const std::vector<std::string> inferred = settingsOf(*single);
        for (size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(inferred[i], expected[i]);
        }
    }

    void theScheduleIsThePublishedOne() {
        CheckpointFolder folder(folders_ + "sd15_0", "folder");
        const auto single = openSingle("sd15_0.safetensors");
        Json expected = folder.readJson("scheduler/scheduler_config.json");
        const Json inferred = single->readJson("scheduler/scheduler_config.json");
        expected.erase("_diffusers_version");
        for (const auto& [key, value] : expected.items()) {
            QVERIFY2(inferred.contains(key) && inferred.at(key) == value, key.c_str());
        }
        QCOMPARE(inferred.at("prediction_type"), Json("epsilon"));
    }

    void promptsGetTheIdsOfTheFoldersTokenizer_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("whole vocabulary") << "sd15_0";
        QTest::newRow("2000 merges, 24 tokens") << "sd15_2";
    }

    void promptsGetTheIdsOfTheFoldersTokenizer() {
        QFETCH(QString, name);
        CheckpointFolder folder(folders_ + name.toStdString(), "folder");
        const auto single = openSingle(name.toStdString() + ".safetensors");
        const int64_t length = name == "sd15_2" ? 24 : 77;
        const models::ClipTokenizer expected(folder, "tokenizer", length);
        const models::ClipTokenizer ours(*single, "tokenizer", length);
        for (const char* prompt : {"a photo of an astronaut riding a horse",
                                   "",
                                   "Qu'est-ce que c'est? 12345 naïve café <|endoftext|> x",
                                   "\xe6\x97\xa5\xe6\x9c\xac !!! ((word:1.2))"}) {
            QVERIFY(ours.tokenize(prompt, "prompt").ids == expected.tokenize(prompt, "prompt").ids);
        }
    }

    void tensorsOfEveryTypeAndViewLieWhereTorchPutThem_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("zip, wrapped") << "forms.ckpt";
        QTest::newRow("protocol 4") << "protocol4.pth";
        QTest::newRow("before 1.6") << "before_1_6.pth";
        QTest::newRow("before 1.6, wrapped") << "trained_before_1_6.pth";
    }

    void tensorsOfEveryTypeAndViewLieWhereTorchPutThem() {
        QFETCH(QString, file);
        const std::string path = singles_ + file.toStdString();
        const models::WeightMap map = models::openWeightFile(path).map;
        const files::InputFile weights(path);
        const testing::TensorFile expected =
            testing::readTensorFile(singles_ + "forms.safetensors");
        QVERIFY(expected.size() >= 16);
        QCOMPARE(map.tensors.size(), expected.size() + 1);
        for (const auto& [name, tensor] : expected) {
            const models::TensorLocation& location = map.tensors.at(name);
            std::string bytes(tensor.bytes.size(), '\0');
            weights.read(std::as_writable_bytes(std::span(bytes)), location.offset);
            QVERIFY2(location.type == tensor.type && location.shape == tensor.shape &&
                         location.isRowMajor && bytes == tensor.bytes,
                     name.c_str());
        }
        QVERIFY(!map.tensors.at("transposed").isRowMajor);
    }

    void anAutoencoderOfItsOwnReplacesIt_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("LDM's names, with a trainer's") << "vae_ldm.ckpt";
        QTest::newRow("diffusers' names") << "vae_diffusers.safetensors";
        QTest::newRow("with a prefix") << "vae_prefixed.safetensors";
        QTest::newRow("of a whole checkpoint") << "sd15_1.safetensors";
    }

    void anAutoencoderOfItsOwnReplacesIt() {
        QFETCH(QString, file);
        ModelBench bench;
        const nodes::WireRef with = bench.stages().loadCheckpoint(
            {.checkpoint = folders_ + "sd15_5", .vae = singles_ + file.toStdString()}, "");
        const nodes::WireRef own = bench.load(folders_ + "sd15_5");
        const nodes::WireRef giver = bench.load(folders_ + "sd15_1");
        const auto weights = [](const nodes::WireRef& model, std::string_view role) {
            return testing::weightsOf(*ModelBench::modelOf(model).tree(role));
        };
        QVERIFY(weights(with, models::kAutoencoder) == weights(giver, models::kAutoencoder));
        QVERIFY(weights(with, models::kDenoiser) == weights(own, models::kDenoiser));
        QVERIFY(bench.stages().fingerprint(with) != bench.stages().fingerprint(own));
    }

    void thePredictionIsTheOneThatWasChosen() {
        ModelBench bench;
        const auto prediction = [&](const std::string& chosen) {
            const nodes::WireRef model = bench.stages().loadCheckpoint(
                {.checkpoint = singles_ + "sd15_0.safetensors", .prediction = chosen}, "");
            return ModelBench::modelOf(model).info().schedulerConfig.at("prediction_type");
        };
        QCOMPARE(prediction("checkpoint"), Json("epsilon"));
        QCOMPARE(prediction("v_prediction"), Json("v_prediction"));
        QCOMPARE(prediction("epsilon"), Json("epsilon"));
    }

private:
    std::unique_ptr<models::Checkpoint> openSingle(const std::string& name) const {
        return models::openLayout({.path = singles_ + name, .name = "single"}, resources());
    }

    std::string singles_;
    std::string folders_;
};

LOWTIDE_TEST(SingleFileTest)

}  // namespace single_file_test

#include "single_file_test.moc"
