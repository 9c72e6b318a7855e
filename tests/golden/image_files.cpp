#include "tests/golden/image_files.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace lowtide::testing {

namespace {

QByteArray dumpOfImage(const QString& example, const QStringList& settings, const QString& policy) {
    const QTemporaryDir folder;
    const QString dump = folder.filePath("dump.safetensors");
    QStringList arguments = {"run", exampleGraph(example), "--out", folder.path(), "--dump", dump};
    for (const QString& setting : settings + QStringList{"latent.width=64",
                                                         "latent.height=64",
                                                         "denoise.steps=2",
                                                         "denoise.cfg=3",
                                                         "encode.prompt=a red boat",
                                                         "encode.negative=fog"}) {
        arguments << "--set" << setting;
    }
    for (const char* stage : {"encode", "denoise", "decode"}) {
        arguments << "--policy" << stage + ("=" + policy);
    }
    const CommandResult ended = runInProcess(arguments);
    return ended.exitCode == 0 ? contentsOf(dump) : ended.errors.toUtf8();
}

/// The file that another one stands for: "t5_fp8" for "t5.safetensors".
QString& encodedOne(ImageFiles& files, const QString& stem) {
    for (QString& text : files.texts) {
        if (stem.startsWith(text.section('.', 0, 0) + "_")) {
            return text;
        }
    }
    return files.denoiser;
}

}  // namespace

QByteArray dumpOfFolder(const QStringList& settings) {
    return dumpOfImage("text_to_image", settings, "none");
}

QByteArray dumpOfFiles(const ImageFiles& files, const QString& policy) {
    return dumpOfImage("text_to_image_files", settingsOf(files), policy);
}

QStringList settingsOf(const ImageFiles& files) {
    const auto pathOf = [&](const QString& file) {
        return file.startsWith('/') ? file : files.folder + "/" + file;
    };
    QStringList settings = {"load.file=" + pathOf(files.denoiser),
                            "autoencoder.file=" + pathOf(files.autoencoder)};
    for (qsizetype i = 0; i < files.texts.size(); ++i) {
        settings << "text_encoders.file" + (i == 0 ? "" : QString("_%1").arg(i + 1)) + "=" +
                        pathOf(files.texts[i]);
    }
    return settings + files.settings;
}

FileImages::FileImages(const QString& goldens, const std::map<QString, ImageFiles>& usual) {
    for (const auto& [name, files] : usual) {
        const QByteArray drawn =
            dumpOfFolder({"load.checkpoint=" + goldens + "/checkpoints/" + name});
        [&] { QVERIFY2(drawn.size() > kFewestBytes, drawn.left(2000).constData()); }();
        checkpoints_[name] = {files, drawn};
    }
}

FileImages::AddRow FileImages::folderRows() const {
    QTest::addColumn<QString>("checkpoint");
    QTest::addColumn<ImageFiles>("files");
    return [this](const char* name, const QString& checkpoint, ImageFiles files) {
        const ImageFiles& own = usual(checkpoint);
        files.folder = own.folder;
        files.settings = own.settings;
        if (files.texts.isEmpty()) {
            files.texts = own.texts;
        }
        QTest::newRow(name) << checkpoint << files;
    };
}

void FileImages::checkSameAsFolder() const {
    QFETCH(QString, checkpoint);
    QFETCH(ImageFiles, files);
    checkSameAsFolder(checkpoint, files);
}

void FileImages::checkSameAsFolder(const QString& checkpoint, const ImageFiles& files) const {
    const QByteArray seen = dumpOfFiles(files);
    QVERIFY2(seen == expected(checkpoint), seen.left(2000).constData());
}

void FileImages::checkSameAsDecoded(const QString& stem) const {
    const QString ending = stem.endsWith("_q8_0") ? ".gguf" : ".safetensors";
    for (const auto& [name, checkpoint] : checkpoints_) {
        const auto with = [&own = checkpoint.usual, &stem](const QString& file) {
            ImageFiles files = own;
            encodedOne(files, stem) = file;
            return files;
        };
        const QByteArray decoded = dumpOfFiles(with(stem + "_decoded.safetensors"));
        QVERIFY2(decoded.size() > kFewestBytes, decoded.left(2000).constData());
        QVERIFY(decoded != checkpoint.expected);
        for (const char* policy : {"none", "leaf+stream"}) {
            const QByteArray seen = dumpOfFiles(with(stem + ending), policy);
            QVERIFY2(seen == decoded, seen.left(2000).constData());
        }
    }
}

void FileImages::checkConverted(const QString& checkpoint, const QString& storage) const {
    const QTemporaryDir folder;
    const QString out = folder.filePath(storage == "q8_0" ? "a.gguf" : "a.safetensors");
    ImageFiles files = usual(checkpoint);
    const CommandResult written = runInProcess(
        {"convert", files.folder + "/" + files.denoiser, "--storage", storage, "--out", out});
    QVERIFY2(written.exitCode == 0, qPrintable(written.errors));
    files.denoiser = out;
    const QByteArray whole = dumpOfFiles(files);
    QVERIFY2(whole.size() > kFewestBytes, whole.left(2000).constData());
    QVERIFY(whole != expected(checkpoint));
    QVERIFY(dumpOfFiles(files, "leaf+stream") == whole);
}

void writeChanged(const QString& from,
                  const QString& to,
                  const std::function<void(TensorFile&)>& edit) {
    TensorFile file = readTensorFile(from.toStdString());
    edit(file);
    writeTensorFile(to.toStdString(), file);
}

CommandResult planOfFiles(const ImageFiles& files, const QString& setting) {
    QStringList arguments = {"plan", exampleGraph("text_to_image_files")};
    for (const QString& each :
         settingsOf(files) +
             QStringList{"latent.width=64", "latent.height=64", "denoise.steps=2", setting}) {
        arguments << "--set" << each;
    }
    return runInProcess(arguments);
}

AddRefusal refusalRows() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QStringList>("expected");
    return [](const char* name, const QString& setting, const QStringList& expected) {
        QTest::newRow(name) << setting << expected;
    };
}

void checkRefused(const ImageFiles& files) {
    QFETCH(QString, setting);
    QFETCH(QStringList, expected);
    const CommandResult result = planOfFiles(files, setting);
    QVERIFY2(result.exitCode == 2, qPrintable(result.output + result.errors));
    QVERIFY2(!result.errors.contains("fault of the program"), qPrintable(result.errors));
    for (const QString& message : expected) {
        QVERIFY2(result.errors.contains(message),
                 qPrintable(message + " is not in: " + result.errors));
    }
}

}  // namespace lowtide::testing
