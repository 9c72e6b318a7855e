#include "ui/document/graph_differences.hpp"

#include "ui/document/json_members.hpp"

#include <optional>
#include <set>

namespace lowtide::ui {

namespace {

using What = GraphDifference::What;

template <class Value>
Json statedJson(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

Json modeJson(graph::NodeMode mode) {
    return mode == graph::NodeMode::Active  ? Json()
           : mode == graph::NodeMode::Muted ? Json("muted")
                                            : Json("bypassed");
}

/// By input: "node.port".
Json sourcesInto(const graph::Document& document, const std::string& node) {
    Json sources = Json::object();
    for (const graph::Link& link : document.links) {
        if (link.to.node == node) {
            sources[link.to.port] = link.from.node + "." + link.from.port;
        }
    }
    return sources;
}

class Differences {
public:
    void add(What what,
             const std::string& node,
             const std::string& item,
             const Json& before,
             const Json& after) {
        if (before != after) {
            found_.push_back(
                {.what = what, .node = node, .item = item, .before = before, .after = after});
        }
    }

    /// Of two objects with values by name.
    void addAll(What what, const std::string& node, const Json& before, const Json& after) {
        std::set<std::string> names;
        for (const Json* each : {&before, &after}) {
            for (const auto& [name, value] : each->items()) {
                names.insert(name);
            }
        }
        for (const std::string& name : names) {
            add(what, node, name, memberIn(before, name.c_str()), memberIn(after, name.c_str()));
        }
    }

    std::vector<GraphDifference> take() { return std::move(found_); }

private:
    std::vector<GraphDifference> found_;
};

}  // namespace

std::vector<GraphDifference> differencesBetween(const graph::Document& before,
                                                const graph::Document& after) {
    Differences found;
    const auto setting = [&](const char* name, const Json& then, const Json& now) {
        found.add(What::Setting, {}, name, then, now);
    };
    setting("memory_budget", statedJson(before.memoryBudget), statedJson(after.memoryBudget));
    setting("device", statedJson(before.device), statedJson(after.device));
    setting("gc_threshold",
            statedJson(before.collectionThreshold),
            statedJson(after.collectionThreshold));
    setting("low_memory", statedJson(before.lowMemory), statedJson(after.lowMemory));
    setting("exact", statedJson(before.isExact), statedJson(after.isExact));
    for (const auto& [id, node] : before.nodes) {
        const auto other = after.nodes.find(id);
        if (other == after.nodes.end() || other->second.type != node.type) {
            found.add(What::Removed, id, {}, node.type, {});
            continue;
        }
        const graph::DocumentNode& now = other->second;
        found.addAll(What::Param, id, node.params, now.params);
        found.add(What::Memory, id, {}, node.memory, now.memory);
        found.add(What::Precision, id, {}, node.precision, now.precision);
        found.add(What::Mode, id, {}, modeJson(node.mode), modeJson(now.mode));
        found.addAll(What::Source, id, sourcesInto(before, id), sourcesInto(after, id));
    }
    for (const auto& [id, node] : after.nodes) {
        const auto other = before.nodes.find(id);
        if (other == before.nodes.end() || other->second.type != node.type) {
            found.add(What::Added, id, {}, {}, node.type);
        }
    }
    return found.take();
}

}  // namespace lowtide::ui
