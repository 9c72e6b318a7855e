#include "ui/document/opened_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/preset.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/interop/import.hpp"
#include "plugin/interop/settings.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/groups.hpp"
#include "ui/document/json_members.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace lowtide::ui {

namespace {

struct Opening {
    Q_DECLARE_TR_FUNCTIONS(Opening)
};

QByteArray beginOf(const QString& path, size_t bytes) {
    QFile file(path);
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly)
               ? file.read(static_cast<qint64>(bytes))
               : QByteArray();
}

std::span<const std::byte> bytesOf(const QByteArray& begin) {
    return std::as_bytes(std::span(begin.constData(), static_cast<size_t>(begin.size())));
}

bool isAnimatedImage(const QString& path) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) {
        return false;
    }
    // What cannot be read counts as zeros.
    return image::isAnimation({.size = static_cast<uint64_t>(file.size()),
                               .read = [&](std::span<std::byte> target, uint64_t offset) {
                                   std::ranges::fill(target, std::byte{0});
                                   file.seek(static_cast<qint64>(offset));
                                   file.read(reinterpret_cast<char*>(target.data()),
                                             static_cast<qint64>(target.size()));
                               }});
}

constexpr const char* kHashes = "model_hashes";
constexpr size_t kMostLaidOut = 1000;  ///< nodes: of more it would take seconds

/// "dream" for "models\\dream.safetensors".
QString modelStem(const std::string& file) {
    QString path = QString::fromStdString(file);
    return QFileInfo(path.replace(QLatin1Char('\\'), QLatin1Char('/'))).completeBaseName();
}

bool isModelHash(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return text.size() >= 8 && text.size() <= 64 &&
           text.find_first_not_of(kDigits) == std::string::npos;
}

void takeImport(OpenedGraph& opened, const std::string& text, const Importer& importer) {
    if (!importer) {
        throw Error(ErrorKind::Unsupported,
                    message("a workflow or settings of another program cannot be imported here"),
                    message("start the studio with its engine"));
    }
    ImportedGraph imported = importer(text, opened.folder);
    opened.document = std::move(imported.document);
    opened.report = std::move(imported.report);
}

void muteLostOutputs(graph::Document& document, const graph::Catalog& catalog) {
    NodeIds lost;
    for (const auto& [id, node] : document.nodes) {
        if (catalog.find(node.type) == nullptr) {
            lost.merge(reachedFrom(document, id, [&](const graph::Link& link) {
                return !lost.contains(link.to.node);
            }));
        }
    }
    NodeIds outputs, lostOutputs;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (desc != nullptr && desc->output) {
            (lost.contains(id) ? lostOutputs : outputs).insert(id);
        }
    }
    for (const std::string& id : outputs.empty() ? NodeIds() : lostOutputs) {
        document.nodes.at(id).mode = graph::NodeMode::Muted;
    }
}

/// As long as no canvas has painted them; folded groups are like nodes.
NodeSizes roughSizes(const graph::Document& document, const graph::Catalog& catalog) {
    constexpr double kFrame = 64, kRow = 24, kTextRows = 3;
    NodeSizes sizes;
    const Groups groups(document);
    for (const auto& [id, group] : groups.all()) {
        sizes[id] = kNewNodeSize;
    }
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        double rows = desc == nullptr ? static_cast<double>(node.params.size())
                                      : static_cast<double>(desc->outputs.size());
        for (const PortDesc& input : desc == nullptr ? std::vector<PortDesc>() : desc->inputs) {
            rows += !input.optional || linkInto(document, {id, input.id}) != nullptr ? 1 : 0;
        }
        for (const ParamDesc& param : desc == nullptr ? std::vector<ParamDesc>() : desc->params) {
            rows += param.advanced ? 0 : param.multiline ? kTextRows : 1;
        }
        sizes[id] = {kNewNodeSize.x, kFrame + kRow * rows};
    }
    return sizes;
}

