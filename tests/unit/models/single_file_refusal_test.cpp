#include "plugin/files/input_file.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <functional>

namespace single_file_refusal_test {

using namespace lowtide;
using testing::ModelBench;

namespace {

/// A test changes what it wants to be wrong.
using OwnTensors = testing::TensorFile;

constexpr const char* kConvolution = "model.diffusion_model.input_blocks.4.0.in_layers.2.weight";

constexpr const char* kNorm = "first_stage_model.decoder.up.1.block.0.norm1.weight";

struct Damage {
    const char* row;
    std::function<void(OwnTensors&)> change;
    ErrorKind kind;
    std::vector<std::string> expected;
};

void eraseUnder(OwnTensors& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

std::vector<Damage> damages() {
    using enum ErrorKind;
    return {
        {"a tensor is missing",
         [](OwnTensors& t) { t.erase(kNorm); },
         Corrupt,
         {std::string("1 missing: ") + kNorm}},
        {"a tensor under another name",
         [](OwnTensors& t) {
             t["first_stage_model.decoder.more.weight"] = t.at(kNorm);
             t.erase(kNorm);
         },
         Corrupt,
         {"1 missing: ",
          kNorm,
          "1 that the network does not have: first_stage_model.decoder.more.weight"}},
        {"another shape",
         [](OwnTensors& t) {
             Shape& shape = t.at("model.diffusion_model.time_embed.2.weight").shape;
             shape = {shape[0] * shape[1]};
         },
         Corrupt,
         {"model.diffusion_model.time_embed.2.weight is [16384], needs [128, 128]"}},
        {"a tensor of integers",
         [](OwnTensors& t) { t.at(kConvolution).type = DType::I32; },
         Corrupt,
         {kConvolution, "I32"}},
        {"no middle",
         [](OwnTensors& t) { eraseUnder(t, "model.diffusion_model.middle_block."); },
         Corrupt,
         {"there is no tensor model.diffusion_model.middle_block.1.proj_in.weight"}},
        {"levels of different lengths",
         [](OwnTensors& t) {
             eraseUnder(t, "model.diffusion_model.input_blocks.5.");
             eraseUnder(t, "model.diffusion_model.input_blocks.4.");
             t["model.diffusion_model.input_blocks.4.0.op.weight"] = {DType::F32, {0}, ""};
         },
         Unsupported,
         {"resnets"}},
        {"no text encoder",
         [](OwnTensors& t) { eraseUnder(t, "cond_stage_model."); },
         Unsupported,
         {"text_encoder is missing, sd15 needs a CLIPTextModel"}},
        {"no autoencoder",
         [](OwnTensors& t) { eraseUnder(t, "first_stage_model."); },
         Unsupported,
         {"vae is missing"}},
        {"another family",
         [](OwnTensors& t) {
             t["conditioner.embedders.0.x"] = {DType::F32, {0}, ""};
         },
         Unsupported,
         {"text_encoder_2 is missing", "sdxl needs a CLIPTextModelWithProjection"}},
        {"no checkpoint",
         [](OwnTensors& t) {
             t = {{"lora_unet_x.lora_up.weight", {DType::F32, {0}, ""}}};
         },
         Unsupported,
         {"is no checkpoint, it is of the kind \"LoRA\"", "its 1 tensors begin with lora_unet_x"}},
        {"no tensor", [](OwnTensors& t) { t.clear(); }, Unsupported, {"begin with nothing"}},
    };
}

}  // namespace

/// Single files that are damaged or something else: the message names file and tensor.
class SingleFileRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { singles_ = testing::singleFileFolder().toStdString() + "/"; }

    void namesWhatDoesNotFit_data() { testing::addEach(damages(), &Damage::row); }

    void namesWhatDoesNotFit() {
        QFETCH(int, index);
        const Damage damage = damages()[static_cast<size_t>(index)];
        OwnTensors tensors = testing::readTensorFile(singles_ + "sd15_1.safetensors");
        damage.change(tensors);
        testing::writeTensorFile(copy("m.safetensors"), tensors);
        state("sd15_1");

        const auto error = refusal("m.safetensors");

        QVERIFY(error);
        QVERIFY2(error->kind() == damage.kind, error->what());
        for (const std::string& output : damage.expected) {
            QVERIFY2(error->message().str().find(output) != std::string::npos, error->what());
        }
        QVERIFY2(error->message().str().find("m.safetensors") != std::string::npos, error->what());
        QCOMPARE(error->item(), std::string("checkpoint"));
    }

    void reportsWhereToStateWhatTheFileDoesNotState_data() {
        const testing::Rows<QString, QString> row("part", "output");
        row("denoiser", "unet", "how many norm groups");
        row("autoencoder", "vae", "norm groups of the autoencoder");
        row("text encoder", "text_encoder", "attention heads of the text encoder");
    }

    void reportsWhereToStateWhatTheFileDoesNotState() {
        QFETCH(QString, part);
        QFETCH(QString, output);
        QVERIFY(QFile::copy(QString::fromStdString(singles_ + "sd15_3.safetensors"),
                            QString::fromStdString(copy("m.safetensors"))));
        Json stated = Json::parse(files::InputFile(singles_ + "sd15_3.lowtide.json").readAll(kMiB));
        if (part == "text_encoder") {  // 48 wide: one head of 64 channels is no more than one
            stated["text_encoder"]["num_attention_heads"] = 5;
        } else {
            stated.erase(part.toStdString());
        }
        write("m.lowtide.json", stated.dump());

        const auto error = refusal("m.safetensors");

        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY2(QString::fromStdString(error->message().str()).contains(output), error->what());
        QVERIFY2(error->hint().str().find("m.lowtide.json") != std::string::npos,
                 error->hint().str().c_str());
    }

