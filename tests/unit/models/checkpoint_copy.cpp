#include "tests/unit/models/checkpoint_copy.hpp"

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/tensor_file.hpp"

#include <QFile>
#include <QFileInfo>

namespace lowtide::testing {

CheckpointCopy::CheckpointCopy() : CheckpointCopy(sourcePath("resources/mini/model")) {}

CheckpointCopy::CheckpointCopy(const QString& source) {
    copyFolder(source, file({}));
}

std::string CheckpointCopy::path() const {
    return folder_.filePath("copy").toStdString();
}

QString CheckpointCopy::file(const QString& relative) const {
    return folder_.filePath("copy/" + relative);
}

void CheckpointCopy::write(const QString& relative, const QByteArray& bytes) const {
    writeFile(file(relative), bytes);
}

void CheckpointCopy::remove(const QString& relative) const {
    QFile::remove(file(relative));
}

void CheckpointCopy::set(const QString& relative, const std::string& key, const Json& value) const {
    const std::string path = file(relative).toStdString();
    Json json = Json::parse(files::InputFile(path).readAll(kMiB));
    json[key] = value;
    write(relative, QByteArray::fromStdString(json.dump()));
}

std::map<std::string, std::string> CheckpointCopy::split(
    const QString& relative, const std::vector<std::string>& names) const {
    const files::InputFile source(file(relative).toStdString());
    const files::SafetensorsHeader header = files::readSafetensorsHeader(source);
    std::map<std::string, std::string> bytes;
    std::map<std::string, std::map<std::string, files::TensorBytes>> parts;
    std::map<std::string, std::string> positions;
    size_t count = 0;
    for (const auto& [name, info] : header.tensors) {
        std::string& content = bytes[name];
        content.resize(static_cast<size_t>(info.bytes));
        source.read(std::as_writable_bytes(std::span(content)), info.offset);
        const std::string& part = names[count++ % names.size()];
        parts[part][name] = {info.type, info.shape, std::as_bytes(std::span(content))};
        positions[name] = part;
    }
    const QString folder = QFileInfo(file(relative)).path();
    for (const auto& [part, tensors] : parts) {
        files::writeSafetensors(folder.toStdString() + "/" + part, tensors);
    }
    if (!parts.contains(QFileInfo(relative).fileName().toStdString())) {
        remove(relative);
    }
    return positions;
}

}  // namespace lowtide::testing
