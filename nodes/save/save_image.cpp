#include "nodes/save/save_image.hpp"

#include "nodes/save/file_names.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/image/png.hpp"
#include "plugin/models/stages.hpp"

#include <algorithm>
#include <chrono>
#include <future>

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
             .tooltip = "Start of the file names; a number follows. It may begin with a folder.",
             .kind = ParamKind::Text,
             .defaultValue = std::string("lowtide")}}};
}

/// Pictures that are encoded at a time: the one that is written next, and those behind it.
constexpr size_t kEncodedAtOnce = 4;
constexpr auto kStopPoll = std::chrono::milliseconds(10);

/// A picture's file, made by a thread of its own.
std::future<std::string> encodedFile(const Image8& picture,
                                     std::vector<image::PngText> texts,
                                     const StopToken& stop) {
    return std::async(std::launch::async, [picture, stop, texts = std::move(texts)] {
        return image::encodePng(picture, texts, stop);
    });
}

std::string waitFor(std::future<std::string> file, const StopToken& stop) {
    while (file.wait_for(kStopPoll) != std::future_status::ready) {
        stop.throwIfStopped();
    }
    return file.get();
}

void runSaveImage(models::Stages& stages, executor::Context& context) {
    const memory::WireRef image = context.input("image");
    const StopToken& stop = context.stop();
    const std::vector<Image8> pictures = stages.pictures(image);
    FileNames names(std::string(context.outputFolder()), context.text("prefix"));
    std::vector<std::future<std::string>> encoded;
    for (size_t i = 0; i < pictures.size(); ++i) {
        stop.throwIfStopped();
        while (encoded.size() < std::min(i + kEncodedAtOnce, pictures.size())) {
            const size_t next = encoded.size();
            std::vector<image::PngText> texts = {{"lowtide_graph", context.graphText()},
                                                 {"lowtide_precision", context.precisionText()}};
            if (const std::string text = stages.parametersText(image, next, stop); !text.empty()) {
                texts.push_back({"parameters", text});
            }
            encoded.push_back(encodedFile(pictures[next], std::move(texts), stop));
        }
        const std::string file = waitFor(std::move(encoded[i]), stop);
        const std::string path = names.next();
        files::writeFileAtomically(path, file);
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
