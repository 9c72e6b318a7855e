#include "ui/canvas/run_order.hpp"

#include <map>
#include <set>

namespace lowtide::ui {

std::vector<std::string> runOrder(const graph::Document& document) {
    std::map<std::string, std::set<std::string>> feeds;
    std::map<std::string, size_t> waitsFor;
    for (const auto& [id, node] : document.nodes) {
        waitsFor[id] = 0;
    }
    for (const graph::Link& link : document.links) {
        const bool isWhole = waitsFor.contains(link.from.node) && waitsFor.contains(link.to.node);
        if (isWhole && feeds[link.from.node].insert(link.to.node).second) {
            ++waitsFor.at(link.to.node);
        }
    }
    std::set<std::string> ready;
    for (const auto& [id, count] : waitsFor) {
        if (count == 0) {
            ready.insert(id);
        }
    }
    std::vector<std::string> order;
    while (!ready.empty()) {
        const std::string id = ready.extract(ready.begin()).value();
        order.push_back(id);
        waitsFor.erase(id);
        for (const std::string& next : feeds[id]) {
            if (const auto found = waitsFor.find(next);
                found != waitsFor.end() && --found->second == 0) {
                ready.insert(next);
            }
        }
    }
    for (const auto& [id, count] : waitsFor) {
        order.push_back(id);
    }
    return order;
}

}  // namespace lowtide::ui
