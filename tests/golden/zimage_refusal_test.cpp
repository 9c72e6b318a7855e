// Files of Z-Image that make no model together, and sizes that do not fit: refused before the run
// in a sentence with node, parameter and file.

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

#include <functional>

namespace zimage_refusal_test {

using namespace lowtide;
using testing::TensorFile;

class ZImageRefusalTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString split_;

    QString path(const QString& name) const { return folder_.filePath(name); }

    /// The transformer with something else in it.
    void writeDenoiser(const QString& name, const std::function<void(TensorFile&)>& edit) const {
        testing::writeChanged(
            split_ + "/diffusion_model.safetensors", path(name + ".safetensors"), edit);
    }

private Q_SLOTS:

    void initTestCase() {
        split_ = testing::zimageFileFolder({"zimage_0", "zimage_1"}) + "/zimage_0";
        writeDenoiser("gap",
                      [](TensorFile& file) { file.erase("layers.1.feed_forward.w3.weight"); });
        writeDenoiser("uneven", [](TensorFile& file) {
            testing::FileTensor& fused = file.at("layers.1.attention.qkv.weight");
            fused.bytes.resize(fused.bytes.size() / 288 * 287);
            fused.shape[0] = 287;
        });
        writeDenoiser("pixels", [](TensorFile& file) {
            file["dec_net.cond_embed.weight"] = file.at("x_pad_token");
        });
        writeDenoiser("omni", [](TensorFile& file) {
            file["siglip_embedder.1.weight"] = file.at("x_pad_token");
        });
        QVERIFY(QFile::copy(split_ + "/qwen.safetensors", path("mute.safetensors")));
        const QByteArray whole = testing::contentsOf(split_ + "/diffusion_model.safetensors");
        testing::writeFile(path("half.safetensors"), whole.left(whole.size() / 2));
    }

    void filesAreRefused_data() {
        const auto row = testing::refusalRows();
        row("a denoiser with a gap",
            "load.file=" + path("gap.safetensors"),
            {"layers.1.feed_forward.w3.weight", "gap.safetensors"});
        row("a denoiser cut off",
            "load.file=" + path("half.safetensors"),
            {"half.safetensors", "damaged or incomplete"});
        row("rows that are no thirds",
            "load.file=" + path("uneven.safetensors"),
            {"layers.1.attention.qkv.weight", "uneven.safetensors"});
        row("one that paints pixels",
            "load.file=" + path("pixels.safetensors"),
            {"load.file", "pixels.safetensors", "paints pixels", "z_image_turbo"});
        row("one that reads images",
            "load.file=" + path("omni.safetensors"),
            {"load.file", "omni.safetensors", "Omni", "z_image_turbo"});
        row("no tokenizer",
            "text_encoders.file=" + path("mute.safetensors"),
            {"load.text_encoder", "mute.safetensors has no tokenizer", "Qwen3-4B"});
        row("an encoder of another width",
            "text_encoders.file=" + testing::zimageFileFolder({"zimage_0", "zimage_1"}) +
                "/zimage_1/qwen.safetensors",
            {"text_encoder", "reads texts 64 wide", "gives 96"});
        row("Llama for Qwen",
            "text_encoders.file=" + testing::hidreamFileFolder({"hidream_0"}) +
                "/hidream_0/llama.safetensors",
            {"LlamaModel", "zimage reads Qwen3Model"});
        row("two encoders",
            "text_encoders.file_2=" + split_ + "/qwen_fp8.safetensors",
            {"Qwen3Model, one more than zimage reads"});
        row("a denoiser as encoder",
            "text_encoders.file=" + split_ + "/diffusion_model.safetensors",
            {"text_encoders.file: ", "has no text_encoder"});
        row("an encoder as denoiser",
            "load.file=" + split_ + "/qwen.safetensors",
            {"load.file", "kind \"text_encoder\"", "Load text encoders"});
        row("no multiple of 16", "latent.width=72", {"denoise.latent: the size 72 x 64", "16"});
        row("too large", "latent.height=16400", {"latent.height is 16400, the largest is 16384"});
    }

    void filesAreRefused() {
        testing::checkRefused({.folder = split_, .texts = {"qwen.safetensors"}});
    }
};

LOWTIDE_TEST(ZImageRefusalTest)

}  // namespace zimage_refusal_test

#include "zimage_refusal_test.moc"
