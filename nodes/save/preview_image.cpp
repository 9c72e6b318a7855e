#include "nodes/save/save_image.hpp"

namespace lowtide::nodes {

executor::NodeType previewImageNode(Stages&) {
    return {.desc = {.id = "preview.image",
                     .label = "Preview image",
                     .category = "Save",
                     .tooltip = "Shows the images without writing a file.",
                     .output = true,
                     .sideEffect = true,
                     .inputs = {{.id = "image",
                                 .label = "Image",
                                 .tooltip = "The images.",
                                 .type = "IMAGE"}}},
            .spec = imagesSpec,
            .run = [](executor::Context& context) {
                for (const Image8& image : images8In(context)) {
                    context.preview(image);
                }
            }};
}

}  // namespace lowtide::nodes
