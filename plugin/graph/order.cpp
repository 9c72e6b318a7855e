#include "plugin/graph/order.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::graph {

namespace {

/// What decides between ready nodes: the networks a node runs and the model they come from.
struct Stage {
    const NodeDesc* desc = nullptr;
    std::string model;  ///< the port at the root of its model inputs, empty when it takes none

    bool runsNetworks() const { return !desc->components.empty(); }
};

class Ordering {
public:
    Ordering(const Document& document, const Catalog& catalog, const Wiring& wiring)
        : wiring_(wiring) {
        for (const std::string& node : wiring.pulled()) {
            stages_[node].desc = catalog.find(document.nodes.at(node).type);
            const auto& sources = wiring.sources(node);
            waitingFor_[node] = sources.size();
            for (const auto& [port, source] : sources) {
                consumers_[source.node].push_back(node);
            }
            if (sources.empty()) {
                ready_.insert(node);
            }
        }
    }

    std::vector<std::string> run() {
        std::vector<std::string> order;
        while (!ready_.empty()) {
            const std::string next =
                *std::min_element(ready_.begin(), ready_.end(), [&](const auto& a, const auto& b) {
                    return rank(stages_[a]) < rank(stages_[b]);
                });
            ready_.erase(next);
            if (stages_[next].runsNetworks()) {
                last_ = stages_[next];
            }
            for (const std::string& consumer : consumers_[next]) {
                if (--waitingFor_[consumer] == 0) {
                    stages_[consumer].model = modelOf(consumer);
                    ready_.insert(consumer);
                }
            }
            order.push_back(next);
        }
        LOWTIDE_ASSERT(order.size() == stages_.size());
        return order;
    }

private:
    /// The first output upstream that makes a model instead of passing one on: two patched models
    /// of one checkpoint count as one. Sources have their answer already.
    std::string modelOf(const std::string& node) {
        for (const PortDesc& input : stages_[node].desc->inputs) {
            const PortRef* source = wiring_.source({node, input.id});
            if (source && wiring_.typeOf(*source) == kModelType) {
                const std::string& root = stages_[source->node].model;
                return root.empty() ? source->node + "\n" + source->port : root;
            }
        }
        return {};
    }

    int rank(const Stage& stage) const {
        if (!stage.runsNetworks()) {
            return stage.desc->output ? 0 : 2;
        }
        const bool sameModel = last_.desc && stage.model == last_.model;
        if (sameModel && stage.desc->components == last_.desc->components) {
            return 1;
        }
        return sameModel ? 3 : 4;
    }

    static constexpr const char* kModelType = "MODEL";

    const Wiring& wiring_;
    std::map<std::string, Stage> stages_;
    std::map<std::string, size_t> waitingFor_;
    std::map<std::string, std::vector<std::string>> consumers_;
    std::set<std::string> ready_;
    Stage last_;
};

}  // namespace

std::vector<std::string> orderNodes(const Document& document,
                                    const Catalog& catalog,
                                    const Wiring& wiring) {
    return Ordering(document, catalog, wiring).run();
}

}  // namespace lowtide::graph
