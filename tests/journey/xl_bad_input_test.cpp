// Files of Stable Diffusion XL that are damaged or something else, sizes and prompts that do not
// fit, at the command: one sentence states file, key, what is needed and what was seen. And what
// looks odd and works.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QStringList>
#include <QtTest/QtTest>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace xl_bad_input_test {

using namespace lowtide;
using testing::CommandResult;
using testing::FileTensor;
using testing::TensorFile;

namespace {

/// What somebody chooses as a checkpoint of Stable Diffusion XL, and what must be reported of it.
struct BadFile {
    const char* row;
    std::function<void(TensorFile&)> change;  ///< of sdxl_1.safetensors (xlFileFolder())
    QStringList expected;                     ///< key, what is needed, what was seen
};

const std::string kUnet = "model.diffusion_model.";
const std::string kFirst = "conditioner.embedders.0.";
const std::string kSecond = "conditioner.embedders.1.";
const std::string kProjection = kSecond + "model.text_projection";
const std::string kLabels = kUnet + "label_emb.0.0.weight";

/// The largest difference of a channel, of images of one size.
double levelsApart(const QImage& a, const QImage& b) {
    int most = a.size() == b.size() ? 0 : 255;
    for (int y = 0; y < a.height() && a.size() == b.size(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb one = a.pixel(x, y), other = b.pixel(x, y);
            most = std::max({most,
                             std::abs(qRed(one) - qRed(other)),
                             std::abs(qGreen(one) - qGreen(other)),
                             std::abs(qBlue(one) - qBlue(other))});
        }
    }
    return most;
}

FileTensor zerosOf(DType type, Shape shape) {
    const auto bytes = static_cast<size_t>(elementCount(shape).value() * sizeOf(type));
    return {.type = type, .shape = std::move(shape), .bytes = std::string(bytes, '\0')};
}

FileTensor zerosOf(Shape shape) {
    return zerosOf(DType::F32, std::move(shape));
}

void keepUnder(TensorFile& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return !entry.first.starts_with(prefix); });
}

