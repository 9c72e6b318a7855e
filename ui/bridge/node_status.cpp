#include "ui/bridge/node_status.hpp"

#include "ui/bridge/active_run.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

QStringList filesOf(const Json& event) {
    QStringList files;
    for (const Json& file : memberIn(event, "files")) {
        if (file.is_string()) {
            files.push_back(QString::fromStdString(file.get<std::string>()));
        }
    }
    return files;
}

/// What a run left is forgotten; image and plan are kept.
void forgetRun(NodeStatus& status) {
    status.activity = NodeActivity::Idle;
    status.phase.clear();
    status.done = 0;
    status.total = 0;
    status.secondsLeft.reset();
}

void forgetPlan(NodeStatus& status) {
    status.plannedBytes = 0;
    status.policy.clear();
    status.lossy.clear();
}

/// "auto: leaf+stream": the planner, and what came out of it.
QString policyText(const Json& residency) {
    const QString planner = QString::fromStdString(textIn(residency, "policy"));
    const bool streams = bytesIn(residency, "streamed_bytes_per_pass") > 0;
    return planner != "auto" ? planner
           : streams         ? NodeStatuses::tr("auto: streams")
                             : NodeStatuses::tr("auto: resident");
}

NodeImage imageOf(const NodeStatus& status) {
    return {.image = status.nodeImage,
            .step = status.step,
            .size = status.shownSize,
            .whole = status.wholeImage};
}

void show(NodeStatus& status, const NodeImage& nodeImage) {
    status.nodeImage = nodeImage.image;
    status.step = nodeImage.step;
    status.shownSize = nodeImage.size;
    status.wholeImage = nodeImage.whole;
}

}  // namespace

NodeStatuses::NodeStatuses(QObject* parent) : QObject(parent) {}

const NodeStatus& NodeStatuses::of(const std::string& node) const {
    static const NodeStatus idle;
    const auto found = statuses_.find(node);
    return found == statuses_.end() ? idle : found->second;
}

void NodeStatuses::mergeIssues(const std::string& node) {
    Issues merged = checked_[node];
    addNew(merged, ofRun_[node]);
    statuses_[node].issues = std::move(merged);
}

void NodeStatuses::setChecked(const Issues& issues) {
    std::set<std::string> nodes;
    for (const auto& [node, old] : std::exchange(checked_, {})) {
        nodes.insert(node);
    }
    for (const Issue& issue : issues) {
        nodes.insert(issue.node);
        checked_[issue.node].push_back(issue);
    }
    for (const std::string& node : nodes) {
        mergeIssues(node);
    }
    Q_EMIT allChanged();
}

void NodeStatuses::setPlan(const Json& plan) {
    for (auto& [node, status] : statuses_) {
        forgetPlan(status);
    }
    const Json& devices = memberIn(plan, "devices");
    const std::string main = devices.empty() ? std::string() : textIn(devices[0], "device");
    std::vector<std::string> order;
    for (const Json& stage : memberIn(plan, "stages")) {
        order.push_back(textIn(stage, "node"));
        planStage(stage, main);
    }
    for (const Json& residency : memberIn(plan, "stays")) {
        planResidency(residency, order);
    }
    const Json& precisions = memberIn(plan, "precision");
    for (auto each = precisions.begin(); each != precisions.end(); ++each) {
        planPrecision(each.key(), each.value());
    }
    Q_EMIT allChanged();
}

void NodeStatuses::planStage(const Json& stage, const std::string& device) {
    NodeStatus& status = statuses_[textIn(stage, "node")];
    const Json& devices = memberIn(stage, "devices");
    int64_t bytes = bytesIn(memberIn(devices, device.c_str()), "total");
    for (auto each = devices.begin(); bytes == 0 && each != devices.end(); ++each) {
        bytes = bytesIn(each.value(), "total");
    }
    status.plannedBytes = static_cast<uint64_t>(std::max<int64_t>(0, bytes));
}

void NodeStatuses::planResidency(const Json& residency, const std::vector<std::string>& nodes) {
    const auto first = std::find(nodes.begin(), nodes.end(), textIn(residency, "from"));
    const auto last = std::find(first, nodes.end(), textIn(residency, "to"));
    // Nodes between the first and the last use only lie in the time of the residency.
    for (const auto& node : {first, last}) {
        if (node == nodes.end()) {
            continue;
        }
        QString& policy = statuses_[*node].policy;
        const QString text = policyText(residency);
        if (policy.isEmpty()) {
            policy = text;
        } else if (!policy.split(", ").contains(text)) {
            policy += ", " + text;
        }
    }
}

void NodeStatuses::planPrecision(const std::string& key, const Json& precision) {
    NodeStatus& status = statuses_[key.substr(0, key.find('.'))];
    for (const Message& sentence : messagesIn(precision, "lossy")) {
        status.lossy.push_back(moduleSentence(sentence));
    }
}

