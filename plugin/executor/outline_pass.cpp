#include "plugin/executor/outline_pass.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/declared.hpp"
#include "plugin/executor/failure.hpp"
#include "plugin/graph/key.hpp"

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
            fingerprints.push_back(work.fingerprints);
            outlined.work.push_back(std::move(work));
        });
        if (issue) {
            return *issue;
        }
    }
    outlined.keys = graph::makeKeys(snapshot, fingerprints, numerics);
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
