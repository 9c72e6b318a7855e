#pragma once

#include "plugin/base/units.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// Anything that travels on a wire. Immutable; edges never copy. The executor sees types, bytes and
/// devices only.
class WireValue {
public:
    virtual ~WireValue() = default;
    /// The wire type: "MODEL", "CONDITIONING", "LATENT", "IMAGE".
    [[nodiscard]] virtual std::string_view type() const = 0;
    /// Bytes of tensors that this value keeps alive on `deviceId` ("cpu": host memory).
    [[nodiscard]] virtual Bytes bytesOn(std::string_view deviceId) const = 0;
    /// The same value with every tensor in host memory; itself when it is there already. Run thread
    /// only.
    [[nodiscard]] virtual std::shared_ptr<const WireValue> onHost() const = 0;

    /// Of what goes along wires before a run: all that a stage can learn of it in addition to its
    /// type, its shape and the networks that the stage runs, as text. nullopt: it depends on all
    /// that made it.
    [[nodiscard]] virtual std::optional<std::string> specKey() const { return std::nullopt; }
};

using WireRef = std::shared_ptr<const WireValue>;

}  // namespace lowtide::memory