    void refusesStatementsThatStateNothing_data() {
        const testing::Rows<QString, QString> row("text", "output");
        row("no JSON", "{", "m.lowtide.json");
        row("a list", "[]", "no JSON object");
        row("an unknown part", R"({"encoder": {}})", "encoder");
        row("a part that is none", R"({"unet": 3})", "unet");
        row("a text for a number", R"({"unet": {"layers_per_block": "x"}})", "layers_per_block");
        row("a network without end",
            R"({"unet": {"layers_per_block": 1000000000}})",
            "layers_per_block");
        row("no groups", R"({"unet": {"norm_num_groups": 0}})", "norm groups");
    }

    void refusesStatementsThatStateNothing() {
        QFETCH(QString, text);
        QFETCH(QString, output);
        QVERIFY(QFile::copy(QString::fromStdString(singles_ + "sd15_1.safetensors"),
                            QString::fromStdString(copy("m.safetensors"))));
        write("m.lowtide.json", text.toStdString());
        const auto error = refusal("m.safetensors");
        QVERIFY(error);
        QVERIFY2(QString::fromStdString(error->message().str()).contains(output), error->what());
    }

    void refusesPicklesThatTorchDidNotWrite() {
        ModelBench bench;
        const auto error = testing::errorOf([&] { (void)bench.load(singles_ + "bare.pth"); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY2(error->message().str().find("bare pickle") != std::string::npos, error->what());
    }

    /// A text that was saved under the name of a model; the ending states what it should have been.
    void refusesTextsAsWhatTheyAreCalled() {
        for (const char* name : {"text.gguf", "TEXT.GGUF"}) {
            write(name, "Access to this model is restricted.");
            const auto error = refusal(name);
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
            QCOMPARE(QString::fromStdString(error->message().str()),
                     QString("\"%1\": is no GGUF file: it begins with \"Access to this m\", such "
                             "files begin with \"GGUF\"")
                         .arg(name));
        }
        write("text.safetensors", "Access to this model is restricted.");
        const auto other = refusal("text.safetensors");
        QVERIFY(other && other->message().str().find("no safetensors file") != std::string::npos);
    }

    void theContentDecidesWhatIsRead() {
        QVERIFY(QFile::copy(QString::fromStdString(singles_ + "sd15_1.safetensors"),
                            QString::fromStdString(copy("m.gguf"))));
        state("sd15_1");
        const auto error = refusal("m.gguf");
        QVERIFY2(!error, error ? error->what() : "");
    }

    void refusesWhatIsCutOff_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("safetensors") << "sd15_1.safetensors";
        QTest::newRow("ckpt") << "sd15_1.ckpt";
    }

    void refusesWhatIsCutOff() {
        QFETCH(QString, name);
        const QString target = QString::fromStdString(copy(name.toStdString()));
        QVERIFY(QFile::copy(QString::fromStdString(singles_) + name, target));
        QVERIFY(QFile::resize(target, QFileInfo(target).size() / 2));
        const auto error = refusal(name.toStdString());
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY2(error->message().str().find(name.toStdString()) != std::string::npos,
                 error->what());
    }

    void blamesTheAutoencoder_whenItsFileIsNone() {
        ModelBench bench;
        const auto refused = [&](const std::string& vae) {
            return testing::errorOf([&] {
                (void)bench.stages().loadCheckpoint({.checkpoint = "builtin:mini", .vae = vae}, "");
            });
        };
        const auto other = refused(singles_ + "forms.safetensors");
        QVERIFY(other && other->item() == "vae");
        QVERIFY2(other->message().str().find("forms.safetensors") != std::string::npos,
                 other->what());
        const auto missing = refused("no-such.safetensors");
        QVERIFY(missing && missing->item() == "vae" && missing->kind() == ErrorKind::NotFound);

        OwnTensors tensors = testing::readTensorFile(singles_ + "sd15_1.safetensors");
        eraseUnder(tensors, "first_stage_model.");
        testing::writeTensorFile(copy("m.safetensors"), tensors);
        const auto without = refused(copy("m.safetensors"));
        QVERIFY(without && without->item() == "vae");
        QVERIFY2(
            without->message().str().find("m.safetensors has no vae: its ") != std::string::npos,
            without->what());
    }

    void cleanup() {
        for (const QString& name : QDir(folder_.path()).entryList(QDir::Files)) {
            QFile::remove(folder_.filePath(name));
        }
    }

private:
    std::string copy(const std::string& name) const {
        return folder_.filePath(QString::fromStdString(name)).toStdString();
    }

    void write(const std::string& name, const std::string& text) const {
        QFile file(QString::fromStdString(copy(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
    }

    /// What the file that was taken from `single` does not state.
    void state(const std::string& single) const {
        write("m.lowtide.json",
              files::InputFile(singles_ + single + ".lowtide.json").readAll(kMiB));
    }

    std::optional<Error> refusal(const std::string& name) const {
        ModelBench bench;
        return testing::errorOf([&] { (void)bench.load(copy(name)); });
    }

    QTemporaryDir folder_;
    std::string singles_;
};

LOWTIDE_TEST(SingleFileRefusalTest)

}  // namespace single_file_refusal_test

#include "single_file_refusal_test.moc"
