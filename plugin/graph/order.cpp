#include "plugin/graph/order.hpp"

#include "plugin/base/error.hpp"

#include <optional>

namespace lowtide::graph {

namespace {

/// The networks that a node runs and the model that they come from; empty when it runs none.
struct Stage {
    std::string model;
    std::vector<std::string> components;

    auto operator<=>(const Stage&) const = default;
};

class Ordering {
public:
    Ordering(const Document& document, const Catalog& catalog, const Wiring& wiring)
        : wiring_(wiring) {
        for (const std::string& node : wiring.pulled()) {
            descs_[node] = catalog.find(document.nodes.at(node).type);
            const auto& sources = wiring.sources(node);
            waitingFor_[node] = sources.size();
            for (const auto& [port, source] : sources) {
                consumers_[source.node].push_back(node);
            }
            if (sources.empty()) {
                makeReady(node);
            }
        }
    }

    std::vector<std::string> run() {
        std::vector<std::string> order;
        while (std::optional<std::string> next = takeNext()) {
            for (const std::string& consumer : consumers_[*next]) {
                if (--waitingFor_[consumer] == 0) {
                    makeReady(consumer);
                }
            }
            order.push_back(std::move(*next));
        }
        LOWTIDE_ASSERT(order.size() == descs_.size());
        return order;
    }

private:
    using Ready = std::set<std::string>;

    void makeReady(const std::string& node) {
        const NodeDesc& desc = *descs_[node];
        models_[node] = modelOf(node);
        if (!desc.components.empty()) {
            networks_[{models_[node], desc.components}].insert(node);
        } else {
            (desc.output ? outputs_ : others_).insert(node);
        }
    }

    /// The first output upstream that makes a model instead of passing one on: two patched models
    /// of one checkpoint count as one. Sources have their answer already.
    std::string modelOf(const std::string& node) {
        for (const PortDesc& input : descs_[node]->inputs) {
            const PortRef* source = wiring_.source({node, input.id});
            if (source && isModel(wiring_.typeOf(*source))) {
                const std::string& root = models_[source->node];
                return root.empty() ? source->node + "\n" + source->port : root;
            }
        }
        return {};
    }

    std::optional<std::string> takeNext() {
        if (!outputs_.empty()) {
            return takeFirst(outputs_);
        }
        if (const auto same = networks_.find(last_); same != networks_.end()) {
            return takeStage(same);
        }
        if (!others_.empty()) {
            return takeFirst(others_);
        }
        auto best = networks_.end();
        for (auto stage = networks_.begin(); stage != networks_.end(); ++stage) {
            if (best == networks_.end() || precedes(*stage, *best)) {
                best = stage;
            }
        }
        return best == networks_.end() ? std::nullopt : std::optional(takeStage(best));
    }

    /// Whether the nodes of stage `a` go before those of `b`: the last stage's model first, then by
    /// id.
    bool precedes(const std::pair<const Stage, Ready>& a,
                  const std::pair<const Stage, Ready>& b) const {
        const bool sameA = a.first.model == last_.model;
        const bool sameB = b.first.model == last_.model;
        return sameA != sameB ? sameA : *a.second.begin() < *b.second.begin();
    }

    static std::string takeFirst(Ready& ready) {
        return std::move(ready.extract(ready.begin()).value());
    }

    std::string takeStage(std::map<Stage, Ready>::iterator stage) {
        last_ = stage->first;
        std::string node = takeFirst(stage->second);
        if (stage->second.empty()) {
            networks_.erase(stage);
        }
        return node;
    }

    /// Types of wires that carry networks.
    static bool isModel(std::string_view type) { return type == "MODEL" || type == "UPSCALER"; }

    const Wiring& wiring_;
    std::map<std::string, const NodeDesc*> descs_;
    std::map<std::string, std::string> models_;
    std::map<std::string, size_t> waitingFor_;
    std::map<std::string, std::vector<std::string>> consumers_;
    Ready outputs_;  ///< ready outputs that run no network
    Ready others_;   ///< other ready nodes that run none
    std::map<Stage, Ready> networks_;
    Stage last_;
};

}  // namespace

std::vector<std::string> orderNodes(const Document& document,
                                    const Catalog& catalog,
                                    const Wiring& wiring) {
    return Ordering(document, catalog, wiring).run();
}

}  // namespace lowtide::graph
