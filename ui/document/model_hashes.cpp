#include "ui/document/model_hashes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_header.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/json_members.hpp"

#include <QFileInfo>
#include <QRegularExpression>

namespace lowtide::ui {

namespace {

constexpr const char* kHashes = "model_hashes";

/// "dream" for "models\\dream.safetensors".
QString modelStem(const std::string& file) {
    QString path = QString::fromStdString(file);
    return QFileInfo(path.replace(QLatin1Char('\\'), QLatin1Char('/'))).completeBaseName();
}

std::string parametersIn(const QString& picture) {
    const files::InputFile file(encoded(picture));
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    for (const image::PictureText& text : image::readPictureTexts(source, file.name())) {
        if (text.key == "parameters") {
            return text.text;
        }
    }
    return {};
}

}  // namespace

void keepModelHashes(graph::Document& document, const std::string& parameters) {
    // The last line has the fields; prompts are above it.
    const QString fields = QString::fromStdString(parameters).section(QLatin1Char('\n'), -1);
    static const QRegularExpression hashField(
        QStringLiteral("(?:^|, )Model hash: ([0-9A-Fa-f]{8,64})(?:,|$)"));
    static const QRegularExpression nameField(QStringLiteral("(?:^|, )Model: \"?([^,\"]+)"));
    const QString hash = hashField.match(fields).captured(1).toLower();
    const QString name = nameField.match(fields).captured(1).trimmed();
    if (hash.isEmpty() || name.isEmpty()) {
        return;
    }
    for (const auto& [id, node] : document.nodes) {
        for (const auto& [key, value] : node.params.items()) {
            const std::string file = value.is_string() ? value.get<std::string>() : std::string();
            const QString stem = modelStem(file);
            if (stem.compare(name, Qt::CaseInsensitive) == 0 ||
                QFileInfo(QString::fromStdString(file)).fileName() == name) {
                document.extra[kHashes][file] = hash.toStdString();
            }
        }
    }
}

void keepModelHashes(graph::Document& document, const QString& picture) {
    try {
        keepModelHashes(document, parametersIn(picture));
    } catch (const Error&) {  // a video, or a picture without texts: names alone are known
    }
}

std::string modelHashOf(const graph::Document& document, const std::string& file) {
    return textIn(memberIn(document.extra, kHashes), file.c_str());
}

}  // namespace lowtide::ui
