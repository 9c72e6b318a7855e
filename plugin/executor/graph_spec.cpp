#include "plugin/executor/graph_spec.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/resolve_precision.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

class NodeSpecContext final : public SpecContext {
public:
    NodeSpecContext(const graph::Snapshot& snapshot,
                    const graph::SnapshotNode& node,
                    const std::vector<NodeSpec>& done,
                    std::string_view graphFolder)
        : snapshot_(snapshot), node_(node), done_(done), graphFolder_(graphFolder) {}

    const Scalar& value(std::string_view id) const override { return paramOf(node_, id); }

    const memory::PrecisionChoice& precision() const override { return node_.precision; }

    const ValueSpec* input(std::string_view port) const override {
        requireInput(*node_.desc, port);
        const graph::SnapshotInput* input = node_.input(port);
        return input ? outputOf(done_[input->sourceNode], input->sourcePort) : nullptr;
    }

    bool isRead(std::string_view output) const override {
        const auto readsIt = [&](const graph::SnapshotInput& input) {
            return &snapshot_.nodes[input.sourceNode] == &node_ && input.sourcePort == output;
        };
        return std::any_of(
            snapshot_.nodes.begin(), snapshot_.nodes.end(), [&](const graph::SnapshotNode& other) {
                return std::any_of(other.inputs.begin(), other.inputs.end(), readsIt);
            });
    }

    std::string_view graphFolder() const override { return graphFolder_; }

private:
    const graph::Snapshot& snapshot_;
    const graph::SnapshotNode& node_;
    const std::vector<NodeSpec>& done_;
    std::string_view graphFolder_;
};

void requireAllOutputs(const graph::SnapshotNode& node, const NodeSpec& work) {
    for (const PortDesc& port : node.desc->outputs) {
        if (!outputOf(work, port.id)) {
            throw Error(ErrorKind::Internal,
                        message("the spec of {} states nothing about its output \"{}\"",
                                node.desc->id,
                                port.id),
                        {},
                        port.id);
        }
    }
}

/// Error{InvalidInput} where a policy or precision of the node is for a component that it does not
/// run: with the model that it has now there may be fewer than its type can name.
void requireComponents(const graph::SnapshotNode& node, const NodeSpec& work) {
    std::vector<std::string> roles;
    for (const memory::ComponentPrecision& precision : work.precisions) {
        roles.push_back(precision.role);
    }
    const auto require = [&](const auto& entries,
                             const char* item,
                             const Message& what,
                             const char* code) {
        for (const auto& [role, entry] : entries) {
            if (std::find(roles.begin(), roles.end(), role) == roles.end()) {
                throw CodedError(
                    Error(ErrorKind::InvalidInput,
                          message(
                              "{} of node {} names the component {}, which its model does not have",
                              what,
                              node.id,
                              quotedName(role)),
                          message("there are: {}", listSome(roles)),
                          item),
                    code,
                    "{}");
            }
        }
    };
    if (!roles.empty()) {
        require(node.policy.components,
                "memory",
                message("the memory policy"),
                graph::kPolicyComponentCode);
        require(node.precision.components,
                "precision",
                message("the precision"),
                graph::kPrecisionComponentCode);
    }
}

/// Why the result of the node is not that of f32 and of every step, by what a user would change.
struct Losses {
    const char* item;  ///< key of the node, or its input
    Message hint;      ///< what to do where the graph is to be exact
    std::vector<Message> reasons;
};

/// Only those that have reasons.
std::vector<Losses> lossesOf(const NodeSpec& work) {
    Losses types{
        "precision", message("leave the lossy choice out for the node, or do without exact"), {}};
    Losses reuse{
        "step_cache", message("take the step cache away from the node, or do without exact"), {}};
    for (const memory::ComponentPrecision& precision : work.precisions) {
        types.reasons.insert(types.reasons.end(), precision.lossy.begin(), precision.lossy.end());
        reuse.reasons.insert(reuse.reasons.end(), precision.reuse.begin(), precision.reuse.end());
    }
    std::vector<Losses> found{std::move(types), std::move(reuse)};
    std::erase_if(found, [](const Losses& losses) { return losses.reasons.empty(); });
    return found;
}

