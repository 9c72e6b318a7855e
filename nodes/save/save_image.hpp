#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/image/picture_file.hpp"

#include <vector>

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "save.image": writes PNG files with the graph and A1111 parameters inside.
[[nodiscard]] executor::NodeType saveImage(Stages& stages);
/// "preview.image": hands the pictures to the host and writes nothing.
[[nodiscard]] executor::NodeType previewImage(Stages& stages);

/// "save.video": writes all pictures as the frames of one file.
[[nodiscard]] executor::NodeType saveVideo(Stages& stages);

/// "prefix" of nodes that write files.
[[nodiscard]] ParamDesc prefixParam();
/// What the file of one picture, or of a video that begins with it, carries.
[[nodiscard]] std::vector<image::PictureText> savedTexts(Stages& stages,
                                                         executor::Context& context,
                                                         const memory::WireRef& image,
                                                         size_t picture);
/// The outline of a node that makes 8-bit pictures of its input "image".
[[nodiscard]] executor::WorkOutline picturesOutline(Stages& stages,
                                                    const executor::OutlineContext& context);

}  // namespace lowtide::nodes
