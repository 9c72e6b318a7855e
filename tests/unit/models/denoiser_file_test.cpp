// Denoisers in files of their own, instead of a checkpoint's.

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <functional>

namespace denoiser_file_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ModelBench;

namespace {

using OwnTensors = testing::TensorFile;

const std::string kUNetPrefix = "model.diffusion_model.";
constexpr const char* kDiffusersFile = "diffusion_pytorch_model.safetensors";

/// The denoiser of a whole file, under another prefix.
OwnTensors unetOf(const QString& whole, const std::string& prefix) {
    OwnTensors unet;
    for (auto& [name, tensor] : testing::readTensorFile(whole.toStdString())) {
        if (name.starts_with(kUNetPrefix)) {
            unet[prefix + name.substr(kUNetPrefix.size())] = tensor;
        }
    }
    return unet;
}

testing::FileTensor noValues() {
    return {DType::F32, {0}, ""};
}

std::map<std::string, std::string> weightsOf(const WireRef& model, std::string_view role) {
    return testing::weightsOf(*ModelBench::modelOf(model).tree(role));
}

}  // namespace

class DenoiserFileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    ModelBench bench_;

    [[nodiscard]] std::string at(const std::string& name) const {
        return folder_->filePath(QString::fromStdString(name)).toStdString();
    }

    static QString single(const char* name) { return testing::singleFileFolder() + "/" + name; }

    static QString xl(const char* name) { return testing::xlFileFolder() + "/" + name; }

    /// Settings that shapes do not reveal, of what lies next to `whole`, for a file of its
    /// denoiser.
    void stateFor(const std::string& name, const QString& whole) const {
        QString sidecar = whole;
        sidecar.replace(".safetensors", ".lowtide.json");
        const Json all =
            Json::parse(files::InputFile(sidecar.toStdString()).readAll(kMiB)).at("unet");
        files::writeFileAtomically(at(name), Json{{"unet", all}}.dump());
    }

    /// A file of the denoiser of `whole`, in the folder of this case.
    [[nodiscard]] std::string denoiserOf(const QString& whole,
                                         const std::string& prefix = "",
                                         const std::function<void(OwnTensors&)>& change = {},
                                         const std::map<std::string, std::string>& expected = {}) {
        OwnTensors unet = unetOf(whole, prefix);
        if (change) {
            change(unet);
        }
        testing::writeTensorFile(at("unet.safetensors"), unet, expected);
        if (!whole.endsWith("sd15_0.safetensors")) {
            stateFor("unet.lowtide.json", whole);
        }
        return at("unet.safetensors");
    }

    [[nodiscard]] WireRef open(const QString& checkpoint,
                               const std::string& unet,
                               const std::string& prediction = "checkpoint") {
        return bench_.stages().loadCheckpoint(
            {.checkpoint = checkpoint.toStdString(), .unet = unet, .prediction = prediction}, "");
    }

    [[nodiscard]] Json scheduler(const QString& checkpoint,
                                 const std::string& unet,
                                 const std::string& prediction = "checkpoint") {
        return ModelBench::modelOf(open(checkpoint, unet, prediction)).info().schedulerConfig;
    }

    [[nodiscard]] Error refusal(const QString& checkpoint, const std::string& unet) {
        const auto error = testing::errorOf([&] { (void)open(checkpoint, unet); });
        return error ? *error : Error(ErrorKind::Internal, Message("it is not refused"));
    }

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void replacesTheCheckpointsOwn_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("giver");
        QTest::addColumn<QString>("prefix");
        for (const char* prefix : {"", "model.diffusion_model."}) {
            QTest::addRow("SD \"%s\"", prefix)
                << single("sd15_1.safetensors") << single("half_1.safetensors") << prefix;
            QTest::addRow("SDXL \"%s\"", prefix)
                << xl("sdxl_1.safetensors") << xl("velocity.safetensors") << prefix;
            QTest::addRow("into a folder \"%s\"", prefix)
                << testing::goldenFolder() + "/checkpoints/sd15_1" << single("half_1.safetensors")
                << prefix;
            QTest::addRow("that fills masks \"%s\"", prefix)
                << single("sd15_1.safetensors") << single("inpaint_1.safetensors") << prefix;
        }
    }

    void replacesTheCheckpointsOwn() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, giver);
        QFETCH(QString, prefix);
        const WireRef own = bench_.load(checkpoint.toStdString());
        const WireRef other = bench_.load(giver.toStdString());

        const WireRef with = open(checkpoint, denoiserOf(giver, prefix.toStdString()));

        QVERIFY(weightsOf(with, models::kDenoiser) == weightsOf(other, models::kDenoiser));
        for (const std::string_view role : {models::kTextEncoder, models::kAutoencoder}) {
            QVERIFY(weightsOf(with, role) == weightsOf(own, role));
        }
        QVERIFY(bench_.stages().fingerprint(with) != bench_.stages().fingerprint(own));
        const models::ModelInfo& info = ModelBench::modelOf(with).info();
        QCOMPARE(info.fillsMasks, ModelBench::modelOf(other).info().fillsMasks);
        QCOMPARE(info.denoiser, std::string("unet.safetensors"));
    }

    /// Users may name a whole checkpoint whose denoiser they want.
    void aWholeCheckpointGivesItsOwn() {
        const std::string giver = single("sd15_1.safetensors").toStdString();
        const WireRef with = open(single("half_1.safetensors"), giver);
        QVERIFY(weightsOf(with, models::kDenoiser) ==
                weightsOf(bench_.load(giver), models::kDenoiser));
    }

    /// Its denoiser was trained on latents of another mean, and on EDM's noise.
    void aWholeCheckpointBringsLatentsAndNoise() {
        const std::string playground = xl("playground_1.safetensors").toStdString();
        const auto infoOf = [](const WireRef& model) { return ModelBench::modelOf(model).info(); };
        const models::ModelInfo expected = infoOf(bench_.load(playground));
        QVERIFY(!expected.latent.mean.empty());

        const models::ModelInfo info = infoOf(open(xl("sdxl_1.safetensors"), playground));

        QCOMPARE(info.latent.mean, expected.latent.mean);
        QCOMPARE(info.latent.deviation, expected.latent.deviation);
        QCOMPARE(info.schedulerConfig, expected.schedulerConfig);
        QVERIFY(sampling::hasEdmLevels(info.schedulerConfig));
    }

    void takesDiffusersNames_nextToTheirSettings() {
        const QString source = testing::goldenFolder() + "/checkpoints/sd15_1";
        for (const char* name : {kDiffusersFile, "config.json"}) {
            QVERIFY(QFile::copy(source + "/unet/" + name, folder_->filePath(name)));
        }
        const WireRef with = open(single("half_1.safetensors"), at(kDiffusersFile));
        QVERIFY(weightsOf(with, models::kDenoiser) ==
                weightsOf(bench_.load(source.toStdString()), models::kDenoiser));
    }

    /// As `lowtide convert` writes them of a folder: then settings are those of the checkpoint.
    void takesDiffusersNames_withoutTheirSettings() {
        const QString source = testing::goldenFolder() + "/checkpoints/sd15_1";
        QVERIFY(QFile::copy(source + "/unet/" + kDiffusersFile, folder_->filePath(kDiffusersFile)));
        for (const char* other : {"", R"({"_class_name": "UNet2DModel"})"}) {
            files::writeFileAtomically(at(*other ? "config.json" : "nothing"), other);
            for (const QString& checkpoint : {source, single("half_1.safetensors")}) {
                const WireRef with = open(checkpoint, at(kDiffusersFile));
                QVERIFY(weightsOf(with, models::kDenoiser) ==
                        weightsOf(bench_.load(source.toStdString()), models::kDenoiser));
            }
        }
        const models::Recognised known = bench_.stages().recognise(at(kDiffusersFile));
        QCOMPARE(known.family, std::string("networks with a context 96 wide"));
        QVERIFY(known.isRunnable());
        const Error otherFamily = refusal(xl("sdxl_1.safetensors"), at(kDiffusersFile));
        QCOMPARE(otherFamily.item(), std::string("unet"));
        QVERIFY2(
            otherFamily.message().str().find(" 96 wide (cross_attention_dim), the checkpoint's own "
                                             "192") != std::string::npos,
            otherFamily.what());
        QVERIFY(QFile::copy(testing::goldenFolder() + "/checkpoints/sd15_0/unet/" + kDiffusersFile,
                            folder_->filePath("other.safetensors")));
        const Error otherSizes = refusal("builtin:mini", at("other.safetensors"));
        QCOMPARE(otherSizes.item(), std::string("unet"));
        QVERIFY2(otherSizes.message().str().find(
                     "do not fit the settings of the checkpoint's denoiser") != std::string::npos,
                 otherSizes.what());
        QVERIFY2(otherSizes.hint().str().find("put the config.json") != std::string::npos,
                 otherSizes.what());
    }

    /// A config.json that comes is read, though the model was open without it.
    void readsSettingsThatCome() {
        const QString source = testing::goldenFolder() + "/checkpoints/sd15_1";
        QVERIFY(QFile::copy(source + "/unet/" + kDiffusersFile, folder_->filePath(kDiffusersFile)));
        const WireRef before = open(source, at(kDiffusersFile));
        files::writeFileAtomically(at("config.json"), R"({"_class_name": "UNet2DConditionModel",
            "block_out_channels": [7]})");
        QCOMPARE(refusal(source, at(kDiffusersFile)).item(), std::string("unet"));
    }

    void reportsWhatItPredicts_data() {
        const testing::Rows<QStringList, QString, QString, QString> row(
            "keys", "metadata", "chosen", "prediction");
        row("nothing", {}, "", "checkpoint", "epsilon");
        row("key", {"v_pred"}, "", "checkpoint", "v_prediction");
        row("metadata", {}, "v", "checkpoint", "v_prediction");
        row("metadata, hyphenated", {}, "V-Prediction", "checkpoint", "v_prediction");
        row("metadata against the key", {"v_pred"}, "eps", "checkpoint", "epsilon");
        row("a word of neither", {"v_pred"}, "sample", "checkpoint", "v_prediction");
        row("the user chose", {"v_pred"}, "", "epsilon", "epsilon");
    }

    void reportsWhatItPredicts() {
        QFETCH(QStringList, keys);
        QFETCH(QString, metadata);
        QFETCH(QString, chosen);
        QFETCH(QString, prediction);
        std::map<std::string, std::string> expected;
        if (!metadata.isEmpty()) {
            expected["modelspec.prediction_type"] = metadata.toStdString();
        }
        const std::string unet = denoiserOf(
            single("sd15_0.safetensors"),
            "",
            [&](OwnTensors& tensors) {
                for (const QString& key : keys) {
                    tensors[key.toStdString()] = noValues();
                }
            },
            expected);

        const Json config = scheduler(single("sd15_0.safetensors"), unet, chosen.toStdString());

        QCOMPARE(config.at("prediction_type"), Json(prediction.toStdString()));
        QCOMPARE(config.at("_class_name"), Json("PNDMScheduler"));
        QVERIFY(!config.contains("rescale_betas_zero_snr"));
    }

    /// As a whole file with the same two keys.
    void beginsWithoutSignal_whereItStatesIt() {
        const auto addKeys = [](OwnTensors& tensors) {
            tensors["v_pred"] = noValues();
            tensors["ztsnr"] = noValues();
        };
        const QString plain = single("sd15_0.safetensors");
        OwnTensors whole = testing::readTensorFile(plain.toStdString());
        addKeys(whole);
        testing::writeTensorFile(at("whole.safetensors"), whole);

        QCOMPARE(scheduler(plain, denoiserOf(plain, "", addKeys)),
                 scheduler(folder_->filePath("whole.safetensors"), ""));
        QCOMPARE(
            scheduler(xl("sdxl_1.safetensors"), denoiserOf(xl("sdxl_1.safetensors"), "", addKeys)),
            scheduler(xl("velocity.safetensors"), ""));
    }

    void refusesAnotherFamily_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("giver");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("SDXL's on SD")
            << single("sd15_0.safetensors") << xl("sdxl_1.safetensors")
            << QStringList{"sd15_0.safetensors", "reads texts 192 wide", "give 128"};
        QTest::newRow("SD's on SDXL")
            << xl("sdxl_1.safetensors") << single("sd15_0.safetensors")
            << QStringList{"sdxl_1.safetensors", "reads texts 128 wide", "and 128 (text_encoder_2"};
    }

    void refusesAnotherFamily() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, giver);
        QFETCH(QStringList, expected);
        const Error error = refusal(checkpoint, denoiserOf(giver));
        QCOMPARE(error.item(), std::string("unet"));
        QVERIFY(error.kind() == ErrorKind::Unsupported);
        for (const QString& text : expected << "the denoiser of unet.safetensors") {
            QVERIFY2(QString::fromStdString(error.message().str()).contains(text), error.what());
        }
        QVERIFY2(error.hint().str().starts_with("choose a denoiser for networks with a context"),
                 error.hint().str().c_str());
    }

    void blamesTheDenoiser_data() {
        const testing::Rows<QString, QString> row("row", "text");
        row("not there", "missing", "there is no denoiser \"missing\"");
        row("another network", "vae_diffusers.safetensors", "has no unet");
        row("cut off", "cut", "unet.safetensors");
        row("a tensor less", "less", "1 missing: input_blocks.4.0.in_layers.0.weight");
        row("other channels", "channels", "the denoiser of unet.safetensors takes 7 channels");
        row("EDM's velocity", "edm", "edm_vpred.sigma_max");
    }

    void blamesTheDenoiser() {
        QFETCH(QString, row);
        QFETCH(QString, text);
        const QString plain = single("sd15_0.safetensors");
        std::string unet = row == "missing" ? "missing" : single(qPrintable(row)).toStdString();
        if (!row.startsWith("vae") && row != "missing") {
            unet = denoiserOf(plain, "", [&](OwnTensors& tensors) {
                if (row == "less") {
                    tensors.erase("input_blocks.4.0.in_layers.0.weight");
                } else if (row == "edm") {
                    tensors["edm_vpred.sigma_max"] = noValues();
                } else if (row == "channels") {
                    testing::FileTensor& first = tensors.at("input_blocks.0.0.weight");
                    first.shape[1] = 7;
                    first.bytes.resize(static_cast<size_t>(*elementCount(first.shape)) * 4);
                }
            });
        }
        if (row == "cut") {
            const QString file = QString::fromStdString(unet);
            QVERIFY(QFile::resize(file, QFileInfo(file).size() / 2));
        }

        const Error error = refusal(plain, unet);

        QCOMPARE(error.item(), std::string("unet"));
        QVERIFY2(QString::fromStdString(error.message().str()).contains(text), error.what());
    }

    void isNoCheckpoint_data() {
        QTest::addColumn<QString>("prefix");
        QTest::newRow("without a prefix") << "";
        QTest::newRow("with one") << "model.diffusion_model.";
    }

    void isNoCheckpoint() {
        QFETCH(QString, prefix);
        const std::string unet = denoiserOf(single("sd15_0.safetensors"), prefix.toStdString());
        const auto error = testing::errorOf([&] { (void)bench_.load(unet); });
        QVERIFY(error && error->item() == "checkpoint");
        QVERIFY2(error->message().str().find("no checkpoint, it is of the kind \"denoiser\"") !=
                     std::string::npos,
                 error->what());
        QVERIFY2(error->hint().str().find("this file as its denoiser (unet)") != std::string::npos,
                 error->what());
    }

    /// In the folders where ComfyUI and A1111 keep them.
    void isFoundByName_data() {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"unet", "diffusion_models", "Stable-diffusion", "."}) {
            QTest::newRow(folder) << folder;
        }
    }

    void isFoundByName() {
        QFETCH(QString, folder);
        QVERIFY(QDir(folder_->path()).mkpath(folder));
        const QString unet = QString::fromStdString(denoiserOf(single("sd15_0.safetensors")));
        QVERIFY(QFile::rename(unet, folder_->filePath(folder + "/own.safetensors")));
        const WireRef with = bench_.stages().loadCheckpoint(
            {.checkpoint = single("sd15_0.safetensors").toStdString(), .unet = "own.safetensors"},
            folder_->path().toStdString());
        QCOMPARE(ModelBench::modelOf(with).info().denoiser, std::string("own.safetensors"));
    }
};

LOWTIDE_TEST(DenoiserFileTest)

}  // namespace denoiser_file_test

#include "denoiser_file_test.moc"