void dropUnder(TensorFile& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

TensorFile loraOf(const std::string& before, std::initializer_list<const char*> parts) {
    TensorFile tensors;
    for (int layer = 0; layer < 40; ++layer) {
        for (const char* part : parts) {
            tensors[before + std::to_string(layer) + part] = zerosOf({4, 4});
        }
    }
    return tensors;
}

std::vector<BadFile> otherKinds() {
    const QString key = "no tensor model.diffusion_model.input_blocks.0.0.weight";
    return {
        {"the autoencoder of SD 1.5",
         [](TensorFile& t) {
             t = testing::readTensorFile(
                 (testing::goldenFolder() +
                  "/checkpoints/sd15_0/vae/diffusion_pytorch_model.safetensors")
                     .toStdString());
         },
         {key,
          "is no checkpoint, it is of the kind \"autoencoder\"",
          "tensors begin with decoder, encoder, post_quant_conv and 1 more",
          "this file as its autoencoder (vae)"}},
        {"its own autoencoder",
         [](TensorFile& t) { keepUnder(t, "first_stage_model."); },
         {key, "of the kind \"autoencoder\"", "begin with first_stage_model"}},
        {"a LoRA",
         [](TensorFile& t) {
             t = loraOf("lora_unet_down_blocks_", {".lora_down.weight", ".lora_up.weight"});
         },
         {key,
          "of the kind \"LoRA\"",
          "its 80 tensors begin with lora_unet_down_blocks_0",
          "and 37 more",
          "files of this kind are not read"}},
        {"a LoRA in PEFT's names",
         [](TensorFile& t) {
             t = loraOf("base_model.model.", {".lora_A.weight", ".lora_B.weight"});
         },
         {key, "of the kind \"LoRA\"", "its 80 tensors begin with base_model"}},
    };
}

std::vector<BadFile> otherEncoders() {
    const QString projection = QString::fromStdString(kProjection);
    return {
        {"the first encoder is missing",
         [](TensorFile& t) { dropUnder(t, kFirst); },
         {"no tensor "
          "conditioner.embedders.0.transformer.text_model.embeddings.token_embedding.weight",
          "SDXL has two text encoders, this file has only the one under "
          "conditioner.embedders.1.model."}},
        {"the second encoder is missing",
         [](TensorFile& t) { dropUnder(t, kSecond); },
         {"no tensor conditioner.embedders.1.model.token_embedding.weight",
          "SDXL has two text encoders, this file has only the one under "
          "conditioner.embedders.0.transformer."}},
        {"both encoders are missing",
         [](TensorFile& t) { dropUnder(t, "conditioner."); },
         {"text_encoder_2 is missing, sdxl needs a CLIPTextModelWithProjection"}},
        {"a narrower projection",
         [](TensorFile& t) {
             t[kProjection] = zerosOf({128, 64});
         },
         {"label_emb.0.0.weight takes 176 numbers",
          projection + " gives 64",
          "must be 6 equal parts, it is 112"}},
        {"a projection of another height",
         [](TensorFile& t) {
             t[kProjection] = zerosOf({64, 80});
         },
         {projection + " is [80, 64], needs [80, 128]"}},
        {"a projection of one axis",
         [](TensorFile& t) { t[kProjection] = zerosOf({80}); },
         {projection + " has the shape [80], needs a size on axis 1"}},
        {"no projection",
         [](TensorFile& t) { t.erase(kProjection); },
         {"there is no tensor " + projection}},
        {"whole numbers",
         [](TensorFile& t) {
             FileTensor& tensor = t.at(kUnet + "out.2.weight");
             tensor = zerosOf(DType::I32, tensor.shape);
         },
         {"model.diffusion_model.out.2.weight has the type I32, needs one of floating point"}},
    };
}

/// What a denoiser is given in addition to a pooled text: a number of sizes that nobody has.
std::vector<BadFile> otherNumbers() {
    const QString labels = QString::fromStdString(kLabels);
    const auto reported = [](Shape shape) {
        return [shape](TensorFile& t) { t[kLabels] = zerosOf(shape); };
    };
    return {
        {"five sizes, as a refiner's",
         reported({256, 80 + 5 * 16}),
         {labels + " takes 160 numbers", "must be 6 equal parts, it is 80"}},
        {"no sizes",
         reported({256, 80}),
         {labels + " takes 80 numbers", "must be 6 equal parts, it is 0"}},
        {"fewer numbers than the text has",
         reported({256, 48}),
         {labels + " takes 48 numbers",
          QString::fromStdString(kProjection) + " gives 80",
          "it is -32"}},
        {"sizes of one axis",
         reported({176}),
         {labels + " has the shape [176], needs a size on axis 1"}},
        {"sizes of three axes",
         reported({256, 176, 1}),
         {labels + " is [256, 176, 1], needs [256, 176]"}},
    };
}

/// Files of another kind, files that lack an encoder or have another one, and denoisers that are
/// given another number of sizes.
std::vector<BadFile> badXlFiles() {
    std::vector<BadFile> all = otherKinds();
    for (const auto& more : {otherEncoders(), otherNumbers()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

constexpr qsizetype kLongestMessage = 900;

/// A denoiser that is given what another checkpoint encoded.
struct CrossedPrompts {
    const char* row;
    const char* denoiser;
    const char* encoder;
    QStringList expected;
};

const CrossedPrompts kCrossed[] = {
    {"a refiner and a base's prompts",
     "refine",
     "encode",
     {"refine.negative: the conditioning's field pooled is 80 wide, refiner_0 reads 128"}},
    {"a base and a refiner's prompts",
     "denoise",
     "encode_refiner",
     {"denoise.negative: the conditioning's field pooled is 128 wide, sdxl_1.safetensors reads "
      "80"}}};

/// Empty where it is refused with one sentence that states all this, and one with what to do.
QString problemOf(const CommandResult& result, const QStringList& expected) {
    if (result.crashed || result.exitCode != 2) {
        return "exit " + QString::number(result.exitCode) + ": " +
               result.errors.left(kLongestMessage);
    }
    if (result.errors.trimmed().count('\n') != 1 || result.errors.size() > kLongestMessage) {
        return "more than two sentences: " + result.errors.left(2 * kLongestMessage);
    }
    for (const QString& message : expected) {
        if (!result.errors.contains(message)) {
            return message + " is not in: " + result.errors;
        }
    }
    return {};
}

}  // namespace

class XlBadInputTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        xl_ = testing::linkXlFile("sdxl_1", folder_.path());
        refiner_ = testing::sdxlGoldenFolder() + "/checkpoints/refiner_0";
        base_ = testing::readTensorFile(xl_.toStdString());
        testing::writeFile(bad("lowtide.json"),
                           testing::contentsOf(folder_.filePath("sdxl_1.lowtide.json")));
    }

    void filesAreRefused_data() {
        QTest::addColumn<int>("index");
        for (int index = 0; const BadFile& file : badXlFiles()) {
            QTest::newRow(file.row) << index++;
        }
    }

    void filesAreRefused() {
        QFETCH(int, index);
        const BadFile file = badXlFiles()[static_cast<size_t>(index)];
        TensorFile tensors = base_;
        file.change(tensors);
        testing::writeTensorFile(newFile().toStdString(), tensors);
        const CommandResult plan = planOf({"load.checkpoint=" + bad("safetensors")});
        QCOMPARE(problemOf(plan, file.expected + QStringList("bad.safetensors")), QString());
    }

    void headersThatAreCutOffAreRefused_data() {
        QTest::addColumn<int>("tenth");
        for (int tenth = 0; tenth < 10; ++tenth) {
            QTest::addRow("%d tenths are there", tenth) << tenth;
        }
    }

    void headersThatAreCutOffAreRefused() {
        QFETCH(int, tenth);
        const QByteArray whole = testing::contentsOf(xl_);
        quint64 length = 0;
        std::memcpy(&length, whole.constData(), sizeof length);
        const auto header = static_cast<qsizetype>(length + sizeof length);
        const qsizetype cut = header * tenth / 10;
        testing::writeFile(newFile(), whole.left(cut));
        const CommandResult plan = planOf({"load.checkpoint=" + bad("safetensors")});
        const QString expected = QString::number(length);
        QCOMPARE(
            problemOf(plan,
                      (QStringList{"load.checkpoint: \"bad.safetensors\"", QString::number(cut)} +
                       (tenth > 0 ? QStringList(expected) : QStringList("too short")))),
            QString());
    }

    void sizesAreRefused_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* set, const QStringList& expected) {
            QTest::newRow(set) << set << expected;
        };
        row("latent.width=8", {"latent.width is 8, the smallest is 16"});
        row("latent.height=16392", {"latent.height is 16392, the largest is 16384"});
        row("latent.width=60",
            {"denoise.latent: the size 60 x 64 does not fit sdxl_1.safetensors", "multiples of 8"});
        row("encode.original_width=16385",
            {"encode.original_width is 16385, the largest is 16384"});
        row("encode.crop_left=-8", {"encode.crop_left is -8, the smallest is 0"});
        row("encode.target_height=0.5", {"encode.target_height", "whole number"});
    }

    void sizesAreRefused() {
        QFETCH(QString, set);
        QFETCH(QStringList, expected);
        const CommandResult plan = planOf({"load.checkpoint=" + xl_, set});
        QCOMPARE(problemOf(plan, expected), QString());
    }

    void promptsOfAnotherCheckpointAreRefused_data() {
        QTest::addColumn<int>("index");
        for (int index = 0; const CrossedPrompts& crossed : kCrossed) {
            QTest::newRow(crossed.row) << index++;
        }
    }

    void promptsOfAnotherCheckpointAreRefused() {
        QFETCH(int, index);
        const CrossedPrompts& crossed = kCrossed[index];
        Json graph = parseJson(testing::exampleText("base_refiner"), "example");
        for (Json& link : graph["links"]) {
            const bool isPrompt = link["to"][1] == "positive" || link["to"][1] == "negative";
            if (link["to"][0] == crossed.denoiser && isPrompt) {
                link["from"][0] = crossed.encoder;
            }
        }
        const QString path = folder_.filePath("crossed.json");
        testing::writeFile(path, QByteArray::fromStdString(graph.dump()));
        const CommandResult plan = commandOf("plan", path, bothModels(refiner_));
        QCOMPARE(problemOf(plan, crossed.expected), QString());
    }

    void sizesFarFromTheTrainedOnesWork_data() {
        QTest::addColumn<int>("width");
        for (const int width : {16, 56, 4104, 16384}) {
            QTest::addRow("%d", width) << width;
        }
    }

    /// The model was trained on 1024 x 1024; that is the user's to know.
    void sizesFarFromTheTrainedOnesWork() {
        QFETCH(int, width);
        const CommandResult plan =
            planOf({"load.checkpoint=" + xl_, "latent.width=" + QString::number(width)});
        QVERIFY2(plan.exitCode == 0 && plan.errors.isEmpty(), qPrintable(plan.errors));
    }

    void aRefinerThatBeginsIsWarnedOf_data() {
        testing::addTable<bool>({"isRefiner"}, {{"refiner", true}, {"base", false}});
    }

    void aRefinerThatBeginsIsWarnedOf() {
        QFETCH(bool, isRefiner);
        const CommandResult run =
            runOf({"load.checkpoint=" + (isRefiner ? refiner_ : xl_)}, "begun");
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QCOMPARE(run.errors.contains("denoise.latent: refiner_0 is a refiner: it was "
                                     "trained on the lowest fifth of the noise levels alone, and "
                                     "this latent is empty"),
                 isRefiner);
    }

    /// Behind a base, or in the refiner's place, a checkpoint goes on with what it is given.
    void aBaseRefines_data() {
        testing::addTable<bool>({"isRefiner"}, {{"refiner", true}, {"base", false}});
    }

    void aBaseRefines() {
        QFETCH(bool, isRefiner);
        const CommandResult run = commandOf("run",
                                            testing::exampleGraph("base_refiner"),
                                            bothModels(isRefiner ? refiner_ : xl_),
                                            {"--out", folder_.filePath("refined")});
        QVERIFY2(run.exitCode == 0 && run.errors.isEmpty(), qPrintable(run.errors));
    }

    /// Of weights that bf16 holds exactly, the same image, whichever of them are stored in it.
    void typesMayBeMixed() {
        TensorFile wide = base_;
        TensorFile mixed = base_;
        bool isOther = false;
        for (auto& [name, tensor] : wide) {
            if (tensor.type != DType::F32) {
                continue;  // positions
            }
            FileTensor& narrow = mixed.at(name);
            narrow = {.type = DType::BF16, .shape = tensor.shape, .bytes = {}};
            for (size_t at = 0; at + sizeof(float) <= tensor.bytes.size(); at += sizeof(float)) {
                tensor.bytes[at] = tensor.bytes[at + 1] = '\0';  // little-endian
                narrow.bytes.append(tensor.bytes, at + 2, 2);
            }
            isOther = !isOther;
            if (isOther) {
                narrow = tensor;
            }
        }
        const auto imageOf = [&](const TensorFile& tensors, const QString& out) {
            testing::writeTensorFile(newFile().toStdString(), tensors);
            const CommandResult run = runOf({"load.checkpoint=" + bad("safetensors")}, out);
            return run.exitCode == 0 ? QImage(run.output.trimmed()) : QImage();
        };
        const QImage expected = imageOf(wide, "wide");
        QVERIFY(!expected.isNull());
        // Numbers in 16 bits have a product of their own, with another rounding.
        QVERIFY(levelsApart(imageOf(mixed, "mixed"), expected) <= testing::kLevels);
    }

