// Files of FLUX.1's relatives, files that make no model together, and sizes that do not fit:
// refused before the run in a sentence with node, parameter and file.

#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/image_files.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <functional>

namespace flux_refusal_test {

using namespace lowtide;
using testing::TensorFile;

class FluxRefusalTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString split_;  ///< files of dev
    QString other_;  ///< of schnell, whose networks have other widths

    QString path(const QString& name) const { return folder_.filePath(name + ".safetensors"); }

    /// The transformer with something else in it.
    void writeDenoiser(const QString& name, const std::function<void(TensorFile&)>& edit) const {
        testing::writeChanged(split_ + "/diffusion_model.safetensors", path(name), edit);
    }

    /// Without its last row.
    static void shorten(testing::FileTensor& tensor) {
        const auto rows = static_cast<size_t>(tensor.shape[0]);
        tensor.bytes.resize(tensor.bytes.size() / rows * (rows - 1));
        --tensor.shape[0];
    }

private Q_SLOTS:

    void initTestCase() {
        const QString files = testing::fluxFileFolder({"flux_0", "flux_1"});
        split_ = files + "/flux_0";
        other_ = files + "/flux_1";
        writeDenoiser("gap",
                      [](TensorFile& file) { file.erase("double_blocks.0.txt_mlp.2.weight"); });
        writeDenoiser("uneven", [](TensorFile& file) {
            shorten(file.at("double_blocks.0.img_attn.qkv.weight"));
        });
        writeDenoiser("narrow",
                      [](TensorFile& file) { shorten(file.at("single_blocks.0.linear1.weight")); });
        writeDenoiser("chroma", [](TensorFile& file) {
            file["distilled_guidance_layer.in_proj.weight"] = file.at("img_in.weight");
        });
        writeDenoiser("fill", [](TensorFile& file) {
            testing::FileTensor& first = file.at("img_in.weight");
            first.bytes += first.bytes;
            first.shape[1] *= 2;
        });
        writeDenoiser("control", [](TensorFile& file) {
            std::erase_if(file, [](const auto& tensor) {
                return tensor.first.starts_with("single_blocks.") ||
                       tensor.first.starts_with("final_layer.");
            });
            file["controlnet_blocks.0.weight"] = file.at("img_in.weight");
        });
        QVERIFY(QFile::copy(split_ + "/t5.safetensors", path("mute")));
    }

    void filesAreRefused_data() {
        const auto row = testing::refusalRows();
        row("a denoiser with a gap",
            "load.file=" + path("gap"),
            {"load.file", "double_blocks.0.txt_mlp.2.weight", "gap.safetensors"});
        row("rows that are no thirds",
            "load.file=" + path("uneven"),
            {"double_blocks.0.img_attn.qkv.weight", "uneven.safetensors"});
        row("a single block without a row",
            "load.file=" + path("narrow"),
            {"single_blocks.0.linear1.weight[3]", "narrow.safetensors"});
        row("Chroma", "load.file=" + path("chroma"), {"load.file", "\"Chroma\""});
        row("Fill", "load.file=" + path("fill"), {"load.file", "Fill, Depth, Canny", "not built"});
        row("a ControlNet", "load.file=" + path("control"), {"load.file", "\"ControlNet\""});
        row("no tokenizer",
            "text_encoders.file_2=" + path("mute"),
            {"load.text_encoder", "mute.safetensors has no tokenizer", "T5 v1.1 XXL"});
        row("no T5", "text_encoders.file_2=", {"text_encoder_2 is missing", "T5EncoderModel"});
        row("no CLIP", "text_encoders.file=", {"text_encoder is missing", "CLIPTextModel"});
        row("a CLIP of another width",
            "text_encoders.file=" + other_ + "/clip_l.safetensors",
            {"text_encoder gives texts 48 wide", "32 wide"});
        row("a T5 of another width",
            "text_encoders.file_2=" + other_ + "/t5.safetensors",
            {"text_encoder_2 gives texts 48 wide", "40 wide"});
        row("no multiple of 16", "latent.width=72", {"denoise.latent: the size 72 x 64", "16"});
        row("few tokens", "encode.length=8", {"encode.length", "8 tokens", "16 to 512"});
    }

    void filesAreRefused() {
        testing::checkRefused(
            {.folder = split_, .texts = {"clip_l.safetensors", "t5.safetensors"}});
    }
};

LOWTIDE_TEST(FluxRefusalTest)

}  // namespace flux_refusal_test

#include "flux_refusal_test.moc"
