#pragma once
// Small images of a model that is a folder, or a file for each network.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/tensor_file.hpp"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>

namespace lowtide::testing {

/// The files of a run, below `folder` where they are no whole paths; text encoders in any order.
struct ImageFiles {
    QString folder;
    QString denoiser = "diffusion_model.safetensors";
    QStringList texts;
    QString autoencoder = "autoencoder.safetensors";
    QStringList settings{};  ///< others of the run: "denoise.shift=6"
};

/// Every value of a run of `lowtide` with two steps and guidance, all stages under `policy`, as the
/// dump's bytes; or what went wrong. `settings` state where the model is: "load.checkpoint=...".
[[nodiscard]] QByteArray dumpOfFolder(const QStringList& settings);
[[nodiscard]] QByteArray dumpOfFiles(const ImageFiles& files, const QString& policy = "none");

/// The settings of text_to_image_files that name them.
[[nodiscard]] QStringList settingsOf(const ImageFiles& files);

/// Fewer are no dump of such an image.
inline constexpr qint64 kFewestBytes = 100'000;

/// What is drawn from files of checkpoints, compared with what the checkpoints' folders draw.
class FileImages {
public:
    /// `usual`: the files as ComfyUI has them, by checkpoint of `goldens`.
    FileImages(const QString& goldens, const std::map<QString, ImageFiles>& usual);

    [[nodiscard]] const ImageFiles& usual(const QString& checkpoint) const {
        return checkpoints_.at(checkpoint).usual;
    }

    /// What the folder draws.
    [[nodiscard]] const QByteArray& expected(const QString& checkpoint) const {
        return checkpoints_.at(checkpoint).expected;
    }

    /// Adds rows for checkSameAsFolder(): files below the usual folder; no texts: the usual ones.
    using AddRow =
        std::function<void(const char* name, const QString& checkpoint, ImageFiles files)>;
    [[nodiscard]] AddRow folderRows() const;

    /// Of the test's row: the folder's image.
    void checkSameAsFolder() const;
    void checkSameAsFolder(const QString& checkpoint, const ImageFiles& files) const;

    /// Each checkpoint with one of its files in an encoding: what `stem`_decoded.safetensors draws,
    /// under offload too, and not what the folder does. "t5_fp8" stands for "t5.safetensors".
    void checkSameAsDecoded(const QString& stem) const;

    /// What `lowtide convert` writes of the denoiser: another image than the folder's, and the
    /// same under every policy.
    void checkConverted(const QString& checkpoint, const QString& storage) const;

private:
    struct Checkpoint {
        ImageFiles usual;
        QByteArray expected;
    };

    std::map<QString, Checkpoint> checkpoints_;
};

/// Writes the tensor file `from` with something else in it.
void writeChanged(const QString& from,
                  const QString& to,
                  const std::function<void(TensorFile&)>& edit);

/// `lowtide plan` of a small image with these files.
[[nodiscard]] CommandResult planOfFiles(const ImageFiles& files, const QString& setting);

/// Adds rows for checkRefused().
using AddRefusal = void (*)(const char* name, const QString& setting, const QStringList& expected);
[[nodiscard]] AddRefusal refusalRows();

/// Of the test's row: with these files the setting is refused in sentences that state all that.
void checkRefused(const ImageFiles& files);

}  // namespace lowtide::testing