/// Error{InvalidInput} where the graph is to be exact and the node makes a lossy choice.
void requireExact(const graph::SnapshotNode& node, const std::vector<Losses>& found) {
    if (!found.empty()) {
        const Losses& first = found.front();
        throw Error(ErrorKind::InvalidInput,
                    message("node {} is lossy, and the graph is to be exact: {}",
                            node.id,
                            first.reasons.front()),
                    first.hint,
                    first.item);
    }
}

std::string precisionKey(const graph::SnapshotNode& node,
                         const NodeSpec& work,
                         const memory::ComponentPrecision& precision) {
    return work.precisions.size() == 1 ? node.id : node.id + "." + precision.role;
}

void mark(GraphSpec& graphSpec,
          const graph::SnapshotNode& node,
          const NodeSpec& work,
          const std::vector<Losses>& found) {
    for (Issue warning : work.issues) {
        warning.node = node.id;
        graphSpec.marks.push_back(std::move(warning));
    }
    for (const Losses& losses : found) {
        graphSpec.marks.push_back({.severity = Severity::Info,
                                   .code = "lossy",
                                   .node = node.id,
                                   .item = losses.item,
                                   .message = joined(losses.reasons, "; ")});
    }
    for (const memory::ComponentPrecision& precision : work.precisions) {
        graphSpec.precisions[precisionKey(node, work, precision)] = memory::toJson(precision);
    }
}

}  // namespace

const ValueSpec* outputOf(const NodeSpec& work, std::string_view port) {
    const auto found = std::find_if(work.outputs.begin(),
                                    work.outputs.end(),
                                    [&](const auto& output) { return output.first == port; });
    return found == work.outputs.end() ? nullptr : &found->second;
}

std::variant<GraphSpec, Issue> makeGraphSpec(const graph::Snapshot& snapshot,
                                             const NodeTypes& types,
                                             std::string_view graphFolder,
                                             std::string_view numerics,
                                             const graph::DeviceTexts& devices,
                                             const StopToken& stop) {
    GraphSpec graphSpec;
    std::vector<std::vector<std::string>> fingerprints;
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        const std::optional<Issue> issue = attempt(node.id, [&] {
            stop.throwIfStopped();
            const NodeSpecContext context(snapshot, node, graphSpec.work, graphFolder);
            NodeSpec work = types.of(*node.desc).spec(context);
            requireAllOutputs(node, work);
            requireComponents(node, work);
            const std::vector<Losses> losses = lossesOf(work);
            if (snapshot.isExact) {
                requireExact(node, losses);
            }
            mark(graphSpec, node, work, losses);
            fingerprints.push_back(work.fingerprints);
            for (const memory::ComponentPrecision& precision : work.precisions) {
                fingerprints.back().push_back(memory::toJson(precision).dump());
            }
            graphSpec.work.push_back(std::move(work));
        });
        if (issue) {
            return *issue;
        }
    }
    graphSpec.keys = graph::makeKeys(snapshot, fingerprints, numerics, devices);
    graphSpec.precisionText = graphSpec.precisions.dump();
    return graphSpec;
}

void settlePrecisions(Json& precisions,
                      const graph::Snapshot& snapshot,
                      const GraphSpec& graphSpec,
                      std::span<const size_t> positions,
                      const memory::PlanRequest& request) {
    for (size_t index = 0; index < positions.size(); ++index) {
        const NodeSpec& work = graphSpec.work[positions[index]];
        const auto& trees = request.nodes[index].components;
        for (size_t i = 0; i < trees.size() && i < work.precisions.size(); ++i) {
            memory::ComponentPrecision precision = settled(work.precisions[i], *trees[i]);
            for (Message& note : memory::storageNotes(*trees[i], precision)) {
                precision.notes.push_back(std::move(note));
            }
            precisions[precisionKey(snapshot.nodes[positions[index]], work, precision)] =
                memory::toJson(precision);
        }
    }
}

std::optional<Issue> openComponents(const graph::Snapshot& snapshot,
                                    const GraphSpec& graphSpec,
                                    const StopToken& stop) {
    std::optional<Issue> issue;
    for (size_t node = 0; node < snapshot.nodes.size() && !issue; ++node) {
        issue = attempt(snapshot.nodes[node].id, [&] {
            stop.throwIfStopped();
            if (graphSpec.work[node].components) {
                static_cast<void>(graphSpec.work[node].components());
            }
        });
    }
    return issue;
}

}  // namespace lowtide::executor
