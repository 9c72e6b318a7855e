#pragma once

#include <string>

namespace lowtide::models {

/// The class of the text encoder that a folder holds in the layout of transformers, as its
/// config.json states it first; empty where it holds another network, or none.
[[nodiscard]] std::string textClassIn(const std::string& folder);

}  // namespace lowtide::models