void NodeStatuses::beginRun() {
    for (auto& [node, status] : statuses_) {
        forgetRun(status);
        takeAway(node, status);
    }
    for (const auto& [node, old] : std::exchange(ofRun_, {})) {
        mergeIssues(node);
    }
    Q_EMIT allChanged();
}

void NodeStatuses::forgetAll() {
    statuses_.clear();
    checked_.clear();
    ofRun_.clear();
    behindPreview_.clear();
    Q_EMIT allChanged();
}

void NodeStatuses::swap(NodeStatuses& other) {
    statuses_.swap(other.statuses_);
    checked_.swap(other.checked_);
    ofRun_.swap(other.ofRun_);
    behindPreview_.swap(other.behindPreview_);
    Q_EMIT allChanged();
}

void NodeStatuses::beginNodes(const Json& event) {
    for (const Json& node : memberIn(event, "nodes")) {
        if (node.is_string()) {
            NodeStatus& status = statuses_[node.get<std::string>()];
            forgetRun(status);
            status.activity = NodeActivity::Waiting;
        }
    }
    Q_EMIT allChanged();
}

/// What has not ended by now never will.
void NodeStatuses::endRun() {
    for (auto& [node, status] : statuses_) {
        if (status.activity == NodeActivity::Waiting || status.activity == NodeActivity::Running) {
            forgetRun(status);
        }
        takeAway(node, status);
    }
    Q_EMIT allChanged();
}

void NodeStatuses::takeOfNode(const std::string& kind, const std::string& node, const Json& event) {
    NodeStatus& status = statuses_[node];
    if (kind == "nodeStarted") {
        forgetRun(status);
        status.activity = NodeActivity::Running;
    } else if (kind == "nodeProgress") {
        status.activity = NodeActivity::Running;
        status.phase = phaseText(event);
        status.done = numberIn(event, "done");
        status.total = numberIn(event, "total");
        status.secondsLeft = secondsLeftIn(event);
    } else if (kind == "nodeCached" || kind == "nodeFinished") {
        forgetRun(status);
        status.files = filesOf(event);
        if (!status.files.isEmpty()) {
            status.wholeImage = {};  // the file has it
        }
        status.activity = kind == "nodeCached" ? NodeActivity::Cached : NodeActivity::Finished;
        if (kind == "nodeFinished") {
            status.milliseconds = numberIn(event, "ms");
            status.peakBytes =
                static_cast<uint64_t>(std::max<int64_t>(0, bytesIn(event, "peakBytes")));
        }
    } else if (kind == "nodeFailed") {
        forgetRun(status);
        status.activity = NodeActivity::Failed;
    }
    if (kind == "nodeFailed" || kind == "nodeIssue") {
        addNew(ofRun_[node], {issueFromJson(memberIn(event, "issue"))});
        mergeIssues(node);
    }
    Q_EMIT changed(node);
}

void NodeStatuses::take(const Json& event) {
    const std::string kind = textIn(event, "event");
    const std::string node = textIn(event, "node");
    if (kind == "runStarted") {
        beginNodes(event);
    } else if (kind == "runFinished") {
        for (const Issue& issue : issuesFromJson(memberIn(event, "issues"))) {
            addNew(ofRun_[issue.node], {issue});
            mergeIssues(issue.node);
        }
        endRun();
    } else if (!node.empty()) {
        takeOfNode(kind, node, event);
    }
}

void NodeStatuses::takeImage(const std::string& node, const NodeImage& nodeImage) {
    NodeStatus& status = statuses_[node];
    const bool isAtWork =
        status.activity == NodeActivity::Waiting || status.activity == NodeActivity::Running;
    if (nodeImage.step && !isAtWork) {
        return;
    }
    if (!nodeImage.step) {
        behindPreview_.erase(node);
    } else if (!status.step) {
        behindPreview_[node] = imageOf(status);
    }
    show(status, nodeImage);
    Q_EMIT changed(node);
}

void NodeStatuses::takeAway(const std::string& node, NodeStatus& status) {
    if (status.step) {
        show(status, std::exchange(behindPreview_[node], {}));
        behindPreview_.erase(node);
    }
}

void NodeStatuses::dropPreviews() {
    for (auto& [node, status] : statuses_) {
        if (status.step) {
            takeAway(node, status);
            Q_EMIT changed(node);
        }
    }
}

void NodeStatuses::forgetCached() {
    for (auto& [node, status] : statuses_) {
        if (status.activity == NodeActivity::Cached) {
            forgetRun(status);
            Q_EMIT changed(node);
        }
    }
}

void NodeStatuses::forget(const std::string& node) {
    statuses_.erase(node);
    checked_.erase(node);
    ofRun_.erase(node);
    behindPreview_.erase(node);
    Q_EMIT changed(node);
}

}  // namespace lowtide::ui
