#include "ui/studio/missing_files.hpp"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace lowtide::ui {

namespace {

QString fileNameOf(const std::string& value) {
    return QString::fromStdString(value)
        .replace(QLatin1Char('\\'), QLatin1Char('/'))
        .section(QLatin1Char('/'), -1);
}

/// Calls `visit` with every text that a parameter holds which names a file to be read.
template <typename Document, typename Visit>
void eachFile(Document& document, const graph::Catalog& catalog, const Visit& visit) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const auto value = node.params.find(param.id);
            const bool isRead = param.kind == ParamKind::File && !desc->sideEffect;
            if (isRead && value != node.params.end() && value->is_string()) {
                visit(*value);
            }
        }
    }
}

}  // namespace

std::vector<std::string> missingFiles(const GraphModel& model, const IsFound& isFound) {
    std::vector<std::string> missing;
    eachFile(model.document(), model.catalog(), [&](const Json& value) {
        const auto file = value.get<std::string>();
        const bool isKnown = std::find(missing.begin(), missing.end(), file) != missing.end();
        if (!file.empty() && !isKnown && !isFound(file)) {
            missing.push_back(file);
        }
    });
    return missing;
}

bool isSameModel(const std::string& wanted,
                 const std::string& hash,
                 const std::string& name,
                 const std::string& sha256) {
    const QString lost = fileNameOf(wanted);
    if (lost.compare(QString::fromStdString(name), Qt::CaseInsensitive) == 0) {
        return true;
    }
    const std::string within = hashInName(wanted);
    return (!hash.empty() && sha256.starts_with(hash)) ||
           (!within.empty() && sha256.starts_with(within));
}

std::string hashInName(const std::string& wanted) {
    static const QRegularExpression digits(
        QStringLiteral("(?<![0-9A-Fa-f])[0-9A-Fa-f]{10,64}(?![0-9A-Fa-f])"));
    return digits.match(fileNameOf(wanted)).captured().toLower().toStdString();
}

std::set<ModelKind> kindsOf(const GraphModel& model, const std::string& file) {
    std::set<ModelKind> kinds;
    for (const auto& [id, node] : model.document().nodes) {
        for (const auto& [param, value] : node.params.items()) {
            const std::optional<ModelKind> kind =
                value == file ? kindFor({node.type, param}) : std::nullopt;
            if (kind) {
                kinds.insert(*kind);
            }
        }
    }
    return kinds;
}

NewPlaces besideIt(const std::vector<std::string>& missing,
                   const std::string& except,
                   const QString& chosen) {
    const QDir folder = QFileInfo(chosen).absoluteDir();
    NewPlaces found;
    for (const std::string& file : missing) {
        const QString path = folder.absoluteFilePath(fileNameOf(file));
        if (file != except && QFileInfo(path).isFile()) {
            found[file] = path;
        }
    }
    return found;
}

void relocate(graph::Document& document, const graph::Catalog& catalog, const NewPlaces& places) {
    eachFile(document, catalog, [&](Json& value) {
        const auto place = places.find(value.get<std::string>());
        if (place != places.end()) {
            value = place->second.toStdString();
        }
    });
}

}  // namespace lowtide::ui
