#include "ui/studio/edge_previews.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/image/canny.hpp"
#include "plugin/image/fit_geometry.hpp"
#include "ui/bridge/active_run.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/bridge/user_return.hpp"
#include "ui/document/inpainting.hpp"

#include <QDir>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// By its type: ports do not state that a node draws edges.
constexpr const char* kEdgesNode = "control.canny";
constexpr int kEdgesDelayMilliseconds = 250;
constexpr size_t kMostKeptEdges = 16;
constexpr int64_t kMostEdgePixels = 64 << 20;

/// Null: the node has no such parameter.
Json edgesValue(const graph::DocumentNode& node, const NodeDesc& desc, const char* id) {
    const ParamDesc* param = graph::findParam(desc, id);
    return param ? graph::valueOf(node, *param) : Json();
}

int64_t wholeValue(const graph::DocumentNode& node, const NodeDesc& desc, const char* id) {
    const Json value = edgesValue(node, desc, id);
    return value.is_number_integer() ? value.get<int64_t>() : 0;
}

/// Nothing: what it lays around the image is known after a run alone.
std::optional<EdgesFit> edgesFitOf(const graph::DocumentNode& node, const NodeDesc& desc) {
    const Json mode = edgesValue(node, desc, "mode");
    if (mode != "crop" && mode != "stretch") {
        return std::nullopt;
    }
    return EdgesFit{.widthPixels = wholeValue(node, desc, "width"),
                    .heightPixels = wholeValue(node, desc, "height"),
                    .multiple = std::max<int64_t>(1, wholeValue(node, desc, "multiple")),
                    .isStretched = mode == "stretch"};
}

/// Null: it cannot be fitted so.
QImage fittedTo(const QImage& image, const EdgesFit& fit) {
    const image::FitGeometry geometry =
        image::fitGeometry({.width = image.width(), .height = image.height()},
                           {.width = fit.widthPixels, .height = fit.heightPixels},
                           fit.isStretched ? image::FitMode::Stretch : image::FitMode::Crop,
                           fit.multiple);
    if (geometry.scaled.width * geometry.scaled.height > kMostEdgePixels) {
        return {};
    }
    return image
        .copy(static_cast<int>(geometry.partX),
              static_cast<int>(geometry.partY),
              static_cast<int>(geometry.part.width),
              static_cast<int>(geometry.part.height))
        .scaled(static_cast<int>(geometry.scaled.width),
                static_cast<int>(geometry.scaled.height),
                Qt::IgnoreAspectRatio,
                Qt::SmoothTransformation);
}

/// What was made before, while its file is the same.
EdgesMade edgesNow(const EdgesAsked& asked, const std::optional<EdgesMade>& before) {
    const std::optional<files::FileIdentity> file = identityOf(asked.path);  // before it is read
    if (before && file && before->file == file) {
        return *before;
    }
    return {.asked = asked, .file = file, .image = edgesOf(asked)};
}

}  // namespace

std::optional<EdgesAsked> edgesAsked(const graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const std::string& node,
                                     const QString& folder) {
    const auto drawing = document.nodes.find(node);
    const NodeDesc* draws = descOf(document, catalog, node);
    if (!draws || draws->id != kEdgesNode || drawing->second.mode != graph::NodeMode::Active) {
        return std::nullopt;
    }
    EdgesAsked asked{.low = static_cast<double>(wholeValue(drawing->second, *draws, "low")),
                     .high = static_cast<double>(wholeValue(drawing->second, *draws, "high"))};
    graph::PortRef to = inputOfType(document, catalog, node, kImageType);
    for (size_t step = 0; step < document.nodes.size(); ++step) {
        const graph::Link* link = linkInto(document, to);
        const NodeDesc* desc = link ? descOf(document, catalog, link->from.node) : nullptr;
        if (!desc) {
            return std::nullopt;
        }
        const graph::DocumentNode& giving = document.nodes.at(link->from.node);
        const bool isActive = giving.mode == graph::NodeMode::Active;
        if (const ParamDesc* file = isActive ? imageFileParam(*desc) : nullptr) {
            const Json path = graph::valueOf(giving, *file);
            const QString name = path.is_string()
                                     ? QString::fromStdString(path.get<std::string>()).trimmed()
                                     : QString();
            asked.path = QDir(folder).filePath(name);
            return name.isEmpty() ? std::nullopt : std::optional(asked);
        }
        if (isActive) {
            const bool isFirstFit = inpaintPartOf(*desc) == InpaintPart::Fit && !asked.fit;
            asked.fit = isFirstFit ? edgesFitOf(giving, *desc) : std::nullopt;
            if (!asked.fit) {
                return std::nullopt;
            }
        } else if (giving.mode == graph::NodeMode::Muted) {
            return std::nullopt;
        }
        to = inputOfType(document, catalog, link->from.node, kImageType);
    }
    return std::nullopt;
}

