#pragma once
// A loaded ControlNet, as a wire carries it. Torch-free.

#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/controls/control_config.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide::models {

class HintNetwork;

/// Pattern of the roles of ControlNets in a stage that takes several, and the role of the first.
inline constexpr std::string_view kControlNets = "controlnet*";
inline constexpr std::string_view kControlNet = "controlnet";

/// Of the ControlNet at `index` in a stage: "controlnet", "controlnet_2", ...
[[nodiscard]] std::string controlRole(size_t index);
[[nodiscard]] ComponentDesc controlComponent(size_t index);

/// Settings of either kind of network.
using HintNetworkConfig = std::variant<ControlConfig, HintAdapterConfig>;

/// One ControlNet or T2I-Adapter, of one component. Immutable.
class ControlNet final : public ComponentSource {
public:
    /// Errors: those of the network, for weights that do not fit the settings.
    ControlNet(std::string name, HintNetworkConfig config, WeightMap weights);
    ~ControlNet() override;

    [[nodiscard]] std::string_view type() const override { return "CONTROLNET"; }

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override {
        return weights_.files;
    }

    [[nodiscard]] std::vector<ComponentDesc> components() const override {
        return {controlComponent(0)};
    }

    /// In any role of ControlNets: a stage may run it with others.
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;
    /// Nothing of its own: a stage computes it as the denoiser that it is for.
    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;

    [[nodiscard]] const HintNetworkConfig& config() const { return config_; }

    /// "ControlNet", "T2I-Adapter".
    [[nodiscard]] std::string kind() const;

    /// The network as the component of that role.
    [[nodiscard]] const HintNetwork& networkAs(std::string_view role) const;

private:
    const std::string name_;
    const HintNetworkConfig config_;
    const WeightMap weights_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::unique_ptr<const HintNetwork>, std::less<>>
        networks_;  ///< by role, described when they are first asked for
};

}  // namespace lowtide::models