std::string parametersIn(const QString& image) {
    const files::InputFile file(encoded(image));
    for (const image::ImageText& text : graph::readCarriedTexts(file)) {
        if (text.key == "parameters") {
            return text.text;
        }
    }
    return {};
}

}  // namespace

bool isImage(const QString& path) {
    const QByteArray begin = beginOf(path, image::kImageBeginBytes);
    return image::beginsAsImage(bytesOf(begin)) || image::hasImageName(encoded(path));
}

bool isVideo(const QString& path) {
    const QByteArray begin = beginOf(path, video::kVideoBeginBytes);
    return video::beginsAsVideo(bytesOf(begin)) || video::hasVideoName(encoded(path)) ||
           isAnimatedImage(path);
}

QString documentNameOf(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    for (const char* ending :
         {".lowtide.json", ".json", ".png", ".jpg", ".jpeg", ".webp", ".mp4", ".webm"}) {
        if (name.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) {
            return name.chopped(static_cast<qsizetype>(qstrlen(ending)));
        }
    }
    return name;
}

QString graphFolderOf(const QString& path) {
    return path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
}

OpenedGraph openedFile(const QString& path, const Importer& importer) {
    const files::InputFile file(encoded(path));
    const std::string text = interop::readAnyGraphText(file);
    OpenedGraph opened{.document = {}, .name = documentNameOf(path), .folder = graphFolderOf(path)};
    try {
        if (interop::isForeign(text)) {
            takeImport(opened, text, importer);
        } else {
            opened.document = graph::parseDocument(text);
        }
    } catch (const Error& error) {
        throw namingFile(error, file);
    }
    if (isImage(path)) {
        keepModelHashes(opened.document, path);
    }
    return opened;
}

OpenedGraph openedText(const std::string& text, const QString& name, const Importer& importer) {
    OpenedGraph opened{.document = {}, .name = name, .folder = {}, .isKept = false};
    takeImport(opened, text, importer);
    keepModelHashes(opened.document, text);
    return opened;
}

void settleImport(graph::Document& document, const graph::Catalog& catalog) {
    muteLostOutputs(document, catalog);
    if (document.nodes.size() > kMostLaidOut) {
        return;
    }
    const bool hasPositions = std::ranges::none_of(
        document.nodes, [](const auto& entry) { return entry.second.position.is_null(); });
    const NodeSizes sizes = roughSizes(document, catalog);
    hasPositions ? spreadApart(document, sizes) : arrangeShown(document, {}, sizes);
}

OpenedGraph openedBackup(const QString& backup, const QString& path) {
    return {.document = loadGraph(backup),
            .name = Opening::tr("%1 (backup)").arg(documentNameOf(path)),
            .folder = graphFolderOf(path)};
}

graph::Document rebased(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const QString& from,
                        const QString& to) {
    return graph::rebased(document, catalog, encoded(from), encoded(to));
}

void keepModelHashes(graph::Document& document, const std::string& parameters) {
    const std::optional<interop::ImageSettings> settings = interop::readA1111(parameters);
    if (!settings || settings->model.empty() || !isModelHash(settings->modelHash)) {
        return;
    }
    const QString name = QString::fromStdString(settings->model);
    for (const auto& [id, node] : document.nodes) {
        for (const auto& [key, value] : node.params.items()) {
            const std::string file = value.is_string() ? value.get<std::string>() : std::string();
            const QString stem = modelStem(file);
            if (stem.compare(name, Qt::CaseInsensitive) == 0 ||
                QFileInfo(QString::fromStdString(file)).fileName() == name) {
                document.extra[kHashes][file] = settings->modelHash;
            }
        }
    }
}

void keepModelHashes(graph::Document& document, const QString& image) {
    try {
        keepModelHashes(document, parametersIn(image));
    } catch (const Error&) {  // a video, or an image without texts: names alone are known
    }
}

std::string modelHashOf(const graph::Document& document, const std::string& file) {
    return textIn(memberIn(document.extra, kHashes), file.c_str());
}

}  // namespace lowtide::ui
