#pragma once

#include "plugin/base/json.hpp"

#include <string>

namespace lowtide::testing {

/// A graph that loads a file and nothing more, and the node that has it when it is done.
struct LoadingGraph {
    Json graph;
    std::string until;
};

/// For what `known`, the recogniser's answer, states that the file at `path` is. What it needs (a
/// checkpoint, text encoders, an autoencoder) are hollow files of hollowModelFolder(), which are
/// true in size and have tokenizers that fit.
[[nodiscard]] LoadingGraph loadingGraph(const Json& known, const std::string& path);

}  // namespace lowtide::testing