private:
    QString bad(const char* ending) const { return folder_.filePath(QString("bad.") + ending); }

    /// Where bad.safetensors was, which may still be mapped.
    QString newFile() const {
        QFile::remove(bad("safetensors"));
        return bad("safetensors");
    }

    static CommandResult commandOf(const QString& command,
                                   const QString& graph,
                                   const QStringList& sets,
                                   const QStringList& more = {}) {
        QStringList arguments = {command, graph};
        for (const QString& set :
             QStringList{"latent.width=64", "latent.height=64", "denoise.steps=5"} + sets) {
            arguments << "--set" << set;
        }
        return testing::runInProcess(arguments + more);
    }

    static CommandResult planOf(const QStringList& sets) {
        return commandOf("plan", testing::exampleGraph("text_to_image"), sets);
    }

    CommandResult runOf(const QStringList& sets, const QString& out) const {
        return commandOf(
            "run", testing::exampleGraph("text_to_image"), sets, {"--out", folder_.filePath(out)});
    }

    QStringList bothModels(const QString& refiner) const {
        return {"refine.steps=5", "load.checkpoint=" + xl_, "load_refiner.checkpoint=" + refiner};
    }

    QTemporaryDir folder_;
    QString xl_;       ///< sdxl_1.safetensors
    QString refiner_;  ///< a folder
    TensorFile base_;
};

LOWTIDE_TEST(XlBadInputTest)

}  // namespace xl_bad_input_test

#include "xl_bad_input_test.moc"
