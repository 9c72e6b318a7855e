#include "tests/unit/models/truth.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <stdexcept>

namespace lowtide::testing {

namespace {

/// Kinds of make_sdxl_goldens.py.
constexpr const char* kXlKinds[] = {"sdxl_", "playground_", "refiner_", "ssd_"};

std::string folderOfTruth(const std::string& scriptName,
                          const std::string& name,
                          const std::string& checkpoints) {
    const QString script =
        testing::sourcePath("tests/unit/models/" + QString::fromStdString(scriptName));
    const QString read = QString::fromStdString(checkpoints);
    const QString folder = QFileInfo(read).path() + "/" +
                           QString::fromStdString(scriptName).chopped(3) + "-" +
                           testing::hashOfScript(script);
    testing::runReferenceAlone(folder,
                               {script,
                                testing::sourcePath("tests/golden/reference"),
                                read,
                                folder,
                                QString::fromStdString(name)});
    return folder.toStdString();
}

}  // namespace

Truth::Truth(const std::string& script, const std::string& name, std::string checkpoints)
    : checkpoints_(checkpoints.empty() ? goldenFolder().toStdString() + "/checkpoints"
                                       : std::move(checkpoints)),
      folder_(folderOfTruth(script, name, checkpoints_) + "/"),
      values_(readTensorFile(folder_ + name + ".safetensors")) {}

std::string Truth::text(const std::string& fileName) const {
    QFile file(QString::fromStdString(folder_ + fileName));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("the script made no " + fileName);
    }
    return file.readAll().toStdString();
}

at::Tensor Truth::tensor(const std::string& key) const {
    return tensorIn(values_, key);
}

std::string Truth::disagreement(const std::string& key, const at::Tensor& ours) const {
    return testing::disagreement(values_, key, ours);
}

std::string disagreement(const TensorFile& reference,
                         const std::string& key,
                         const at::Tensor& ours) {
    const at::Tensor plain = ours.contiguous();
    const auto* bytes = static_cast<const char*>(plain.const_data_ptr());
    return disagreement(reference.at(key),
                        {.type = DType::F32,
                         .shape = plain.sizes().vec(),
                         .bytes = std::string(bytes, plain.nbytes())})
        .value_or("");
}

at::Tensor tensorIn(const TensorFile& file, const std::string& key) {
    const FileTensor& source = file.at(key);
    const at::ScalarType type = source.type == DType::I64 ? at::kLong : at::kFloat;
    at::Tensor tensor = at::empty(source.shape, type);
    std::memcpy(tensor.mutable_data_ptr(), source.bytes.data(), source.bytes.size());
    return tensor;
}

std::string goldenCheckpoint(const std::string& name) {
    const bool isXl = std::any_of(std::begin(kXlKinds), std::end(kXlKinds), [&](const char* kind) {
        return name.starts_with(kind);
    });
    return (isXl ? sdxlGoldenFolder() : goldenFolder()).toStdString() + "/checkpoints/" + name;
}

}  // namespace lowtide::testing
