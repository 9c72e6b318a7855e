#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json_fwd.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// When an image of something unfinished looked so, in units of the node's work.
struct ImageStep {
    int done = 0;
    int total = 0;
};

/// An image that a node showed, at most EventBuffer::kImagePixels a side.
struct NodeImage {
    QImage image;
    std::optional<ImageStep> step{};  ///< set: a preview; else what the node made
    QSize size{};                     ///< pixels of what the node made; empty: those of `image`
    QImage
        whole{};  ///< what the node made, where that is larger and EventBuffer::kWholeBytes hold it

    [[nodiscard]] const QImage& largest() const { return whole.isNull() ? image : whole; }
};

enum class NodeActivity { Idle, Waiting, Running, Finished, Cached, Failed };

/// What is known of one node from checks, plans and the run that is shown.
struct NodeStatus {
    NodeActivity activity = NodeActivity::Idle;
    QString phase;  ///< "step 3 of 20": as the node calls its units
    double done = 0;
    double total = 0;                   ///< 0: no figure
    std::optional<double> secondsLeft;  ///< of the phase
    double milliseconds = 0;            ///< of the last execution; 0: none
    uint64_t peakBytes = 0;             ///< of the last execution
    uint64_t plannedBytes = 0;          ///< peak on the run's device, from the plan; 0: not planned
    QString policy;                     ///< as planned: "auto: leaf+stream"; empty: no components
    QStringList lossy;                  ///< sentences; empty: exact
    Issues issues;                      ///< of check, plan and run
    QImage nodeImage;                   ///< preview or result, at most 512 pixels a side
    std::optional<ImageStep> step;      ///< set: the image is a preview
    QSize shownSize;                    ///< as NodeImage has it
    QImage wholeImage;                  ///< the same
    QStringList files;                  ///< that it wrote
};

/// The status of every node, for canvas and panels. GUI thread only.
class NodeStatuses : public QObject {
    Q_OBJECT

public:
    explicit NodeStatuses(QObject* parent = nullptr);

    /// Of a node that nobody spoke of: Idle.
    [[nodiscard]] const NodeStatus& of(const std::string& node) const;

    /// Issues of check(): replaces those of the last check, keeps those of the run.
    void setChecked(const Issues& issues);
    /// Plan of Runner::plan: bytes, policies, lossy marks; empty: none holds.
    void setPlan(const Json& plan);
    /// One event of docs/events.md of the run that is shown.
    void take(const Json& event);
    /// A preview is shown until a result takes its place, or the run ends; one of a node that no
    /// longer works comes too late.
    void takeImage(const std::string& node, const NodeImage& nodeImage);
    /// Where previews are, nodes show again what they showed before.
    void dropPreviews();
    /// A new run begins: what the last one left is forgotten, images are kept until replaced.
    void beginRun();
    /// Results of earlier runs are no longer kept.
    void forgetCached();
    void forget(const std::string& node);
    /// Another document, whose nodes may have the same ids.
    void forgetAll();
    /// Takes what is known of the nodes of another document and gives what was known here; only
    /// this one emits.
    void swap(NodeStatuses& other);

Q_SIGNALS:
    void changed(const std::string& node);
    /// Many at once.
    void allChanged();

private:
    void mergeIssues(const std::string& node);
    void planStage(const Json& stage, const std::string& device);
    void planResidency(const Json& residency, const std::vector<std::string>& nodes);
    void planPrecision(const std::string& key, const Json& precision);
    void beginNodes(const Json& event);
    void takeOfNode(const std::string& kind, const std::string& node, const Json& event);
    void endRun();
    void takeAway(const std::string& node, NodeStatus& status);

    std::map<std::string, NodeStatus> statuses_;
    std::map<std::string, Issues> checked_;
    std::map<std::string, Issues> ofRun_;
    std::map<std::string, NodeImage> behindPreview_;  ///< by node that shows one
};

}  // namespace lowtide::ui
