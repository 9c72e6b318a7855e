#include "plugin/models/controls/control_net.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/memory/role_pattern.hpp"
#include "plugin/models/controls/control_network.hpp"

#include <utility>

namespace lowtide::models {

std::string controlRole(size_t place) {
    return std::string(kControlNet) + (place == 0 ? "" : "_" + std::to_string(place + 1));
}

ComponentDesc controlComponent(size_t place) {
    return {.role = controlRole(place),
            .label = place == 0 ? "ControlNet" : "ControlNet " + std::to_string(place + 1)};
}

ControlNet::ControlNet(std::string name, ControlConfig config, WeightMap weights)
    : name_(std::move(name)), config_(std::move(config)), weights_(std::move(weights)) {
    (void)networkAs(kControlNet);
}

std::shared_ptr<const memory::ComponentTree> ControlNet::tree(std::string_view role) const {
    return memory::matchesRole(kControlNets, role) ? networkAs(role).tree() : nullptr;
}

std::shared_ptr<const memory::ComponentTree> ControlNet::openedTree(std::string_view role) const {
    const std::lock_guard lock(mutex_);
    const auto known = networks_.find(role);
    return known == networks_.end() ? nullptr : known->second->tree();
}

const memory::FamilyPrecision& ControlNet::precisions() const {
    static const memory::FamilyPrecision nothing{};
    return nothing;
}

const ControlNetwork& ControlNet::networkAs(std::string_view role) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const ControlNetwork>& network = networks_[std::string(role)];
    if (!network) {
        network = std::make_unique<const ControlNetwork>(config_, weights_, role);
    }
    return *network;
}

}  // namespace lowtide::models
