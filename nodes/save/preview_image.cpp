#include "nodes/engine/stages.hpp"
#include "nodes/save/save_image.hpp"

namespace lowtide::nodes {

executor::NodeType previewImage(Stages& stages) {
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
            .outline =
                [&stages](const executor::OutlineContext& context) {
                    return picturesOutline(stages, context);
                },
            .run =
                [&stages](executor::Context& context) {
                    for (const Image8& picture : stages.pictures(context.input("image"))) {
                        context.preview(picture);
                    }
                }};
}

}  // namespace lowtide::nodes
