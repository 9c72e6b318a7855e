#include "nodes/save/save_image.hpp"

#include "nodes/save/file_names.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/image/png.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeSaveImage() {
    return {
        .id = "save.image",
        .label = "Save image",
        .category = "Save",
        .tooltip = "Writes each picture as a PNG that carries the graph and its parameters.",
        .output = true,
        .sideEffect = true,
        .aliases = {"SaveImage"},
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .params = {
            {.id = "prefix",
             .label = "File name",
             .tooltip = "Start of the file names; a number follows. A folder may stand before it.",
             .kind = ParamKind::Text,
             .defaultValue = std::string("lowtide")}}};
}

void runSaveImage(models::Stages& stages, executor::Context& context) {
    const memory::WireRef image = context.input("image");
    const std::vector<Image8> pictures = stages.pictures(image);
    FileNames names(std::string(context.outputFolder()), context.text("prefix"));
    for (size_t i = 0; i < pictures.size(); ++i) {
        context.stop().throwIfStopped();
        std::vector<image::PngText> texts = {{"lowtide_graph", context.graphText()},
                                             {"lowtide_precision", context.precisionText()}};
        if (const std::string text = stages.parametersText(image, i); !text.empty()) {
            texts.push_back({"parameters", text});
        }
        const std::string path = names.next();
        files::writeFileAtomically(path, image::encodePng(pictures[i], texts));
        context.wroteFile(path);
        context.preview(pictures[i]);
        context.progress("save", static_cast<double>(i + 1), static_cast<double>(pictures.size()));
    }
}

}  // namespace

executor::WorkOutline picturesOutline(models::Stages& stages,
                                      const executor::OutlineContext& context) {
    return {.walk = stages.outlinePictures(context.input("image")->shape).walk};
}

executor::NodeType saveImage(models::Stages& stages) {
    return {.desc = describeSaveImage(),
            .outline =
                [&stages](const executor::OutlineContext& context) {
                    checkPrefix(context.text("prefix"));
                    return picturesOutline(stages, context);
                },
            .run = [&stages](executor::Context& context) { runSaveImage(stages, context); }};
}

std::vector<executor::NodeType> save(models::Stages& stages) {
    return {saveImage(stages), previewImage(stages)};
}

}  // namespace lowtide::nodes
