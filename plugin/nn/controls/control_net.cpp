#include "plugin/nn/controls/control_net.hpp"

#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/controls/hint_network.hpp"

#include <utility>

namespace lowtide::models {

std::string controlRole(size_t index) {
    return std::string(kControlNet) + (index == 0 ? "" : "_" + std::to_string(index + 1));
}

ComponentDesc controlComponent(size_t index) {
    return {.role = controlRole(index),
            .label = index == 0 ? "ControlNet" : "ControlNet " + std::to_string(index + 1)};
}

ControlNet::ControlNet(std::string name, HintNetworkConfig config, WeightMap weights)
    : name_(std::move(name)), config_(std::move(config)), weights_(std::move(weights)) {
    (void)networkAs(kControlNet);
}

ControlNet::~ControlNet() = default;

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

std::string ControlNet::kind() const {
    return std::holds_alternative<ControlConfig>(config_) ? "ControlNet" : "T2I-Adapter";
}

const HintNetwork& ControlNet::networkAs(std::string_view role) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const HintNetwork>& network = networks_[std::string(role)];
    if (!network) {
        if (const auto* control = std::get_if<ControlConfig>(&config_)) {
            network = std::make_unique<const ControlNetwork>(*control, weights_, role);
        } else {
            network = std::make_unique<const HintAdapter>(
                std::get<HintAdapterConfig>(config_), weights_, role);
        }
    }
    return *network;
}

}  // namespace lowtide::models
