#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/studio/document_file.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace lowtide::ui {

/// The size to which a node fits the image before its edges are drawn.
struct EdgesFit {
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;
    int64_t multiple = 1;
    bool isStretched = false;  ///< else cut to the shape

    [[nodiscard]] bool operator==(const EdgesFit&) const = default;
};

/// What a node draws the edges of.
struct EdgesAsked {
    QString path;
    std::optional<EdgesFit> fit{};
    double low = 0;
    double high = 0;

    [[nodiscard]] bool operator==(const EdgesAsked&) const = default;
};

/// Nothing: the node draws no edges, or what it is given is known after a run alone. A file is seen
/// from `folder`.
[[nodiscard]] std::optional<EdgesAsked> edgesAsked(const graph::Document& document,
                                                   const graph::Catalog& catalog,
                                                   const std::string& node,
                                                   const QString& folder);
/// The edges as the module draws them, of an image that is scaled as the screen scales it. Empty:
/// the image cannot be read, or not be fitted. Any thread.
[[nodiscard]] NodeImage edgesOf(const EdgesAsked& asked);

/// Edges as they were made of a file.
struct EdgesMade {
    EdgesAsked asked;
    std::optional<files::FileIdentity> file{};  ///< nothing: it is not there
    NodeImage image{};
};

/// Shows on nodes that draw the edges of an image what they will draw, before any run. Files are
/// read, and edges are found, on another thread, a moment after the last change; files that were
/// changed meanwhile are read again when the user comes back to the program.
class EdgePreviews : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    EdgePreviews(GraphModel& model,
                 NodeStatuses& statuses,
                 const DocumentFile& file,
                 QObject* parent = nullptr);

private:
    void look();
    void make();
    void lookAgain();
    void keep(const EdgesMade& made);
    void show(const std::string& node, const EdgesMade& made);
    [[nodiscard]] bool isShown(const std::string& node) const;
    [[nodiscard]] std::optional<EdgesMade> kept(const EdgesAsked& asked) const;

    GraphModel& model_;
    NodeStatuses& statuses_;
    const DocumentFile& file_;
    std::map<std::string, EdgesAsked> wanted_;
    std::map<std::string, EdgesMade> shown_;
    std::set<std::string> doubted_;  ///< shown ones whose files may be others now
    std::deque<EdgesMade> kept_;     ///< the newest last
    QTimer due_;
    bool isAtWork_ = false;
};

}  // namespace lowtide::ui
