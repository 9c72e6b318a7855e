#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stages.hpp"
#include "nodes/save/file_names.hpp"
#include "nodes/save/save_image.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/video/video_writer.hpp"

#include <algorithm>

namespace lowtide::nodes {

namespace {

constexpr double kUsualRate = 16;  // of images that are no video

std::vector<ChoiceDesc> formatChoices() {
    std::vector<ChoiceDesc> choices;
    for (const video::FormatInfo& format : video::formats()) {
        choices.push_back({format.id, format.label});
    }
    return choices;
}

std::vector<ParamDesc> saveVideoParameters() {
    return {prefixParam(),
            {.id = "format",
             .label = "Format",
             .tooltip = "MP4 and WebM need the program ffmpeg; WebP and PNG need nothing. PNG and "
                        "lossless WebP keep every pixel.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("mp4"),
             .choices = formatChoices()},
            {.id = "rate",
             .label = "Rate",
             .tooltip = "0: as the video has it, and 16 for images that are none.",
             .unit = "fps",
             .kind = ParamKind::Float,
             .defaultValue = 0.0,
             .min = 0,
             .max = 1000,
             .softMin = 0,
             .softMax = 60,
             .step = 1},
            {.id = "crf",
             .label = "CRF",
             .tooltip = "Constant rate factor of MP4 and WebM; lower is better and larger. 17 "
                        "loses nothing that is seen. WebP and PNG do not use it.",
             .unit = "of 51",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{17},
             .min = 0,
             .max = 51,
             .softMin = 10,
             .softMax = 30,
             .step = 1},
            {.id = "quality",
             .label = "Quality",
             .tooltip = "Of WebP that is not lossless; higher is larger. Other formats do not use "
                        "it.",
             .unit = "of 100",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{90},
             .min = 1,
             .max = 100,
             .softMin = 50,
             .softMax = 100,
             .step = 1}};
}

NodeDesc describeSaveVideo() {
    return {
        .id = "save.video",
        .label = "Save video",
        .category = "Save",
        .tooltip =
            "Writes all images as the frames of one file, which carries the graph and "
            "its parameters.",
        .output = true,
        .sideEffect = true,
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The frames.", .type = "IMAGE"}},
        .params = saveVideoParameters()};
}

video::VideoEncoding encodingOf(const executor::Params& params, const Shape& frames, double rate) {
    const auto known = video::formats();
    const auto format =
        std::ranges::find(known, params.text("format"), [](const auto& each) { return each.id; });
    requireThat(format != known.end(),
                message("there is no format \"{}\"", params.text("format")),
                message("choose mp4, webm, webp, webp_lossless or png"),
                "format");
    const double asked = params.number("rate");
    return {.format = &*format,
            .size = {.widthPixels = frames[3], .heightPixels = frames[2]},
            .frames = static_cast<int>(frames[0]),
            .rate = asked > 0  ? asked
                    : rate > 0 ? rate
                               : kUsualRate,
            .crf = static_cast<int>(params.integer("crf")),
            .quality = static_cast<int>(params.integer("quality"))};
}

executor::NodeSpec specOfSaveVideo(const executor::SpecContext& context) {
    checkPrefix(context.text("prefix"));
    const Shape& frames = context.input("image")->shape;
    if (frames.size() == 4) {
        video::checkEncoding(encodingOf(context, frames, kUsualRate));
    }
    return imagesSpec(context);
}

void runSaveVideo(Stages& stages, executor::Context& context) {
    const memory::WireRef image = context.input("image");
    const StopToken& stop = context.stop();
    const std::vector<Image8> frames = images8In(context);
    const Image8& first = frames.front();
    const video::VideoEncoding encoding = encodingOf(context,
                                                     {static_cast<int64_t>(frames.size()),
                                                      first.channels,
                                                      first.heightPixels,
                                                      first.widthPixels},
                                                     imagesIn(image).provenance().rate);
    FileNames names(
        std::string(context.outputFolder()), context.text("prefix"), encoding.format->ending);
    files::OutputFile output(names.next());
    const auto writer = video::openVideo(output, encoding, savedTexts(stages, context, image, 0));
    for (size_t i = 0; i < frames.size(); ++i) {
        writer->add(frames[i], stop);
        context.preview(frames[i]);
        context.progress("save", static_cast<double>(i + 1), static_cast<double>(frames.size()));
    }
    writer->finish(stop);
    context.wroteFile(output.commitAsNew([&] { return names.next(); }));
}

}  // namespace

executor::NodeType saveVideoNode(Stages& stages) {
    return {.desc = describeSaveVideo(),
            .spec = specOfSaveVideo,
            .run = [&stages](executor::Context& context) {
                writeOutputs([&] { runSaveVideo(stages, context); });
            }};
}

}  // namespace lowtide::nodes
