#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_run.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/text.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/video/video_file.hpp"

#include <ATen/ATen.h>

#include <functional>

namespace lowtide::nodes {

namespace {

constexpr const char* kVideo = "video";

ParamDesc countParam(const char* id, const char* label, const char* tooltip, int64_t usual) {
    constexpr double kMost = 1'000'000;
    constexpr double kUsualMost = 200;
    return {.id = id,
            .label = label,
            .tooltip = tooltip,
            .unit = "frames",
            .kind = ParamKind::Int,
            .defaultValue = usual,
            .min = static_cast<double>(usual),
            .max = kMost,
            .softMin = static_cast<double>(usual),
            .softMax = kUsualMost,
            .step = 1};
}

NodeDesc describeLoadVideo() {
    return {.id = "load.video",
            .label = "Load video",
            .category = "Load",
            .tooltip =
                "Reads the frames of a video: WebP and PNG always, MP4, WebM and others "
                "where the program ffmpeg is installed.",
            .outputs = {{.id = "image",
                         .label = "Image",
                         .tooltip = "The frames, without transparency.",
                         .type = "IMAGE"}},
            .params = {
                {.id = kVideo,
                 .label = "Video",
                 .tooltip = "A video file, relative to the graph or with its full path.",
                 .kind = ParamKind::File,
                 .defaultValue = std::string()},
                countParam("first", "First frame", "Frames before it are left out.", 0),
                countParam("frames", "Frames", "At most so many; 0: all.", 0),
                countParam(
                    "every", "Every", "Takes one of so many frames; the rate falls with it.", 1)}};
}

constexpr FileParam kVideoFile = {
    .id = kVideo,
    .what = "video",
    .hint = phrase("choose a video file, relative to the graph or with its full path")};

video::FrameRange rangeIn(const executor::Params& params) {
    return {.first = params.integer("first"),
            .most = params.integer("frames"),
            .every = params.integer("every")};
}

Shape shapeOfTaken(const video::TakenFrames& taken) {
    return {taken.frames, 3, taken.size.heightPixels, taken.size.widthPixels};
}

/// The frames in host memory, [F, 3, H, W]: `next` gives one after another, of 3 channels.
memory::WireRef videoValue(const Shape& frames, double rate, const std::function<Image8()>& next) {
    return withErrorsOf("load", [&] {
        const at::Tensor pixels = at::empty(frames, at::kFloat);
        for (int64_t i = 0; i < pixels.size(0); ++i) {
            tensor::putFrame(pixels, i, next());
        }
        return memory::WireRef(
            std::make_shared<const tensor::Images>(pixels, tensor::Provenance{.rate = rate}));
    });
}

/// Reports a truncated or broken file, which is read as far as it goes.
Issue damageWarning(const std::string& file, const Message& problem) {
    return {.severity = Severity::Warning,
            .code = "damaged_video",
            .item = kVideo,
            .message = message("{} is damaged: {}", quotedName(file), problem),
            .hint = message("look at its frames, or copy or download it again")};
}

/// Errors blame the file, but for those that blame another parameter.
template <class Work>
auto blamingVideo(const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.kind(),
                    error.message(),
                    error.hint(),
                    error.item().empty() ? kVideo : error.item());
    }
}

memory::StageWork dryRunOfFrames(const Shape& shape, const memory::StageDevices& devices) {
    return dryRunTensors(devices, [&] {
        const at::Tensor frames =
            at::empty(shape, at::TensorOptions(at::kFloat).device(c10::kMeta));
    });
}

executor::NodeSpec specOfLoadVideo(const executor::SpecContext& context) {
    return blamingVideo([&] {
        const files::InputFile file =
            chosenFile(kVideoFile, context.text(kVideo), context.graphFolder());
        const video::TakenFrames taken = video::framesIn(file, rangeIn(context), kVideo);
        const Shape frames = shapeOfTaken(taken);
        Issues issues;
        if (!taken.damage.empty()) {
            issues.push_back(damageWarning(file.name(), taken.damage));
        }
        return executor::NodeSpec{
            .outputs = {{"image", outputOf("IMAGE", frames)}},
            .fingerprints = {fingerprintOf(file)},
            .dryRun =
                [frames](const memory::StageDevices& devices) {
                    return withErrorsOf("load", [&] { return dryRunOfFrames(frames, devices); });
                },
            .issues = std::move(issues),
            .isOnHost = true};
    });
}

void runLoadVideo(executor::Context& context) {
    blamingVideo([&] {
        const files::InputFile file =
            chosenFile(kVideoFile, context.text(kVideo), context.graphFolder());
        const video::FrameRange range = rangeIn(context);
        const video::TakenFrames taken = video::framesIn(file, range, kVideo);
        const auto reader = video::openFrames(file, range, taken, kVideo);
        int64_t done = 0;
        context.output(
            "image", videoValue(shapeOfTaken(taken), taken.rate, [&] {
                std::optional<Image8> frame = reader->next(context.stop());
                if (!frame) {
                    throw Error(ErrorKind::Corrupt, message("the video changed while it was read"));
                }
                context.progress(
                    "load", static_cast<double>(++done), static_cast<double>(taken.frames));
                return *std::move(frame);
            }));
        if (const Message damage = reader->damage(context.stop()); !damage.empty()) {
            context.issue(damageWarning(file.name(), damage));
        }
    });
}

}  // namespace

executor::NodeType loadVideoNode(Stages&) {
    return {.desc = describeLoadVideo(),
            .spec = specOfLoadVideo,
            .run = runLoadVideo,
            .collectAfter = {}};
}

}  // namespace lowtide::nodes
