#include "plugin/graph/wiring.hpp"

#include <algorithm>

namespace lowtide::graph {

namespace {

constexpr const char* kAnyType = "*";

/// Follows one unvisited way back through `sources` at a time, without recursion: graphs from
/// outside may be deep.
class CycleSearch {
public:
    using Sources = std::map<std::string, std::map<std::string, PortRef>>;

    explicit CycleSearch(const Sources& sources) : sources_(sources) {}

    std::vector<std::vector<std::string>> run() {
        for (const auto& [node, inputs] : sources_) {
            if (!state_.contains(node)) {
                visitFrom(node);
            }
        }
        return std::move(cycles_);
    }

private:
    enum class State { OnPath, Done };

    struct Step {
        std::string node;
        std::map<std::string, PortRef>::const_iterator next;
    };

    void enter(const std::string& node) {
        state_[node] = State::OnPath;
        path_.push_back({node, sources_.at(node).begin()});
    }

    void visitFrom(const std::string& start) {
        enter(start);
        while (!path_.empty()) {
            Step& step = path_.back();
            if (step.next == sources_.at(step.node).end()) {
                state_[step.node] = State::Done;
                path_.pop_back();
                continue;
            }
            const std::string& source = (step.next++)->second.node;
            const auto known = state_.find(source);
            if (known == state_.end() && sources_.contains(source)) {
                enter(source);
            } else if (known != state_.end() && known->second == State::OnPath) {
                report(source);
            }
        }
    }

    /// The path runs from consumers to sources; a circle is reported in the direction of the links.
    void report(const std::string& closing) {
        std::vector<std::string> circle;
        for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
            circle.push_back(step->node);
            if (step->node == closing) {
                break;
            }
        }
        std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
        cycles_.push_back(std::move(circle));
    }

    const Sources& sources_;
    std::map<std::string, State> state_;
    std::vector<Step> path_;
    std::vector<std::vector<std::string>> cycles_;
};

}  // namespace

Wiring::Wiring(const Document& document, const Catalog& catalog)
    : document_(document), catalog_(catalog) {
    for (const Link& link : document_.links) {
        links_.emplace(link.to, link.from);
    }
    connect();
    followTypes();
    pull();
    cycles_ = CycleSearch(sources_).run();
}

const NodeDesc* Wiring::descOf(const std::string& node) const {
    const auto found = document_.nodes.find(node);
    return found == document_.nodes.end() ? nullptr : catalog_.find(found->second.type);
}

const PortRef* Wiring::linkInto(const PortRef& input) const {
    const auto found = links_.find(input);
    return found == links_.end() ? nullptr : &found->second;
}

/// What a bypassed node puts on `output`. The ports of an unknown node type are those of its links.
const PortRef* Wiring::passed(const PortRef& output, const std::string& wantedType) const {
    if (const NodeDesc* desc = descOf(output.node)) {
        const PortDesc* input = passedInput(*desc, output.port);
        return input ? linkInto({output.node, input->id}) : nullptr;
    }
    for (auto link = links_.lower_bound({output.node, ""});
         link != links_.end() && link->first.node == output.node;
         ++link) {
        const NodeDesc* source = descOf(link->second.node);
        const PortDesc* port = source ? findOutput(*source, link->second.port) : nullptr;
        if (port && port->type == wantedType) {
            return &link->second;
        }
    }
    return nullptr;
}

/// The active port behind `output`, through any number of bypassed nodes; nullptr behind a muted
/// one.
const PortRef* Wiring::followed(const PortRef& output, const std::string& wantedType) const {
    const PortRef* at = &output;
    for (size_t steps = 0; at && steps <= document_.nodes.size(); ++steps) {
        const auto node = document_.nodes.find(at->node);
        if (node == document_.nodes.end() || node->second.mode == NodeMode::Muted) {
            return nullptr;
        }
        if (node->second.mode == NodeMode::Active) {
            return at;
        }
        at = passed(*at, wantedType);
    }
    return nullptr;
}

void Wiring::connect() {
    for (const auto& [id, node] : document_.nodes) {
        if (node.mode == NodeMode::Active) {
            sources_[id];
        }
    }
    for (const auto& [input, output] : links_) {
        const auto consumer = sources_.find(input.node);
        if (consumer == sources_.end()) {
            continue;
        }
        const NodeDesc* desc = descOf(input.node);
        const PortDesc* port = desc ? findInput(*desc, input.port) : nullptr;
        if (desc && !port) {
            continue;
        }
        if (const PortRef* source = followed(output, port ? port->type : kAnyType)) {
            consumer->second.emplace(input.port, *source);
        }
    }
}

bool Wiring::isWanted(const std::string& node) const {
    const NodeDesc* desc = descOf(node);
    return document_.until.empty() ? desc && desc->output : document_.until.contains(node);
}

void Wiring::pull() {
    std::vector<std::string> open;
    for (const auto& [id, inputs] : sources_) {
        if (isWanted(id)) {
            open.push_back(id);
        }
    }
    while (!open.empty()) {
        const std::string node = open.back();
        open.pop_back();
        if (!pulled_.insert(node).second) {
            continue;
        }
        for (const auto& [port, source] : sources(node)) {
            open.push_back(source.node);
        }
    }
}

const PortRef* Wiring::source(const PortRef& input) const {
    const auto& inputs = sources(input.node);
    const auto found = inputs.find(input.port);
    return found == inputs.end() ? nullptr : &found->second;
}

const std::map<std::string, PortRef>& Wiring::sources(const std::string& node) const {
    return sources_.at(node);
}

/// Each chain once: graphs from outside may have thousands of nodes that pass something on.
void Wiring::followTypes() {
    for (const auto& [id, inputs] : sources_) {
        const NodeDesc* desc = descOf(id);
        for (const PortDesc& port : desc ? desc->outputs : std::vector<PortDesc>()) {
            if (port.type == kAnyType) {
                followType({id, port.id});
            }
        }
    }
}

void Wiring::followType(PortRef output) {
    std::vector<PortRef> passing;
    std::string type = kAnyType;
    for (;;) {
        const NodeDesc* desc = descOf(output.node);
        const PortDesc* port = desc ? findOutput(*desc, output.port) : nullptr;
        if (!port || port->type != kAnyType) {
            type = port ? port->type : kAnyType;
            break;
        }
        const auto [known, isNew] = passedTypes_.emplace(output, kAnyType);
        if (!isNew) {  // followed before, or a circle
            type = known->second;
            break;
        }
        passing.push_back(output);
        const PortDesc* input = passedInput(*desc, output.port);
        const PortRef* from = input ? source({output.node, input->id}) : nullptr;
        if (!from) {
            break;
        }
        output = *from;
    }
    for (const PortRef& each : passing) {
        passedTypes_[each] = type;
    }
}

std::string Wiring::typeOf(const PortRef& output) const {
    const NodeDesc* desc = descOf(output.node);
    const PortDesc* port = desc ? findOutput(*desc, output.port) : nullptr;
    if (port && port->type != kAnyType) {
        return port->type;
    }
    const auto passed = passedTypes_.find(output);
    return passed == passedTypes_.end() ? kAnyType : passed->second;
}

}  // namespace lowtide::graph
