#include "ui/studio/kept_nodes.hpp"

#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <exception>

namespace lowtide::ui {

namespace {

constexpr qint64 kLargestFile = 16 << 20;

}  // namespace

void keepNodes(const QString& path, std::span<const NodeDesc> nodes) {
    Json list = Json::array();
    for (const NodeDesc& node : nodes) {
        list.push_back(graph::toJson(node));
    }
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QByteArray::fromStdString(list.dump()));
        file.commit();
    }
}

std::vector<NodeDesc> keptNodes(const QString& path) {
    QFile file(path);
    std::vector<NodeDesc> nodes;
    if (!file.open(QIODevice::ReadOnly)) {
        return nodes;
    }
    try {
        for (const Json& json : parseJson(file.read(kLargestFile).toStdString(), "kept nodes")) {
            nodes.push_back(graph::nodeFromJson(json));
        }
    } catch (const std::exception&) {
        nodes.clear();  // of another version; the next start of the module writes it anew
    }
    return nodes;
}

}  // namespace lowtide::ui
