#include "tests/bench/stored_checkpoint.hpp"

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

#include <QFile>

#include <stdexcept>

namespace lowtide::testing {

namespace {

void convert(const QString& source, const QString& storage, const QString& target) {
    const CommandResult ended =
        runLowtide({"convert", source, "--storage", storage, "--out", target});
    if (ended.exitCode != 0) {
        throw std::runtime_error(ended.errors.toStdString());
    }
}

}  // namespace

QString storedXlCheckpoint(const QString& folder, const QString& storage) {
    const QString source = folder + "/model.safetensors";
    const bool isGguf = storage.startsWith('q');
    const QString target = folder + "/model_" + storage + (isGguf ? ".gguf" : ".safetensors");
    if (storage == "f16" || QFile::exists(target)) {
        return storage == "f16" ? source : target;
    }
    if (!isGguf) {
        convert(source, storage, target);
        return target;
    }
    const QString denoiser = folder + "/denoiser_" + storage + ".gguf";
    convert(source, storage, denoiser);
    runReference({sourcePath("tests/bench/whole_gguf.py"), source, denoiser, target});
    QFile::remove(denoiser);
    return target;
}

}  // namespace lowtide::testing
