// Conversions that end early leave nothing; what a file keeps of its source.
#include "plugin/files/gguf.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/converted_file.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <cstring>
#include <limits>

namespace convert_refusal_test {

using namespace lowtide;
using testing::FileTensor;
using testing::TensorFile;

namespace {

using Metadata = std::map<std::string, std::string, std::less<>>;

const std::string kStart = "model.diffusion_model.";
const std::string kMatrix = kStart + "middle_block.1.transformer_blocks.0.ff.net.2.weight";
const std::string kText = "cond_stage_model.transformer.text_model.final_layer_norm.weight";

FileTensor floatsOf(Shape shape, float first = 0.5F) {
    std::vector<float> numbers(static_cast<size_t>(elementCount(shape).value()));
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = first / static_cast<float>(i + 1);
    }
    std::string bytes(numbers.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return {.type = DType::F32, .shape = std::move(shape), .bytes = std::move(bytes)};
}

/// A file that has what identifies a denoiser, a matrix of 2 MiB, and a text encoder's norm.
TensorFile smallCheckpoint() {
    return {{kStart + "input_blocks.0.0.weight", floatsOf({8, 4, 3, 3})},
            {kStart + "out.2.weight", floatsOf({4, 8, 3, 3})},
            {kStart + "time_embed.0.weight", floatsOf({64, 32})},
            {kMatrix, floatsOf({512, 1024})},
            {kText, floatsOf({768})}};
}

void putNumber(FileTensor& tensor, size_t index, float number) {
    std::memcpy(tensor.bytes.data() + index * sizeof(float), &number, sizeof(number));
}

}  // namespace

class ConvertRefusalTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString source_ = folder_.filePath("source.safetensors");

    QString written(const TensorFile& tensors,
                    const std::map<std::string, std::string>& metadata = {}) const {
        testing::writeTensorFile(source_.toStdString(), tensors, metadata);
        return source_;
    }

    QString out(const char* name = "new.safetensors") const { return folder_.filePath(name); }

    QString refusalOf(const QString& checkpoint, const char* storage, const QString& target) const {
        const auto error =
            testing::errorOf([&] { (void)testing::converted(checkpoint, storage, target); });
        return error ? QString::fromStdString(error->message().str()) : "converted";
    }

    static models::ConversionChoice choiceOf(const QString& source, const QString& storage) {
        const models::ConversionChoices known =
            models::conversionChoices({source.toStdString(), "source"});
        const auto found =
            std::find_if(known.choices.begin(), known.choices.end(), [&](const auto& choice) {
                return choice.storage == storage.toStdString();
            });
        return found == known.choices.end() ? models::ConversionChoice() : *found;
    }

    QStringList files() const {
        return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name);
    }

