#pragma once
// Nodes outside a graph: what they are asked, and what they give.

#include "nodes/engine/stages.hpp"
#include "plugin/executor/node.hpp"
#include "tests/unit/models/requests.hpp"

#include <string>
#include <vector>

namespace lowtide::testing {

/// What a node states before the run, its outputs in their order.
struct StageSpec : executor::NodeSpec {
    std::vector<executor::ValueSpec> outputs;

    /// The first one.
    [[nodiscard]] const executor::ValueSpec& output() const { return outputs.front(); }
};

/// The node's values, by the order of its outputs.
[[nodiscard]] std::vector<nodes::WireRef> runNode(nodes::Stages& stages,
                                                  const Given& given,
                                                  const nodes::StageCall& call);
/// Wires may hold placeholders.
[[nodiscard]] StageSpec specOfNode(nodes::Stages& stages, const Given& given);

template <class Request>
[[nodiscard]] std::vector<nodes::WireRef> run(nodes::Stages& stages,
                                              const Request& request,
                                              const nodes::StageCall& call) {
    return runNode(stages, given(request), call);
}

template <class Request>
[[nodiscard]] StageSpec spec(nodes::Stages& stages, const Request& request) {
    return specOfNode(stages, given(request));
}

}  // namespace lowtide::testing
