#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/image/image_file.hpp"

#include <vector>

namespace lowtide::nodes {

class Stages;

/// "prefix" of nodes that write files.
[[nodiscard]] ParamDesc prefixParam();
/// What the file of one image, or of a video that begins with it, carries.
[[nodiscard]] std::vector<image::ImageText> savedTexts(Stages& stages,
                                                       executor::Context& context,
                                                       const memory::WireRef& image,
                                                       size_t imageIndex);
/// The input "image" as 8-bit images, rounded half to even.
[[nodiscard]] std::vector<Image8> images8In(executor::Context& context);
/// The spec of a node that asks for them.
[[nodiscard]] executor::NodeSpec imagesSpec(const executor::SpecContext& context);

}  // namespace lowtide::nodes
