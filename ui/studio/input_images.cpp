#include "ui/studio/input_images.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/bridge/user_return.hpp"

#include <QDir>

#include <algorithm>
#include <utility>
#include <vector>

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
    whenUserReturns(this, [this] {
        for (const auto& [id, chosen] : shown_) {
            show(id, chosen.path);
        }
    });
    look();
}

void InputImages::look() {
    std::map<std::string, Chosen> chosen;
    for (const auto& [id, node] : model_.document().nodes) {
        const NodeDesc* desc = model_.desc(id);
        if (const QString path = desc ? imageOf(*desc, node, file_.folder()) : QString();
            !path.isEmpty()) {
            chosen[id].path = path;
        }
    }
    std::vector<std::string> others;
    for (auto& [id, each] : chosen) {
        const auto old = shown_.find(id);
        if (old != shown_.end() && old->second.path == each.path) {
            each = old->second;
        } else {
            others.push_back(id);
        }
    }
    for (const auto& [id, each] : std::exchange(shown_, std::move(chosen))) {
        if (!shown_.contains(id) && model_.node(id)) {
            statuses_.takeImage(id, {});
        }
    }
    for (const std::string& id : others) {
        show(id, shown_.at(id).path);
    }
}

/// An image file as it was read; nothing of one that is as it was.
struct InputImages::Read {
    std::optional<files::FileIdentity> file{};
    std::optional<LoadedImage> image{};
};

void InputImages::show(const std::string& node, const QString& path) {
    later(
        this,
        [path, known = shown_.at(node).file] {
            Read read{.file = identityOf(path)};  // before it is read
            if (!read.file || read.file != known) {
                read.image = loadImage(path);
            }
            return read;
        },
        [this, node, path](const Read& read) { take(node, path, read); });
}

void InputImages::take(const std::string& node, const QString& path, const Read& read) {
    const auto wanted = shown_.find(node);
    if (wanted == shown_.end() || wanted->second.path != path || !read.image) {
        return;
    }
    wanted->second.file = read.file;
    NodeImage nodeImage;
    if (!read.image->levels.empty()) {
        nodeImage = {.image = read.image->levels.back(), .size = read.image->levels.front().size()};
    }
    statuses_.takeImage(node, nodeImage);
}

}  // namespace lowtide::ui
