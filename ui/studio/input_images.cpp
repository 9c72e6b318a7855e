#include "ui/studio/input_images.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/image_load.hpp"

#include <QDir>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// The file from which the node reads an image, seen from `folder`; empty: none is chosen, or it
/// reads something else.
QString imageOf(const NodeDesc& desc, const graph::DocumentNode& node, const QString& folder) {
    const bool givesImage = std::ranges::any_of(
        desc.outputs, [](const PortDesc& output) { return output.type == "IMAGE"; });
    for (const ParamDesc& param : desc.params) {
        if (givesImage && !desc.sideEffect && param.kind == ParamKind::File) {
            const QString file = QString::fromStdString(textIn(node.params, param.id.c_str()));
            return file.trimmed().isEmpty() ? QString() : QDir(folder).filePath(file.trimmed());
        }
    }
    return {};
}

}  // namespace

InputImages::InputImages(GraphModel& model,
                         NodeStatuses& statuses,
                         const DocumentFile& file,
                         QObject* parent)
    : QObject(parent), model_(model), statuses_(statuses), file_(file) {
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            shown_.clear();  // the statuses are those of another document
        }
        look();
    });
    connect(&file_, &DocumentFile::moved, this, &InputImages::look);
    look();
}

void InputImages::look() {
    std::map<std::string, QString> chosen;
    for (const auto& [id, node] : model_.document().nodes) {
        const NodeDesc* desc = model_.desc(id);
        if (const QString path = desc ? imageOf(*desc, node, file_.folder()) : QString();
            !path.isEmpty()) {
            chosen[id] = path;
        }
    }
    const std::map<std::string, QString> before = std::exchange(shown_, chosen);
    for (const auto& [id, path] : before) {
        if (!chosen.contains(id) && model_.node(id)) {
            statuses_.takeImage(id, {});
        }
    }
    for (const auto& [id, path] : chosen) {
        const auto old = before.find(id);
        if (old == before.end() || old->second != path) {
            show(id, path);
        }
    }
}

void InputImages::show(const std::string& node, const QString& path) {
    loadImageLater(path, this, [this, node, path](const LoadedImage& loaded) {
        const auto wanted = shown_.find(node);
        if (wanted == shown_.end() || wanted->second != path) {
            return;
        }
        NodeImage nodeImage;
        if (!loaded.levels.empty()) {
            nodeImage = {.image = loaded.levels.back(), .size = loaded.levels.front().size()};
        }
        statuses_.takeImage(node, nodeImage);
    });
}

}  // namespace lowtide::ui
