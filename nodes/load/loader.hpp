#pragma once
// Nodes that open files, for their headers alone.

#include "nodes/engine/node_def.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// The spec of a node that opens files and gives what it opened on `port`.
[[nodiscard]] inline executor::NodeSpec loadedSpec(Stages& stages,
                                                   std::string port,
                                                   std::string type,
                                                   memory::WireRef loaded) {
    executor::NodeSpec spec;
    spec.fingerprints = {stages.fingerprint(loaded)};
    spec.outputs = {{std::move(port), {.type = std::move(type), .value = std::move(loaded)}}};
    return spec;
}

/// A node that opens what it is asked for, before the run and in it, and gives it by its one
/// output.
template <class Asked>
struct Loader {
    NodeDesc desc;  ///< without inputs and parameters
    std::vector<Field<Asked>> fields;
    LoadedModel (*open)(Stages& stages, const Asked& asked, std::string_view graphFolder);
    bool isOnHost = false;       ///< executor::NodeSpec::isOnHost
    std::string collectAfter{};  ///< executor::NodeType::collectAfter
};

template <class Asked>
[[nodiscard]] executor::NodeType nodeOf(Stages& stages, Loader<Asked> loader) {
    describeFields(loader.desc, loader.fields);
    const auto fields = std::make_shared<const std::vector<Field<Asked>>>(std::move(loader.fields));
    const PortDesc port = loader.desc.outputs.front();
    return {.desc = std::move(loader.desc),
            .spec =
                [&stages, fields, open = loader.open, isOnHost = loader.isOnHost, port](
                    const executor::SpecContext& context) {
                    const Asked asked = askedOf(*fields, context, knownAt(context));
                    LoadedModel loaded = open(stages, asked, context.graphFolder());
                    executor::NodeSpec spec =
                        loadedSpec(stages, port.id, port.type, std::move(loaded.model));
                    spec.issues = std::move(loaded.warnings);
                    spec.isOnHost = isOnHost;
                    return spec;
                },
            .run =
                [&stages, fields, open = loader.open, port](executor::Context& context) {
                    const Asked asked = askedOf(*fields, context, valuesAt(context));
                    context.output(port.id, open(stages, asked, context.graphFolder()).model);
                },
            .collectAfter = std::move(loader.collectAfter)};
}

}  // namespace lowtide::nodes
