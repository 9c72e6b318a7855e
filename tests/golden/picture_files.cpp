#include "tests/golden/picture_files.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace lowtide::testing {

namespace {

QByteArray dumpOfPicture(const QString& example,
                         const QStringList& settings,
                         const QString& policy) {
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
QString& encodedOne(PictureFiles& files, const QString& stem) {
    for (QString& text : files.texts) {
        if (stem.startsWith(text.section('.', 0, 0) + "_")) {
            return text;
        }
    }
    return files.denoiser;
}

}  // namespace

QByteArray dumpOfFolder(const QStringList& settings) {
    return dumpOfPicture("text_to_image", settings, "none");
}

QByteArray dumpOfFiles(const PictureFiles& files, const QString& policy) {
    return dumpOfPicture("text_to_image_files", settingsOf(files), policy);
}

QStringList settingsOf(const PictureFiles& files) {
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

FilePictures::FilePictures(const QString& goldens, const std::map<QString, PictureFiles>& usual) {
    for (const auto& [name, files] : usual) {
        const QByteArray drawn =
            dumpOfFolder({"load.checkpoint=" + goldens + "/checkpoints/" + name});
        [&] { QVERIFY2(drawn.size() > kFewestBytes, drawn.left(2000).constData()); }();
        checkpoints_[name] = {files, drawn};
    }
}

FilePictures::AddRow FilePictures::folderRows() const {
    QTest::addColumn<QString>("checkpoint");
    QTest::addColumn<PictureFiles>("files");
    return [this](const char* name, const QString& checkpoint, PictureFiles files) {
        const PictureFiles& own = usual(checkpoint);
        files.folder = own.folder;
        files.settings = own.settings;
        if (files.texts.isEmpty()) {
            files.texts = own.texts;
        }
        QTest::newRow(name) << checkpoint << files;
    };
}

void FilePictures::checkSameAsFolder() const {
    QFETCH(QString, checkpoint);
    QFETCH(PictureFiles, files);
    checkSameAsFolder(checkpoint, files);
}

void FilePictures::checkSameAsFolder(const QString& checkpoint, const PictureFiles& files) const {
    const QByteArray seen = dumpOfFiles(files);
    QVERIFY2(seen == expected(checkpoint), seen.left(2000).constData());
}

void FilePictures::checkSameAsDecoded(const QString& stem) const {
    const QString ending = stem.endsWith("_q8_0") ? ".gguf" : ".safetensors";
    for (const auto& [name, checkpoint] : checkpoints_) {
        const auto with = [&own = checkpoint.usual, &stem](const QString& file) {
            PictureFiles files = own;
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

void FilePictures::checkConverted(const QString& checkpoint, const QString& storage) const {
    const QTemporaryDir folder;
    const QString out = folder.filePath(storage == "q8_0" ? "a.gguf" : "a.safetensors");
    PictureFiles files = usual(checkpoint);
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
                  const std::function<void(TensorFile&)>& change) {
    TensorFile file = readTensorFile(from.toStdString());
    change(file);
    writeTensorFile(to.toStdString(), file);
}

CommandResult planOfFiles(const PictureFiles& files, const QString& setting) {
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
    QTest::addColumn<QStringList>("says");
    return [](const char* name, const QString& setting, const QStringList& says) {
        QTest::newRow(name) << setting << says;
    };
}

void checkRefused(const PictureFiles& files) {
    QFETCH(QString, setting);
    QFETCH(QStringList, says);
    const CommandResult result = planOfFiles(files, setting);
    QVERIFY2(result.exitCode == 2, qPrintable(result.output + result.errors));
    QVERIFY2(!result.errors.contains("fault of the program"), qPrintable(result.errors));
    for (const QString& said : says) {
        QVERIFY2(result.errors.contains(said), qPrintable(said + " is not in: " + result.errors));
    }
}

}  // namespace lowtide::testing
