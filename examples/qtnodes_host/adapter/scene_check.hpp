#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/host_api/host.hpp"

#include <map>
#include <span>
#include <string>

namespace lowtide::qtnodes_host {

/// The key under which a saved scene holds NodeState::save() of a node.
inline constexpr const char* kStateKey = "lowtide";

/// The name of the host's own node that takes an image off the canvas.
inline constexpr const char* kToHostImage = "To host image";

/// Node types by the name that a scene's file knows them by: their ids, which are permanent, and
/// kToHostImage where a node shows images.
using TypesByName = std::map<std::string, const NodeDesc*>;

/// `nodes` must outlive what is returned.
[[nodiscard]] TypesByName typesByName(std::span<const NodeDesc> nodes);

/// Checks a saved QtNodes scene before anything of it is put on the canvas: QtNodes would throw at
/// an unknown node, or draw a wire to a port that does not exist, with the old scene already gone.
/// Error{Corrupt} or Error{NotFound} names the node or wire.
void checkScene(const Json& scene, const TypesByName& types);

}  // namespace lowtide::qtnodes_host
