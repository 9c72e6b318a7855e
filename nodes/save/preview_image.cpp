#include "nodes/save/save_image.hpp"

namespace lowtide::nodes {

executor::NodeType previewImageNode(Stages&) {
    return {.desc = {.id = "preview.image",
                     .label = "Preview image",
                     .category = "Save",
                     .tooltip = "Shows the pictures without writing a file.",
                     .output = true,
                     .sideEffect = true,
                     .inputs = {{.id = "image",
                                 .label = "Image",
                                 .tooltip = "The pictures.",
                                 .type = "IMAGE"}}},
            .outline = picturesOutline,
            .run = [](executor::Context& context) {
                for (const Image8& picture : picturesIn(context)) {
                    context.preview(picture);
                }
            }};
}

}  // namespace lowtide::nodes