private Q_SLOTS:

    void refusesWhatItCannotWrite_data() {
        const testing::Rows<QString, QString, QString> row("storage", "name", "message");
        row("storage", "q9", "a.gguf", "there is no storage \"q9\"");
        row("ending of GGUF",
            "q8_0",
            "a.safetensors",
            "q8_0 is written as a file that ends in .gguf, which \"a.safetensors\" does not");
        row("ending",
            "f8",
            "a.gguf",
            "f8 is written as a file that ends in .safetensors, which \"a.gguf\" does not");
        row("itself",
            "f16",
            "source.safetensors",
            "\"source.safetensors\" is the file that is read, it is not replaced");
        row("folder",
            "f16",
            "none/a.safetensors",
            "cannot write \"a.safetensors\": the folder \"none\" does not exist");
    }

    void refusesWhatItCannotWrite() {
        QFETCH(QString, storage);
        QFETCH(QString, name);
        QFETCH(QString, message);
        const QString source = written(smallCheckpoint());
        const QByteArray before = testing::contentsOf(source);

        const QString refusal = refusalOf(source, qPrintable(storage), folder_.filePath(name));

        QVERIFY2(refusal.startsWith(message), qPrintable(refusal));
        QCOMPARE(files(), QStringList{"source.safetensors"});
        QCOMPARE(testing::contentsOf(source), before);
    }

    void refusesFilesWithoutADenoiser() {
        TensorFile tensors = smallCheckpoint();
        tensors.erase(kStart + "out.2.weight");
        const QString refusal = refusalOf(written(tensors), "f8", out());
        QVERIFY2(refusal.startsWith("source.safetensors holds no denoiser that is built (Stable"),
                 qPrintable(refusal));
        QVERIFY(refusalOf(folder_.path(), "f8", out()).startsWith("unet: there are no weights"));
        QVERIFY(refusalOf(out("none.safetensors"), "f8", out()).contains("none.safetensors"));
    }

    void namesANumberThatAHalfDoesNotHold() {
        TensorFile tensors = smallCheckpoint();
        putNumber(tensors.at(kText), 700, -70000);
        const QString key = QString::fromStdString(kText);
        QCOMPARE(
            refusalOf(written(tensors), "f16", out()),
            "\"source.safetensors\", \"" + key + "\": number 700 is -70000, f16 holds up to 65504");
        QCOMPARE(files(), QStringList{"source.safetensors"});
        QCOMPARE(refusalOf(written(tensors), "f8", out()), QString("converted"));
        QFile::remove(out());
    }

    void namesANumberThatIsNone() {
        TensorFile tensors = smallCheckpoint();
        putNumber(tensors.at(kMatrix), 1025, std::numeric_limits<float>::quiet_NaN());
        for (const auto& [storage, name] :
             {std::pair("f8", "a.safetensors"), {"int8", "a.safetensors"}, {"q4_k", "a.gguf"}}) {
            const QString refusal = refusalOf(written(tensors), storage, out(name));
            QVERIFY2(refusal.endsWith("number 1025 is nan, which no encoding holds"),
                     qPrintable(refusal));
        }
        putNumber(tensors.at(kMatrix), 1025, 1e9F);
        const QString refusal = refusalOf(written(tensors), "q8_0", out("a.gguf"));
        QVERIFY2(refusal.endsWith("its numbers are too large for GGUF Q8_0: the scale of block 32 "
                                  "is no finite number"),
                 qPrintable(refusal));
        QCOMPARE(files(), QStringList{"source.safetensors"});
    }

    static void addFiles() {
        QTest::addColumn<QString>("storage");
        QTest::addColumn<QString>("name");
        for (const char* storage : {"f16", "f8", "int8"}) {
            QTest::newRow(storage) << storage << "a.safetensors";
        }
        for (const char* storage : {"q8_0", "q4_k"}) {
            QTest::newRow(storage) << storage << "a.gguf";
        }
    }

    void needsSpaceOnTheDisk_data() { addFiles(); }

    /// For the whole file, before a byte of it is written, also where it replaces another.
    void needsSpaceOnTheDisk() {
        QFETCH(QString, storage);
        QFETCH(QString, name);
        const QString source = written(smallCheckpoint());
        const QString target = out(qPrintable(name));
        const Bytes bytes = choiceOf(source, storage).bytes;

        const auto error = testing::errorOf(
            [&] { (void)testing::converted(source, storage.toStdString(), target, bytes - 1); });

        QVERIFY(error && error->kind() == ErrorKind::Device);
        const QString size = QString::fromStdString(formatBytes(bytes));
        QCOMPARE(QString::fromStdString(error->message().str()),
                 QString("\"%1\" takes %2, the disk of the folder \"%3\" has %4 free")
                     .arg(name,
                          size,
                          QFileInfo(folder_.path()).fileName(),
                          QString::fromStdString(formatBytes(bytes - 1))));
        QCOMPARE(QString::fromStdString(error->hint().str()),
                 QString("free 1 B there, or choose a folder on another disk"));
        QCOMPARE(files(), QStringList{"source.safetensors"});
        (void)testing::converted(source, storage.toStdString(), target, bytes);
        QVERIFY(QFile::exists(target));
    }

    void knowsTheSizeOfAFileBefore_data() { addFiles(); }

    /// With space for headers and settings of each tensor, and for metadata that are kept.
    void knowsTheSizeOfAFileBefore() {
        QFETCH(QString, storage);
        QFETCH(QString, name);
        TensorFile tensors = smallCheckpoint();
        tensors[std::string(200, 'n')] = floatsOf({1});
        const QString source = written(tensors, {{"modelspec.title", std::string(100000, '"')}});
        const models::ConversionChoice choice = choiceOf(source, storage);

        (void)testing::converted(source, storage.toStdString(), out(qPrintable(name)));

        const Bytes size = QFileInfo(out(qPrintable(name))).size();
        QVERIFY2(size <= choice.bytes, qPrintable(QString("%1 of %2").arg(size).arg(choice.bytes)));
        QVERIFY(choice.bytes <= size + 200000 + 6 * 2 * kKiB);
        QVERIFY(name.endsWith(QString::fromStdString(choice.ending)));
        const bool isOfDenoiser = name.endsWith("gguf");
        QCOMPARE(choice.contents, std::string(isOfDenoiser ? "the denoiser of source" : "source"));
        Bytes bytes = 0;
        for (const auto& [key, tensor] : tensors) {
            bytes += !isOfDenoiser || key.starts_with(kStart) ? Bytes(tensor.bytes.size()) : 0;
        }
        QCOMPARE(choice.sourceBytes, bytes);
    }

    /// At each of its questions; the last one comes when everything is written but the name.
    void leavesNothingWhenItIsCancelled() {
        const QString source = written(smallCheckpoint());
        for (const auto& [storage, name] :
             {std::pair("f8", "a.safetensors"), {"f16", "a.safetensors"}, {"q4_k", "a.gguf"}}) {
            const auto asked = [&](int most) {
                int questions = 0;
                const auto error = testing::errorOf([&] {
                    (void)models::convertWeights({source.toStdString(), "source"},
                                                 storage,
                                                 out(name).toStdString(),
                                                 [&](Bytes done, Bytes total) {
                                                     ++questions;
                                                     return done <= total && questions != most;
                                                 });
                });
                return std::pair(questions, error);
            };
            const int all = asked(0).first;
            QVERIFY(QFile::remove(out(name)));
            QVERIFY(all >= 3);
            for (int question = 1; question <= all; ++question) {
                const auto [questions, error] = asked(question);
                QCOMPARE(questions, question);
                QVERIFY(error && error->kind() == ErrorKind::Cancelled);
                QCOMPARE(files(), QStringList{"source.safetensors"});
            }
        }
    }

    /// License and modelspec are kept, a trainer's notes and hashes that no longer hold are not.
    void keepsWhatAModelStates() {
        const std::map<std::string, std::string> stated = {{"modelspec.license", "CC0"},
                                                           {"modelspec.title", "Small"},
                                                           {"modelspec.hash_sha256", "0x12"},
                                                           {"ss_output_name", "a trainer's name"},
                                                           {"global_step", "875000"}};
        TensorFile tensors = smallCheckpoint();
        tensors["v_pred"] = floatsOf({1});
        const QString source = written(tensors, stated);

        (void)testing::converted(source, "f16", out());
        (void)testing::converted(source, "q8_0", out("new.gguf"));

        auto f16 = models::openWeightFile(out().toStdString()).metadata;
        auto gguf = models::openWeightFile(out("new.gguf").toStdString()).metadata;
        QVERIFY(f16.at("lowtide.storage").starts_with("f16, re-encoded by Lowtide "));
        QVERIFY(gguf.at("lowtide.storage").starts_with("q8_0, re-encoded by Lowtide "));
        QVERIFY(gguf.at("general.quantized_by").starts_with("Lowtide "));
        f16.erase("lowtide.storage");
        gguf.erase("lowtide.storage");
        gguf.erase("general.quantized_by");
        QCOMPARE(f16,
                 (Metadata{{"format", "pt"},
                           {"global_step", "875000"},
                           {"modelspec.license", "CC0"},
                           {"modelspec.title", "Small"}}));
        QCOMPARE(gguf,
                 (Metadata{{"general.architecture", "sd1"},
                           {"general.license", "CC0"},
                           {"general.name", "Small"},
                           {"global_step", "875000"},
                           {"modelspec.license", "CC0"},
                           {"modelspec.prediction_type", "v"},
                           {"modelspec.title", "Small"}}));
    }

    /// Tensors lie as they lie in the source, whatever their names.
    void keepsTheOrderOfTheSource() {
        const TensorFile tensors = smallCheckpoint();
        std::vector<files::TensorSource> sources;
        for (auto each = tensors.rbegin(); each != tensors.rend(); ++each) {
            sources.push_back({.name = each->first,
                               .type = each->second.type,
                               .shape = each->second.shape,
                               .fill = [&bytes = each->second.bytes](auto piece, Bytes offset) {
                                   std::memcpy(piece.data(), bytes.data() + offset, piece.size());
                               }});
        }
        files::writeSafetensors(source_.toStdString(), sources, {}, {});

        (void)testing::converted(source_, "q8_0", out("new.gguf"));

        const auto header = files::readGgufHeader(files::InputFile(out("new.gguf").toStdString()));
        QStringList names;
        for (const files::GgufTensor& tensor : header.tensors) {
            names.append(QString::fromStdString(tensor.name));
        }
        QCOMPARE(names,
                 (QStringList{"time_embed.0.weight",
                              "out.2.weight",
                              QString::fromStdString(kMatrix.substr(kStart.size())),
                              "input_blocks.0.0.weight"}));
    }

    void theSameSourceGivesTheSameBytes() {
        const QString source = written(smallCheckpoint());
        (void)testing::converted(source, "f8", out("a.safetensors"));
        (void)testing::converted(source, "f8", out("b.safetensors"));
        QCOMPARE(testing::contentsOf(out("a.safetensors")),
                 testing::contentsOf(out("b.safetensors")));
    }

    void cleanup() {
        for (const QString& name : files()) {
            QFile::remove(folder_.filePath(name));
        }
    }
};

LOWTIDE_TEST(ConvertRefusalTest)

}  // namespace convert_refusal_test

#include "convert_refusal_test.moc"
