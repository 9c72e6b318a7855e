// Checkpoints that are written again: what comes back, and what other programs read.
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/checkpoints/network.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/converted_file.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace convert_test {

using namespace lowtide;
using testing::ReadTensor;
using testing::ReadTensors;

namespace {

constexpr const char* kDenoiser = "model.diffusion_model.";
constexpr const char* kStorages[] = {"f16", "f8", "int8", "q8_0", "q4_k"};

/// HiDream-I1's denoiser alone.
const QString& hidreamFile() {
    static const QString file =
        testing::hidreamFileFolder({"hidream_0"}) + "/hidream_0/diffusion_model.safetensors";
    return file;
}

/// Z-Image's denoiser alone, in its own names.
const QString& zimageFile() {
    static const QString file =
        testing::zimageFileFolder({"zimage_0"}) + "/zimage_0/diffusion_model.safetensors";
    return file;
}

/// FLUX.1's denoiser alone, in its own names.
const QString& fluxFile() {
    static const QString file =
        testing::fluxFileFolder({"flux_0"}) + "/flux_0/diffusion_model.safetensors";
    return file;
}

/// WAN's denoiser alone, in its own names.
const QString& wanFile() {
    static const QString file =
        testing::splitFileFolder({"wan_i2v_0"}) + "/wan_i2v_0/diffusion_model.safetensors";
    return file;
}

float largestIn(std::span<const float> numbers) {
    float largest = 0;
    for (const float number : numbers) {
        largest = std::max(largest, std::fabs(number));
    }
    return largest;
}

/// What a storage may change of the numbers in a group that shares a scale, by its definition.
class AllowedError {
public:
    AllowedError(const std::string& storage, std::span<const float> group) {
        const double largest = double(largestIn(group));
        if (storage == "F16") {
            relative_ = 0x1p-11;
            absolute_ = 0x1p-25;
        } else if (storage == "f8_e4m3") {
            relative_ = 0x1.0001p-4;
            absolute_ = largest / 448 * 0x1.0001p-10;
        } else if (storage == "int8") {
            absolute_ = largest / 127 * 0.5001;
        } else if (storage == "q8_0") {
            absolute_ = largest / 127 * (0.5001 + 127 * 0x1p-11);  // its scale is a half
        } else if (storage == "q4_k") {
            const auto [low, high] = std::minmax_element(group.begin(), group.end());
            const double step = (std::max(double(*high), 0.0) - std::min(double(*low), 0.0)) / 15;
            absolute_ = 2 * step;  // the search may leave the outermost number outside
        }
    }

    [[nodiscard]] double of(float number) const {
        return std::max(std::fabs(double(number)) * relative_, absolute_);
    }

private:
    double relative_ = 0;
    double absolute_ = 0;
};

size_t groupSize(const ReadTensor& tensor) {
    const auto all = tensor.numbers.size();
    const bool isOfRows = tensor.storage == "int8";
    const bool isOfRuns = tensor.storage == "q8_0" || tensor.storage == "q4_k";
    return isOfRuns ? 32 : isOfRows ? static_cast<size_t>(tensor.shape.back()) : all;
}

/// The first number that is farther away than its storage allows; empty: none.
QString farNumber(const ReadTensor& source, const ReadTensor& ours) {
    const size_t size = groupSize(ours);
    const std::span<const float> numbers = source.numbers;
    for (size_t first = 0; first < numbers.size(); first += size) {
        const auto group = numbers.subspan(first, size);
        const AllowedError allowed(ours.storage, group);
        for (size_t i = 0; i < group.size(); ++i) {
            const float again = ours.numbers[first + i];
            if (!(std::fabs(double(again) - double(group[i])) <= allowed.of(group[i]))) {
                return QString("number %1 is %2, of %3").arg(first + i).arg(again).arg(group[i]);
            }
        }
    }
    return {};
}

/// What a network states of itself.
std::span<const std::string_view> preciseOf(std::string_view className) {
    return models::networkOf(className)->precise;
}

std::map<std::string, int> countsOf(const ReadTensors& tensors) {
    std::map<std::string, int> counts;
    for (const auto& [name, tensor] : tensors) {
        ++counts[tensor.storage];
    }
    return counts;
}

}  // namespace

class ConvertTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString target(const QString& storage, const QString& inFolder = {}) const {
        const bool isGguf = storage.startsWith("q");
        return folder_.filePath(inFolder + storage + (isGguf ? ".gguf" : ".safetensors"));
    }

    /// Converted files by the rows' names.
    std::map<QString, QString> files_;
    Json readByOthers_;

    /// Fills both. Python, whose packages take seconds to come, reads no bytes twice.
    void readByOthers() {
        const QString script = testing::sourcePath("tests/unit/models/read_converted.py");
        QStringList read = {testing::sourcePath("tests/golden/requirements.txt")};
        QStringList named;
        const std::map<QString, QString> sources = {
            {"xl", testing::xlFileFolder() + "/sdxl_1.safetensors"},
            {"wan", wanFile()},
            {"hidream", hidreamFile()},
            {"zimage", zimageFile()},
            {"flux", fluxFile()}};
        for (const auto& [name, source] : sources) {
            QDir(folder_.path()).mkdir(name);
            for (const char* storage : kStorages) {
                const QString out = target(storage, name + "/");
                (void)testing::converted(source, storage, out);
                read << out;
                named << name + " " + storage << out;
                files_.emplace(name + " " + storage, out);
            }
        }
        const QString digests = testing::cacheFolder() + "/goldens/read_converted-" +
                                testing::hashOfScript(script, read) + ".json";
        if (!QFileInfo::exists(digests)) {
            QDir().mkpath(QFileInfo(digests).path());
            testing::runReferenceAlone(digests, QStringList{script, digests} + named);
        }
        readByOthers_ = parseJson(testing::contentsOf(digests).toStdString(), "digests");
    }

private Q_SLOTS:

    void everyNumberIsNearTheSource_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("storage");
        for (const char* storage : kStorages) {
            QTest::addRow("sd %s", storage)
                << testing::singleFileFolder() + "/sd15_1.safetensors" << storage;
            QTest::addRow("half %s", storage)
                << testing::singleFileFolder() + "/half_1.ckpt" << storage;
            QTest::addRow("xl %s", storage)
                << testing::xlFileFolder() + "/sdxl_1.safetensors" << storage;
            QTest::addRow("wan %s", storage) << wanFile() << storage;
            QTest::addRow("hidream %s", storage) << hidreamFile() << storage;
            QTest::addRow("zimage %s", storage) << zimageFile() << storage;
            QTest::addRow("flux %s", storage) << fluxFile() << storage;
        }
    }

    void everyNumberIsNearTheSource() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, storage);
        const QString out = target(storage);

        const models::Conversion result =
            testing::converted(checkpoint, storage.toStdString(), out);

        const bool isGguf = out.endsWith(".gguf");
        const ReadTensors source = testing::readWeights(checkpoint.toStdString());
        const ReadTensors ours = testing::readWeights(out.toStdString());
        size_t seen = 0;
        double worst = 0;
        const bool isAlone = checkpoint == wanFile() || checkpoint == hidreamFile() ||
                             checkpoint == zimageFile() || checkpoint == fluxFile();
        const std::string prefix = isAlone ? "" : kDenoiser;
        for (const auto& [name, tensor] : source) {
            if (isGguf && !name.starts_with(prefix)) {
                continue;
            }
            const auto found = ours.find(isGguf ? name.substr(prefix.size()) : name);
            QVERIFY2(found != ours.end(), name.c_str());
            const ReadTensor& again = found->second;
            QCOMPARE(again.shape, tensor.shape);
            const QString far = farNumber(tensor, again);
            QVERIFY2(far.isEmpty(), qPrintable(QString::fromStdString(name) + ": " + far));
            double differences = 0;
            double squares = 0;
            for (size_t i = 0; i < tensor.numbers.size(); ++i) {
                differences += std::pow(double(again.numbers[i]) - double(tensor.numbers[i]), 2);
                squares += std::pow(double(tensor.numbers[i]), 2);
            }
            worst = std::max(worst, squares > 0 ? std::sqrt(differences / squares) : 0);
            ++seen;
        }
        QCOMPARE(ours.size(), seen);
        QVERIFY(std::fabs(result.worstError - worst) <= 1e-9 * worst);
        QVERIFY(result.meanError <= result.worstError);
        qInfo("%lld rounded, worst %.5f (%s), mean %.5f",
              static_cast<long long>(result.rounded),
              result.worstError,
              result.worstTensor.c_str(),
              result.meanError);
    }

    /// The packages that define the encodings give the same bits.
    void otherProgramsReadTheSame_data() {
        QTest::addColumn<QString>("row");
        for (const char* source : {"xl", "wan", "hidream", "zimage", "flux"}) {
            for (const char* storage : kStorages) {
                const QString row = QString("%1 %2").arg(source, storage);
                QTest::newRow(qPrintable(row)) << row;
            }
        }
    }

    void otherProgramsReadTheSame() {
        QFETCH(QString, row);
        if (files_.empty()) {
            readByOthers();
        }

        const Json& theirs = readByOthers_.at(row.toStdString());
        const ReadTensors ours = testing::readWeights(files_.at(row).toStdString());
        QCOMPARE(theirs.size(), ours.size());
        for (const auto& [name, tensor] : ours) {
            const Json& other = theirs.at(name);
            QCOMPARE(Json(tensor.shape), other.at("shape"));
            if (!tensor.numbers.empty()) {
                const auto* bytes = reinterpret_cast<const char*>(tensor.numbers.data());
                const QByteArray digest = QCryptographicHash::hash(
                    QByteArrayView(bytes, tensor.numbers.size() * sizeof(float)),
                    QCryptographicHash::Sha256);
                QVERIFY2(other.at("sha256") == digest.toHex().toStdString(), name.c_str());
            }
        }
    }

    /// ComfyUI reads scales of linear layers alone, ComfyUI-GGUF convolutions too.
    void encodesWhatOthersExpect() {
        const QString source = testing::singleFileFolder() + "/sd15_1.safetensors";
        (void)testing::converted(source, "f8", target("f8"));
        (void)testing::converted(source, "q8_0", target("q8_0"));
        const ReadTensors f8 = testing::readWeights(target("f8").toStdString());
        const ReadTensors q8 = testing::readWeights(target("q8_0").toStdString());

        const std::string start = kDenoiser;
        const auto storages = [&](const std::string& name) {
            return f8.at(start + name).storage + " " + q8.at(name).storage;
        };
        const std::string block = "input_blocks.1.1.transformer_blocks.0.";
        QCOMPARE(storages(block + "ff.net.2.weight"), std::string("f8_e4m3 q8_0"));
        QCOMPARE(storages(block + "attn1.to_q.weight"), std::string("F32 F32"));  // it is small
        QCOMPARE(storages(block + "norm1.weight"), std::string("F32 F32"));
        QCOMPARE(storages("input_blocks.1.0.in_layers.2.weight"), std::string("F32 q8_0"));
        QCOMPARE(storages("input_blocks.4.1.proj_in.weight"), std::string("f8_e4m3 F16"));
        QCOMPARE(storages("time_embed.0.weight"), std::string("F32 F16"));
        QCOMPARE(storages("input_blocks.0.0.weight"), std::string("F32 F32"));
        QCOMPARE(storages("out.2.weight"), std::string("F32 F32"));
        for (const auto& [name, tensor] : f8) {
            QVERIFY(name.starts_with(start) || tensor.storage != "f8_e4m3");
        }
    }

    /// As the published fp8 and GGUF files of WAN have them, in both namings.
    void encodesOfWanWhatOthersExpect() {
        const auto storagesIn = [&](const QString& source) {
            (void)testing::converted(source, "f8", target("f8"));
            (void)testing::converted(source, "q8_0", target("q8_0"));
            return [f8 = testing::readWeights(target("f8").toStdString()),
                    q8 = testing::readWeights(target("q8_0").toStdString())](const char* name) {
                return f8.at(name).storage + " " + q8.at(name).storage;
            };
        };
        const auto own = storagesIn(wanFile());
        QCOMPARE(own("blocks.0.self_attn.q.weight"), std::string("f8_e4m3 q8_0"));
        QCOMPARE(own("blocks.0.cross_attn.k_img.weight"), std::string("f8_e4m3 q8_0"));
        QCOMPARE(own("blocks.0.ffn.2.weight"), std::string("f8_e4m3 q8_0"));
        for (const char* precise : {"blocks.0.modulation",
                                    "head.modulation",
                                    "head.head.weight",
                                    "patch_embedding.weight"}) {
            QCOMPARE(own(precise), std::string("F32 F32"));
        }
        QCOMPARE(own("time_projection.1.weight"), std::string("F32 F16"));
        QCOMPARE(own("text_embedding.0.weight"), std::string("F32 F16"));
        QCOMPARE(own("img_emb.proj.1.weight"), std::string("F32 F16"));
        const auto theirs = storagesIn(testing::wanGoldenFolder() + "/checkpoints/wan22_i2v_0");
        QCOMPARE(theirs("blocks.0.attn1.to_q.weight"), std::string("f8_e4m3 q8_0"));
        for (const char* precise : {"blocks.0.scale_shift_table",
                                    "scale_shift_table",
                                    "proj_out.weight",
                                    "patch_embedding.weight"}) {
            QCOMPARE(theirs(precise), std::string("F32 F32"));
        }
        QCOMPARE(theirs("condition_embedder.time_proj.weight"), std::string("F32 F16"));
    }

    /// Gates choose experts, so they are left as they are.
    void encodesOfHiDreamWhatOthersExpect() {
        (void)testing::converted(hidreamFile(), "f8", target("f8"));
        (void)testing::converted(hidreamFile(), "q8_0", target("q8_0"));
        const ReadTensors f8 = testing::readWeights(target("f8").toStdString());
        const ReadTensors q8 = testing::readWeights(target("q8_0").toStdString());
        const auto storages = [&](const std::string& name) {
            return f8.at(name).storage + " " + q8.at(name).storage;
        };
        const std::string block = "single_stream_blocks.0.block.";
        for (const char* encoded :
             {"attn1.to_q.weight", "adaLN_modulation.1.weight", "ff_i.experts.1.w1.weight"}) {
            QCOMPARE(storages(block + encoded), std::string("f8_e4m3 q8_0"));
        }
        for (const std::string& precise : {std::string("x_embedder.proj.weight"),
                                           std::string("final_layer.linear.weight"),
                                           std::string("final_layer.adaLN_modulation.1.weight"),
                                           block + "ff_i.gate.weight"}) {
            QCOMPARE(storages(precise), std::string("F32 F32"));
        }
        QCOMPARE(storages("t_embedder.timestep_embedder.linear_2.weight"), std::string("F32 F16"));
    }

    /// Learnt tokens and the time are left as they are.
    void encodesOfZImageWhatOthersExpect() {
        (void)testing::converted(zimageFile(), "f8", target("f8"));
        (void)testing::converted(zimageFile(), "q8_0", target("q8_0"));
        const ReadTensors f8 = testing::readWeights(target("f8").toStdString());
        const ReadTensors q8 = testing::readWeights(target("q8_0").toStdString());
        const auto storages = [&](const std::string& name) {
            return f8.at(name).storage + " " + q8.at(name).storage;
        };
        for (const char* encoded : {"layers.0.attention.qkv.weight",
                                    "noise_refiner.1.attention.out.weight",
                                    "context_refiner.0.feed_forward.w2.weight",
                                    "layers.2.adaLN_modulation.0.weight"}) {
            QCOMPARE(storages(encoded), std::string("f8_e4m3 q8_0"));
        }
        for (const char* precise : {"x_embedder.weight",
                                    "final_layer.linear.weight",
                                    "final_layer.adaLN_modulation.1.weight",
                                    "x_pad_token",
                                    "cap_pad_token"}) {
            QCOMPARE(storages(precise), std::string("F32 F32"));
        }
        QCOMPARE(storages("t_embedder.mlp.2.weight"), std::string("F32 F16"));
    }

    /// First and last layers, and what becomes of time, guidance and the pooled text, are left as
    /// they are.
    void encodesOfFluxWhatOthersExpect() {
        (void)testing::converted(fluxFile(), "f8", target("f8"));
        (void)testing::converted(fluxFile(), "q8_0", target("q8_0"));
        const ReadTensors f8 = testing::readWeights(target("f8").toStdString());
        const ReadTensors q8 = testing::readWeights(target("q8_0").toStdString());
        const auto storages = [&](const std::string& name) {
            return f8.at(name).storage + " " + q8.at(name).storage;
        };
        for (const char* encoded : {"double_blocks.0.img_attn.qkv.weight",
                                    "double_blocks.1.txt_mod.lin.weight",
                                    "single_blocks.0.linear1.weight",
                                    "single_blocks.0.modulation.lin.weight",
                                    "single_blocks.1.linear2.weight"}) {
            QCOMPARE(storages(encoded), std::string("f8_e4m3 q8_0"));
        }
        for (const char* precise : {"img_in.weight",
                                    "txt_in.weight",
                                    "guidance_in.in_layer.weight",
                                    "vector_in.out_layer.weight",
                                    "final_layer.linear.weight",
                                    "final_layer.adaLN_modulation.1.weight",
                                    "double_blocks.0.img_attn.norm.query_norm.scale"}) {
            QCOMPARE(storages(precise), std::string("F32 F32"));
        }
    }

    /// At true sizes, where learnt tokens are large enough to be encoded.
    void tokensOfZImageRemainPrecise() {
        const models::TensorLocation token{.type = DType::BF16, .shape = {1, 3840}};
        const auto kept = models::ggufTarget(models::storageForm("q4_k"),
                                             "x_pad_token",
                                             token,
                                             preciseOf("ZImageTransformer2DModel"));
        QVERIFY(kept.type == DType::F32 && !kept.encoded);
    }

    /// At true sizes, where tables are large enough to be encoded.
    void tablesOfWanRemainPrecise() {
        const auto typeOf = [](const char* name) {
            const models::TensorLocation location{.type = DType::BF16, .shape = {1, 6, 5120}};
            return models::ggufTarget(
                models::storageForm("q4_k"), name, location, preciseOf("WanTransformer3DModel"));
        };
        for (const char* name : {"blocks.0.modulation",
                                 "head.modulation",
                                 "blocks.0.scale_shift_table",
                                 "scale_shift_table"}) {
            QVERIFY2(typeOf(name).type == DType::F32 && !typeOf(name).encoded, name);
        }
        QVERIFY(typeOf("blocks.0.other").encoded);
    }

    /// At true sizes, where a gate is large enough to be encoded.
    void gatesOfHiDreamRemainPrecise() {
        const models::TensorLocation gate{.type = DType::BF16, .shape = {4, 2560}};
        const std::string name = "double_stream_blocks.0.block.ff_i.gate.weight";
        const auto precise = preciseOf("HiDreamImageTransformer2DModel");
        const auto ofGguf = models::ggufTarget(models::storageForm("q4_k"), name, gate, precise);
        QVERIFY(ofGguf.type == DType::F32 && !ofGguf.encoded);
        const auto ofComfy = models::comfyTarget(models::storageForm("f8"), name, gate, precise);
        QVERIFY(ofComfy.type == DType::BF16 && !ofComfy.encoded);
    }

    /// A folder's denoiser, in its own names, also from several files; the same as from one file.
    void aFolderGivesItsDenoiser() {
        const QString folder = testing::goldenFolder() + "/checkpoints/";
        for (const char* name : {"sd15_1", "sharded_1"}) {
            const models::Conversion result =
                testing::converted(folder + name, "q8_0", target("q8_0"));
            const ReadTensors ours = testing::readWeights(target("q8_0").toStdString());

            QCOMPARE(result.contents, std::string("the unet of ") + name);
            QVERIFY(
                ours.contains("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q.weight"));
            QCOMPARE(ours.at("conv_in.weight").storage, std::string("F32"));
            QVERIFY(countsOf(ours)["q8_0"] > 10);
        }
    }

    /// What was encoded is decoded first; what it is not encoded in again comes as halves.
    void encodedFilesAreSourcesToo() {
        const QString source = testing::singleFileFolder() + "/sd15_1.safetensors";
        (void)testing::converted(source, "q8_0", target("q8_0"));
        (void)testing::converted(source, "f8", target("f8"));

        (void)testing::converted(target("q8_0"), "f8", folder_.filePath("again.safetensors"));
        const ReadTensors fromGguf =
            testing::readWeights(folder_.filePath("again.safetensors").toStdString());
        const models::Conversion same =
            testing::converted(target("f8"), "f8", folder_.filePath("same.safetensors"));

        QCOMPARE(fromGguf.at("input_blocks.1.0.in_layers.2.weight").storage, std::string("F16"));
        QCOMPARE(countsOf(fromGguf)["f8_e4m3"],
                 countsOf(testing::readWeights(target("f8").toStdString()))["f8_e4m3"]);
        QCOMPARE(same.rounded, int64_t{0});
        QCOMPARE(testing::contentsOf(folder_.filePath("same.safetensors")),
                 testing::contentsOf(target("f8")));
    }
};

LOWTIDE_TEST(ConvertTest)

}  // namespace convert_test

#include "convert_test.moc"
