#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lowtide {

/// For headers that name JSON but neither hold nor read it; json.hpp is the whole of it.
using Json = nlohmann::json;

}  // namespace lowtide
