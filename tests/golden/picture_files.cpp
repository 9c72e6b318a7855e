#include "tests/golden/picture_files.hpp"

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"

#include <QTemporaryDir>

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
    const CommandResult ended = runLowtide(arguments);
    return ended.exitCode == 0 ? contentsOf(dump) : ended.errors.toUtf8();
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

}  // namespace lowtide::testing
