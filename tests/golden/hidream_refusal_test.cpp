// Files of HiDream-I1 that make no model together, and sizes and prompts that do not fit: refused
// before the run, or reported, in a sentence with node, parameter and file.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/image_files.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace hidream_refusal_test {

using namespace lowtide;
using testing::TensorFile;

namespace {

constexpr const char* kTable = "model.embed_tokens.weight";

}  // namespace

class HiDreamRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        split_ = testing::hidreamFileFolder({"hidream_0"}) + "/hidream_0/";
        const TensorFile llama =
            testing::readTensorFile((split_ + "llama.safetensors").toStdString());
        const auto llamaIn = [&](const QString& folder, const TensorFile& tensors) {
            copyNextTo(folder, "llama");
            testing::copyFolder(split_ + "tokenizer_4", path(folder + "/tokenizer_4"));
            testing::writeTensorFile(path(folder + "/llama.safetensors").toStdString(), tensors);
        };
        TensorFile other = llama;
        for (const auto& [name, tensor] : llama) {
            if (name.find(".layers.1.") != std::string::npos ||
                name.find(".layers.2.") != std::string::npos) {
                other.erase(name);
            }
        }
        llamaIn("cut", other);
        other = llama;
        other.erase("model.layers.1.mlp.up_proj.weight");
        llamaIn("gap", other);
        other = llama;
        testing::FileTensor& table = other.at(kTable);
        table.shape[0] /= 2;
        table.bytes.resize(table.bytes.size() / 2);
        llamaIn("few", other);
        llamaIn("base", llama);
        Json tokenizer =
            Json::parse(testing::contentsOf(path("base/tokenizer_4/tokenizer.json")).toStdString());
        tokenizer["added_tokens"] = Json::array();
        for (const char* special : {"<|begin_of_text|>", "<|eot_id|>"}) {
            tokenizer["model"]["vocab"].erase(special);
        }
        tokenizer["post_processor"] = nullptr;
        testing::writeFile(path("base/tokenizer_4/tokenizer.json"),
                           QByteArray::fromStdString(tokenizer.dump()));
        llamaIn("mute", llama);
        QVERIFY(QDir(path("mute/tokenizer_4")).removeRecursively());
        llamaIn("crossed", llama);
        QVERIFY(QDir(path("crossed/tokenizer_4")).removeRecursively());
        testing::copyFolder(split_ + "tokenizer_3", path("crossed/tokenizer_4"));
        copyNextTo("t5", "t5");
        testing::writeFile(path("t5/t5.safetensors"),
                           testing::contentsOf(split_ + "t5.safetensors"));
        llamaIn("half", llama);
        const QByteArray whole = testing::contentsOf(split_ + "llama.safetensors");
        testing::writeFile(path("half/llama.safetensors"), whole.left(whole.size() / 2));
    }

    void filesAreRefused_data() {
        const auto row = testing::refusalRows();
        row("Llama with fewer layers",
            "text_encoders.file_4=" + path("cut/llama.safetensors"),
            {"load.text_encoder", "text_encoder_4 has 1 layers", "reads the states of number 2"});
        row("Llama with a gap",
            "text_encoders.file_4=" + path("gap/llama.safetensors"),
            {"layers.1.mlp.up_proj.weight", "llama.safetensors"});
        row("Llama cut off",
            "text_encoders.file_4=" + path("half/llama.safetensors"),
            {"text_encoders.file_4: \"llama.safetensors\"", "damaged or incomplete"});
        row("Llama of fewer words",
            "text_encoders.file_4=" + path("few/llama.safetensors"),
            {"load.text_encoder: " + path("few/tokenizer_4/tokenizer.json") + " has 602 tokens",
             "text_encoder_4",
             "301 rows"});
        row("a tokenizer without its specials",
            "text_encoders.file_4=" + path("base/llama.safetensors"),
            {"eos_token is \"<|eot_id|>\"", "trained for instructions"});
        row("no tokenizer of Llama",
            "text_encoders.file_4=" + path("mute/llama.safetensors"),
            {"load.text_encoder", "llama.safetensors has no tokenizer", "tokenizer_4/"});
        row("no tokenizer of T5",
            "text_encoders.file_3=" + path("t5/t5.safetensors"),
            {"load.text_encoder",
             "t5.safetensors has no tokenizer",
             "put spiece.model of T5 v1.1 XXL",
             "tokenizer_3/"});
        row("the tokenizer of T5 for Llama",
            "text_encoders.file_4=" + path("crossed/llama.safetensors"),
            {"load.text_encoder: " + path("crossed/tokenizer_4/tokenizer.json"),
             "the type \"Unigram\"",
             "BPE"});
        row("one encoder twice",
            "text_encoders.file=" + split_ + "t5.safetensors",
            {"T5EncoderModel, one more than hidream reads"});
        row("no Llama",
            "text_encoders.file_4=",
            {"lacks its fourth text encoder", "llama_3.1_8b_instruct"});
        row("a denoiser as encoder",
            "text_encoders.file=" + split_ + "diffusion_model.safetensors",
            {"text_encoders.file: ", "has no text_encoder"});
        row("an encoder as denoiser",
            "load.file=" + split_ + "llama.safetensors",
            {"load.file", "kind \"text_encoder\"", "Load text encoders"});
        row("an encoder of UMT5's width",
            "text_encoders.file_3=" + testing::splitFileFolder({"wan_i2v_0"}) +
                "/wan_i2v_0/text_encoder.safetensors",
            {"text_encoder"});
    }

    void filesAreRefused() { testing::checkRefused(usual()); }

    void sizesAreRefused_data() {
        const auto add = testing::refusalRows();
        const auto row = [&](const char* set, const QStringList& expected) {
            add(set, set, expected);
        };
        row("latent.width=72", {"denoise.latent: the size 72 x 64", "multiples of 16"});
        row("latent.width=8", {"latent.width is 8, the smallest is 16"});
        row("latent.height=16392", {"latent.height is 16392, the largest is 16384"});
        row("latent.height=4096",
            {"the size is 64 x 4096", "65536 pixels of an image that is no square"});
        row("encode.length=513", {"encode.length is 513, the largest is 512"});
    }

    void sizesAreRefused() { testing::checkRefused(usual()); }

    /// Cut as the reference cuts, and reported.
    void aPromptOfTwoThousandTokensIsCut() {
        const QString prompt = "encode.prompt=" + QStringList(2000, "boat").join(' ');
        const testing::CommandResult plan = testing::planOfFiles(usual(), prompt);
        QVERIFY2(plan.exitCode == 0, qPrintable(plan.errors));
        QVERIFY2(plan.errors.contains("encode.prompt: ") &&
                     plan.errors.contains(" tokens at the end of the text are left out"),
                 qPrintable(plan.errors));
    }

private:
    QString path(const QString& name) const { return folder_.filePath(name); }

    /// What single files state next to them, without the weights.
    void copyNextTo(const QString& folder, const QString& stem) const {
        QVERIFY(QDir(folder_.path()).mkpath(folder));
        const QString settings = split_ + stem + ".lowtide.json";
        if (QFile::exists(settings)) {
            testing::writeFile(path(folder + "/" + stem + ".lowtide.json"),
                               testing::contentsOf(settings));
        }
    }

    [[nodiscard]] testing::ImageFiles usual() const {
        return {
            .folder = split_,
            .texts = {
                "clip_l.safetensors", "clip_g.safetensors", "t5.safetensors", "llama.safetensors"}};
    }

    QTemporaryDir folder_;
    QString split_;
};

LOWTIDE_TEST(HiDreamRefusalTest)

}  // namespace hidream_refusal_test

#include "hidream_refusal_test.moc"
