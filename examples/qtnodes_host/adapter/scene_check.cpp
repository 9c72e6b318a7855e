#include "examples/qtnodes_host/adapter/scene_check.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "examples/qtnodes_host/adapter/wires.hpp"

namespace lowtide::qtnodes_host {

namespace {

using States = std::map<int64_t, std::shared_ptr<NodeState>>;

[[noreturn]] void refuse(const Message& what) {
    throw Error(ErrorKind::Corrupt, message("this scene cannot be opened: {}", what));
}

const Json& listAt(const Json& json, const char* key) {
    if (!json.is_object() || !json.contains(key) || !json.at(key).is_array()) {
        refuse(message("it has no list \"{}\"", key));
    }
    return json.at(key);
}

/// QtNodes keeps ids and ports as int.
int64_t numberAt(const Json& json, const char* key, const std::string& where) {
    const auto found = json.find(key);
    const double number =
        found != json.end() && found->is_number() ? found->get<double>() : std::nan("");
    if (!(number >= 0 && number < std::numeric_limits<int>::max()) ||
        number != std::floor(number)) {
        refuse(message("{} has no whole number \"{}\"", where, key));
    }
    return static_cast<int64_t>(number);
}

std::string textAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void addNode(const Json& node, const TypesByName& types, States& states) {
    const std::string where = "node " + std::to_string(states.size() + 1);
    if (!node.is_object() || !node.contains("internal-data") ||
        !node.at("internal-data").is_object()) {
        refuse(message("{} has no \"internal-data\"", where));
    }
    const Json& data = node.at("internal-data");
    const std::string name = textAt(data, "model-name");
    const auto type = types.find(name);
    if (type == types.end()) {
        throw Error(ErrorKind::NotFound,
                    message("this scene cannot be opened: there is no node {}", quotedName(name)),
                    message("open it with the version of Lowtide that saved it"));
    }
    auto state = std::make_shared<NodeState>(*type->second);
    if (data.contains(kStateKey)) {
        state->load(textAt(data, kStateKey));
    }
    if (!states.emplace(numberAt(node, "id", where), std::move(state)).second) {
        refuse(message("two nodes have the id of {}", where));
    }
}

NodeState& nodeAt(const States& states, int64_t id, const std::string& where) {
    const auto found = states.find(id);
    if (found == states.end()) {
        refuse(message("{} ends at node {}, which is not there", where, id));
    }
    return *found->second;
}

}  // namespace

TypesByName typesByName(std::span<const NodeDesc> nodes) {
    TypesByName types;
    for (const NodeDesc& desc : nodes) {
        types[desc.id] = &desc;
    }
    if (const NodeDesc* shows = showingNode(nodes)) {
        types[kToHostImage] = shows;
    }
    return types;
}

void checkScene(const Json& scene, const TypesByName& types) {
    States states;
    for (const Json& node : listAt(scene, "nodes")) {
        addNode(node, types, states);
    }
    std::set<std::pair<int64_t, int64_t>> taken;
    for (const Json& wire : listAt(scene, "connections")) {
        const std::string where = "wire " + std::to_string(taken.size() + 1);
        if (!wire.is_object()) {
            refuse(message("{} is no object", where));
        }
        // Files of QtNodes up to 3.0.14 have a slip of the pen in the key.
        const char* inKey = wire.contains("inNodeId") ? "inNodeId" : "intNodeId";
        const int64_t to = numberAt(wire, inKey, where);
        const int64_t input = numberAt(wire, "inPortIndex", where);
        const int64_t from = numberAt(wire, "outNodeId", where);
        const auto output = static_cast<size_t>(numberAt(wire, "outPortIndex", where));
        nodeAt(states, from, where);
        NodeState& target = nodeAt(states, to, where);
        const Handle handle{.node = states.at(from), .output = output};
        if (!mayConnect(handle, target, static_cast<size_t>(input))) {
            refuse(message("{} joins ports that do not exist or do not fit, or closes a circle",
                           where));
        }
        if (!taken.emplace(to, input).second) {
            refuse(message("{} ends at an input that has one already", where));
        }
        target.connect(static_cast<size_t>(input), handle);
    }
}

}  // namespace lowtide::qtnodes_host
