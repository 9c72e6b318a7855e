#pragma once
// Nodes that open files, for their headers alone.

#include "nodes/engine/node_def.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// What a node says that opens files and gives what it opened on `port`.
[[nodiscard]] inline executor::WorkOutline loadedOutline(Stages& stages,
                                                         std::string port,
                                                         std::string type,
                                                         memory::WireRef loaded) {
    executor::WorkOutline outline;
    outline.fingerprints = {stages.fingerprint(loaded)};
    outline.outputs = {{std::move(port), {.type = std::move(type), .value = std::move(loaded)}}};
    return outline;
}

/// A node that opens what it is asked for, before the run and in it, and gives it by its one
/// output.
template <class Asked>
struct Loader {
    NodeDesc desc;  ///< without inputs and parameters
    std::vector<Field<Asked>> fields;
    LoadedModel (*open)(Stages& stages, const Asked& asked, std::string_view graphFolder);
    bool isOnHost = false;       ///< executor::WorkOutline::isOnHost
    std::string collectAfter{};  ///< executor::NodeType::collectAfter
};

template <class Asked>
[[nodiscard]] executor::NodeType nodeOf(Stages& stages, Loader<Asked> loader) {
    describeFields(loader.desc, loader.fields);
    const auto fields = std::make_shared<const std::vector<Field<Asked>>>(std::move(loader.fields));
    const PortDesc port = loader.desc.outputs.front();
    return {.desc = std::move(loader.desc),
            .outline =
                [&stages, fields, open = loader.open, isOnHost = loader.isOnHost, port](
                    const executor::OutlineContext& context) {
                    const Asked asked = askedOf(*fields, context, knownAt(context));
                    LoadedModel loaded = open(stages, asked, context.graphFolder());
                    executor::WorkOutline outline =
                        loadedOutline(stages, port.id, port.type, std::move(loaded.model));
                    outline.issues = std::move(loaded.warnings);
                    outline.isOnHost = isOnHost;
                    return outline;
                },
            .run =
                [&stages, fields, open = loader.open, port](executor::Context& context) {
                    const Asked asked = askedOf(*fields, context, valuesAt(context));
                    context.output(port.id, open(stages, asked, context.graphFolder()).model);
                },
            .collectAfter = std::move(loader.collectAfter)};
}

}  // namespace lowtide::nodes
