#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/image/picture_file.hpp"

#include <vector>

namespace lowtide::models {
class Stages;
}

namespace lowtide::nodes {

/// "save.image": writes PNG files with the graph and A1111 parameters inside.
[[nodiscard]] executor::NodeType saveImage(models::Stages& stages);
/// "preview.image": hands the pictures to the host and writes nothing.
[[nodiscard]] executor::NodeType previewImage(models::Stages& stages);

/// "save.video": writes all pictures as the frames of one file.
[[nodiscard]] executor::NodeType saveVideo(models::Stages& stages);

/// "prefix" of nodes that write files.
[[nodiscard]] ParamDesc prefixParam();
/// What the file of one picture, or of a video that begins with it, carries.
[[nodiscard]] std::vector<image::PictureText> savedTexts(models::Stages& stages,
                                                         executor::Context& context,
                                                         const memory::WireRef& image,
                                                         size_t picture);
/// The outline of a node that makes 8-bit pictures of its input "image".
[[nodiscard]] executor::WorkOutline picturesOutline(models::Stages& stages,
                                                    const executor::OutlineContext& context);

}  // namespace lowtide::nodes
