#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/image/picture_file.hpp"

#include <vector>

namespace lowtide::nodes {

class Stages;

/// "prefix" of nodes that write files.
[[nodiscard]] ParamDesc prefixParam();
/// What the file of one picture, or of a video that begins with it, carries.
[[nodiscard]] std::vector<image::PictureText> savedTexts(Stages& stages,
                                                         executor::Context& context,
                                                         const memory::WireRef& image,
                                                         size_t picture);
/// The input "image" as 8-bit pictures, rounded half to even.
[[nodiscard]] std::vector<Image8> picturesIn(executor::Context& context);
/// The outline of a node that asks for them.
[[nodiscard]] executor::WorkOutline picturesOutline(const executor::OutlineContext& context);

}  // namespace lowtide::nodes
