#pragma once
// Small pictures of a model that is a folder, or a file for each network.

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace lowtide::testing {

/// The files of a run, below `folder` where they are no whole paths; text encoders in any order.
struct PictureFiles {
    QString folder;
    QString denoiser = "diffusion_model.safetensors";
    QStringList texts;
    QString autoencoder = "autoencoder.safetensors";
    QStringList settings{};  ///< others of the run: "denoise.shift=6"
};

/// Every value of a run of `lowtide` with two steps and guidance, all stages under `policy`, as the
/// dump's bytes; or what went wrong. `settings` say where the model is: "load.checkpoint=...".
[[nodiscard]] QByteArray dumpOfFolder(const QStringList& settings);
[[nodiscard]] QByteArray dumpOfFiles(const PictureFiles& files, const QString& policy = "none");

/// The settings of text_to_image_files that name them.
[[nodiscard]] QStringList settingsOf(const PictureFiles& files);

}  // namespace lowtide::testing
