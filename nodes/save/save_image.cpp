#include "nodes/save/save_image.hpp"

#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_run.hpp"
#include "nodes/engine/stages.hpp"
#include "nodes/save/file_names.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>

namespace lowtide::nodes {

namespace {

/// A choice of the parameter "format".
struct SavedFormat {
    const char* id;
    const char* label;
    const char* ending;
    image::ImageFormat format;
    bool isLossless;
};

constexpr SavedFormat kSavedFormats[] = {
    {"png", "PNG", ".png", image::ImageFormat::Png, true},
    {"jpeg", "JPEG", ".jpg", image::ImageFormat::Jpeg, false},
    {"webp", "WebP", ".webp", image::ImageFormat::WebP, false},
    {"webp_lossless", "WebP, lossless", ".webp", image::ImageFormat::WebP, true}};

std::vector<ChoiceDesc> savedFormatChoices() {
    std::vector<ChoiceDesc> choices;
    for (const SavedFormat& format : kSavedFormats) {
        choices.push_back({format.id, format.label});
    }
    return choices;
}

std::vector<ParamDesc> saveParameters() {
    return {prefixParam(),
            {.id = "format",
             .label = "Format",
             .tooltip = "PNG and lossless WebP keep every pixel; JPEG and WebP are smaller.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("png"),
             .choices = savedFormatChoices()},
            {.id = "quality",
             .label = "Quality",
             .tooltip = "Of JPEG and of WebP that is not lossless; higher is larger. PNG and "
                        "lossless WebP do not use it.",
             .unit = "of 100",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{90},
             .min = 1,
             .max = 100,
             .softMin = 50,
             .softMax = 100,
             .step = 1}};
}

NodeDesc describeSaveImage() {
    return {
        .id = "save.image",
        .label = "Save image",
        .category = "Save",
        .tooltip = "Writes each image to a file that carries the graph and its parameters.",
        .output = true,
        .sideEffect = true,
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The images.", .type = "IMAGE"}},
        .params = saveParameters()};
}

const SavedFormat& savedFormat(const executor::Params& params) {
    const std::string& id = params.text("format");
    const auto* found = std::ranges::find_if(
        kSavedFormats, [&](const SavedFormat& format) { return format.id == id; });
    requireThat(found != std::end(kSavedFormats),
                message("there is no format \"{}\"", id),
                message("choose png, jpeg, webp or webp_lossless"),
                "format");
    return *found;
}

/// Refused before the run, not after its hours.
void checkSides(const SavedFormat& format, const Shape& imageIndex) {
    if (imageIndex.size() != 4) {
        return;
    }
    const int64_t most = image::largestSide(format.format);
    requireThat(std::max(imageIndex[2], imageIndex[3]) <= most,
                message("an image of {} x {} pixels cannot be saved as {}, which takes {} a side",
                        imageIndex[3],
                        imageIndex[2],
                        image::nameOf(format.format),
                        most),
                message("choose PNG, which takes more"),
                "format");
}

/// Images that are encoded at a time: the one that is written next, and those behind it.
constexpr size_t kEncodedAtOnce = 4;
constexpr auto kStopPoll = std::chrono::milliseconds(10);

/// An image's file, made by a thread of its own.
std::future<std::string> encodedFile(const Image8& imageIndex,
                                     std::vector<image::ImageText> texts,
                                     const image::ImageEncoding& encoding,
                                     const StopToken& stop) {
    return std::async(std::launch::async, [imageIndex, encoding, stop, texts = std::move(texts)] {
        return image::encodeImage(imageIndex, texts, encoding, stop);
    });
}

std::string waitFor(std::future<std::string> file, const StopToken& stop) {
    while (file.wait_for(kStopPoll) != std::future_status::ready) {
        stop.throwIfStopped();
    }
    return file.get();
}

void runSaveImage(Stages& stages, executor::Context& context) {
    const memory::WireRef image = context.input("image");
    const StopToken& stop = context.stop();
    const std::vector<Image8> images = images8In(context);
    const SavedFormat& format = savedFormat(context);
    const image::ImageEncoding encoding{.format = format.format,
                                        .quality = static_cast<int>(context.integer("quality")),
                                        .isLossless = format.isLossless};
    FileNames names(std::string(context.outputFolder()), context.text("prefix"), format.ending);
    std::vector<std::future<std::string>> encoded;
    for (size_t i = 0; i < images.size(); ++i) {
        stop.throwIfStopped();
        while (encoded.size() < std::min(i + kEncodedAtOnce, images.size())) {
            const size_t next = encoded.size();
            encoded.push_back(encodedFile(
                images[next], savedTexts(stages, context, image, next), encoding, stop));
        }
        const std::string file = waitFor(std::move(encoded[i]), stop);
        context.wroteFile(files::writeNewFile([&] { return names.next(); }, file));
        context.preview(images[i]);
        context.progress("save", static_cast<double>(i + 1), static_cast<double>(images.size()));
    }
}

}  // namespace

ParamDesc prefixParam() {
    return {.id = "prefix",
            .label = "File name",
            .tooltip = "Start of the file names; a number follows. It may begin with a folder.",
            .kind = ParamKind::Text,
            .defaultValue = std::string("lowtide")};
}

std::vector<image::ImageText> savedTexts(Stages& stages,
                                         executor::Context& context,
                                         const memory::WireRef& image,
                                         size_t imageIndex) {
    std::vector<image::ImageText> texts = {{"lowtide_graph", context.graphText()},
                                           {"lowtide_precision", context.precisionText()}};
    texts.insert(texts.end(), context.foreignTexts().begin(), context.foreignTexts().end());
    if (std::string text = stages.parametersText(image, imageIndex, context.stop());
        !text.empty()) {
        texts.push_back({"parameters", std::move(text)});
    }
    return texts;
}

std::vector<Image8> images8In(executor::Context& context) {
    return withErrorsOf("image",
                        [&] { return tensor::image8(imagesIn(context.input("image")).pixels()); });
}

executor::NodeSpec imagesSpec(const executor::SpecContext& context) {
    return {.dryRun = [shape = context.input("image")->shape](const memory::StageDevices& devices) {
        return withErrorsOf("image", [&] {
            return dryRunTensors(
                devices, [&] { (void)tensor::image8Tensor(onWire(shape, devices, "image")); });
        });
    }};
}

executor::NodeType saveImageNode(Stages& stages) {
    return {.desc = describeSaveImage(),
            .spec =
                [](const executor::SpecContext& context) {
                    checkPrefix(context.text("prefix"));
                    checkSides(savedFormat(context), context.input("image")->shape);
                    return imagesSpec(context);
                },
            .run =
                [&stages](executor::Context& context) {
                    writeOutputs([&] { runSaveImage(stages, context); });
                }};
}

}  // namespace lowtide::nodes