NodeImage edgesOf(const EdgesAsked& asked) {
    const LoadedImage loaded = loadImage(asked.path);
    if (loaded.levels.empty() || loaded.video || asked.low > asked.high) {
        return {};
    }
    try {
        const QImage& whole = loaded.levels.front();
        const QImage image = asked.fit ? fittedTo(whole, *asked.fit) : whole;
        if (image.isNull() || qint64{image.width()} * image.height() > kMostEdgePixels) {
            return {};
        }
        const QImage edges = asImage(image::cannyEdges(asImage8(image), asked.low, asked.high));
        return {.image = boundedBy(edges, EventBuffer::kImagePixels), .size = edges.size()};
    } catch (const Error&) {
        return {};  // the run reports what is wrong with the size
    }
}

EdgePreviews::EdgePreviews(GraphModel& model,
                           NodeStatuses& statuses,
                           const DocumentFile& file,
                           QObject* parent)
    : QObject(parent), model_(model), statuses_(statuses), file_(file) {
    due_.setSingleShot(true);
    due_.setInterval(kEdgesDelayMilliseconds);
    connect(&due_, &QTimer::timeout, this, &EdgePreviews::make);
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            shown_.clear();  // the statuses are those of another document
            wanted_.clear();
        }
        look();
    });
    connect(&file_, &DocumentFile::moved, this, &EdgePreviews::look);
    whenUserReturns(this, [this] { lookAgain(); });
    look();
}

void EdgePreviews::look() {
    std::map<std::string, EdgesAsked> wanted;
    for (const auto& [id, node] : model_.document().nodes) {
        if (const auto asked =
                edgesAsked(model_.document(), model_.catalog(), id, file_.folder())) {
            wanted.emplace(id, *asked);
        }
    }
    for (const auto& [id, made] : std::exchange(shown_, {})) {
        if (wanted.contains(id)) {
            shown_.emplace(id, made);
        } else if (model_.node(id)) {
            statuses_.takeImage(id, {});
        }
    }
    if (wanted != wanted_) {
        wanted_ = std::move(wanted);
        due_.start();
    }
}

void EdgePreviews::lookAgain() {
    for (const auto& [id, made] : shown_) {
        doubted_.insert(id);
    }
    make();
}

/// One after the other; what is asked for while one is made comes after it.
void EdgePreviews::make() {
    const auto next =
        std::ranges::find_if(wanted_, [this](const auto& entry) { return !isShown(entry.first); });
    if (isAtWork_ || next == wanted_.end()) {
        return;
    }
    isAtWork_ = true;
    doubted_.erase(next->first);
    later(
        this,
        [asked = next->second, before = kept(next->second)] { return edgesNow(asked, before); },
        [this, id = next->first](const EdgesMade& made) {
            isAtWork_ = false;
            keep(made);
            const auto wanted = wanted_.find(id);
            if (wanted != wanted_.end() && wanted->second == made.asked) {
                show(id, made);
            }
            make();
        });
}

void EdgePreviews::keep(const EdgesMade& made) {
    std::erase_if(kept_, [&](const EdgesMade& each) { return each.asked == made.asked; });
    kept_.push_back(made);
    if (kept_.size() > kMostKeptEdges) {
        kept_.pop_front();
    }
}

void EdgePreviews::show(const std::string& node, const EdgesMade& made) {
    const auto there = shown_.find(node);
    const bool isSame = there != shown_.end() && there->second.asked == made.asked && made.file &&
                        there->second.file == made.file;
    if (!isSame) {
        statuses_.takeImage(node, made.image);
        shown_[node] = made;
    }
}

bool EdgePreviews::isShown(const std::string& node) const {
    const auto there = shown_.find(node);
    return there != shown_.end() && there->second.asked == wanted_.at(node) &&
           !doubted_.contains(node);
}

std::optional<EdgesMade> EdgePreviews::kept(const EdgesAsked& asked) const {
    const auto found = std::ranges::find(kept_, asked, &EdgesMade::asked);
    return found == kept_.end() ? std::nullopt : std::optional(*found);
}

}  // namespace lowtide::ui
