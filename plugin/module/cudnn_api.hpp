#pragma once

#include <string>

namespace lowtide::module {

/// Chooses cuDNN's convolution API for this process: "auto" leaves it to LibTorch, "v7" and "v8"
/// say which. Before the first convolution, since LibTorch asks once. `problem`: why there is no
/// card, empty where there is one. Gives what a report says. Error{InvalidInput} for another name.
[[nodiscard]] std::string chooseCudnnApi(const std::string& name, const std::string& problem);

}  // namespace lowtide::module
