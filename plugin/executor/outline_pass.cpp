#include "plugin/executor/outline_pass.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/declared.hpp"
#include "plugin/executor/failure.hpp"
#include "plugin/graph/key.hpp"
#include "plugin/memory/combinations.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

const ValueOutline* outputOf(const WorkOutline& work, std::string_view port) {
    const auto found = std::find_if(work.outputs.begin(),
                                    work.outputs.end(),
                                    [&](const auto& output) { return output.first == port; });
    return found == work.outputs.end() ? nullptr : &found->second;
}

class NodeOutlineContext final : public OutlineContext {
public:
    NodeOutlineContext(const graph::SnapshotNode& node,
                       const std::vector<WorkOutline>& done,
                       std::string_view graphFolder)
        : node_(node), done_(done), graphFolder_(graphFolder) {}

    const Scalar& value(std::string_view id) const override { return paramOf(node_, id); }

    const memory::PrecisionChoice& precision() const override { return node_.precision; }

    const ValueOutline* input(std::string_view port) const override {
        requireInput(*node_.desc, port);
        const graph::SnapshotInput* input = node_.input(port);
        return input ? outputOf(done_[input->sourceNode], input->sourcePort) : nullptr;
    }

    std::string_view graphFolder() const override { return graphFolder_; }

private:
    const graph::SnapshotNode& node_;
    const std::vector<WorkOutline>& done_;
    std::string_view graphFolder_;
};

void requireAllOutputs(const graph::SnapshotNode& node, const WorkOutline& work) {
    for (const PortDesc& port : node.desc->outputs) {
        if (!outputOf(work, port.id)) {
            throw Error(ErrorKind::Internal,
                        "the outline of " + node.desc->id + " says nothing of its output \"" +
                            port.id + "\"",
                        "",
                        port.id);
        }
    }
}

/// Error{InvalidInput} where the graph is to be exact and the node makes a lossy choice.
void requireExact(const graph::SnapshotNode& node, const WorkOutline& work) {
    const memory::Judgement judgement =
        work.precision ? memory::judge({.precision = *work.precision}) : memory::Judgement();
    if (judgement.verdict == memory::Verdict::Lossy) {
        throw Error(ErrorKind::InvalidInput,
                    "node " + node.id +
                        " is lossy, and the graph is to be exact: " + judgement.reasons.front(),
                    "leave the lossy choice out for the node, or do without exact",
                    "precision");
    }
}

}  // namespace

std::variant<OutlinedGraph, Issue> outlineGraph(const graph::Snapshot& snapshot,
                                                const NodeTypes& types,
                                                std::string_view graphFolder,
                                                std::string_view numerics) {
    OutlinedGraph outlined;
    std::vector<std::vector<std::string>> fingerprints;
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        const std::optional<Issue> issue = attempt(node.id, [&] {
            const NodeOutlineContext context(node, outlined.work, graphFolder);
            WorkOutline work = types.of(*node.desc).outline(context);
            requireAllOutputs(node, work);
            if (snapshot.isExact) {
                requireExact(node, work);
            }
            fingerprints.push_back(work.fingerprints);
            if (work.precision) {
                outlined.precisions[node.id] = memory::toJson(*work.precision);
                fingerprints.back().push_back(outlined.precisions[node.id].dump());
            }
            outlined.work.push_back(std::move(work));
        });
        if (issue) {
            return *issue;
        }
    }
    outlined.keys = graph::makeKeys(snapshot, fingerprints, numerics);
    outlined.precisionText = outlined.precisions.dump();
    return outlined;
}

std::optional<Issue> openComponents(const graph::Snapshot& snapshot,
                                    const OutlinedGraph& outlined) {
    std::optional<Issue> issue;
    for (size_t node = 0; node < snapshot.nodes.size() && !issue; ++node) {
        issue = attempt(snapshot.nodes[node].id, [&] {
            if (outlined.work[node].components) {
                static_cast<void>(outlined.work[node].components());
            }
        });
    }
    return issue;
}

}  // namespace lowtide::executor
