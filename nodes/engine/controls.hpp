#pragma once
// What ControlNets shall follow: the CONTROL wire.

#include "nodes/engine/influence.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/nn/controls/control_net.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::nodes {

/// Which half of a guided call a ControlNet speaks in, and how strongly by depth.
enum class ControlMode : uint8_t {
    Balanced,  ///< both halves, every residual alike
    /// "ControlNet is more important" of A1111, guess_mode of diffusers: the positive half alone,
    /// residual i of n scaled by 10^(-1 + i / (n - 1)).
    Guess,
    /// "My prompt is more important" of A1111: both halves, residual i of n scaled by
    /// 0.825^(n-1-i).
    Prompt
};

/// How one hint is followed.
struct ControlSettings {
    Influence influence{};  ///< outside of its range the network is not run
    ControlMode mode = ControlMode::Balanced;
    bool isInverted = false;  ///< white lines on black were meant, the hint has black on white
};

/// A ControlNet with its hint.
struct ControlEntry {
    std::shared_ptr<const models::ControlNet> net;
    ControlSettings settings;
    Shape hintShape;    ///< [1 or B, 3, H, W] of any size
    at::Tensor hint{};  ///< in 0..1; undefined before the run
};

/// Hints in the order in which they were connected. Immutable.
class Controls final : public memory::WireValue {
public:
    explicit Controls(std::vector<ControlEntry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] std::string_view type() const override { return "CONTROL"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;
    [[nodiscard]] std::optional<std::string> specKey() const override;

    [[nodiscard]] const std::vector<ControlEntry>& entries() const { return entries_; }

    /// The networks, each once, in the order in which they come first; at `index` of it a network
    /// has the role controlRole(index).
    [[nodiscard]] std::vector<std::shared_ptr<const models::ControlNet>> nets() const;
    /// The role of an entry's network.
    [[nodiscard]] std::string roleOf(const ControlEntry& entry) const;

private:
    std::vector<ControlEntry> entries_;
};

/// As A1111's ControlNet extension writes it in an image's metadata, but for the model's name.
[[nodiscard]] std::string describedControl(const ControlEntry& entry);

/// What is on a wire or known of it; nullptr: nothing is connected. Error{InvalidInput} on port
/// "control" for a value of another kind.
[[nodiscard]] const Controls* controlsIn(const memory::WireRef& value);

}  // namespace lowtide::nodes
