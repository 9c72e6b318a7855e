#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "nodes/engine/stage_run.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <span>

namespace lowtide::nodes {

namespace {

constexpr const char* kImage = "image";
constexpr const char* kMask = "mask";
constexpr Bytes kLargestFile = kGiB;

NodeDesc describeLoadImage() {
    return {.id = "load.image",
            .label = "Load image",
            .category = "Load",
            .tooltip = "Reads a PNG, JPEG or WebP image, and a mask of where it is transparent.",
            .outputs = {{.id = kImage,
                         .label = "Image",
                         .tooltip = "The image, without its transparency.",
                         .type = "IMAGE"},
                        {.id = kMask,
                         .label = "Mask",
                         .tooltip = "Where the image is transparent; empty where it has no "
                                    "alpha channel.",
                         .type = "MASK"}},
            .params = {{.id = kImage,
                        .label = "Image",
                        .tooltip = "A PNG, JPEG or WebP file, relative to the graph or with its "
                                   "full path.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()}}};
}

constexpr FileParam kFile = {
    .id = kImage,
    .what = "image",
    .hint = phrase("choose a PNG, JPEG or WebP file, relative to the graph or with its full path")};

files::InputFile openImage(const executor::Params& params, std::string_view graphFolder) {
    return chosenFile(kFile, params.text(kImage), graphFolder);
}

image::ImageHeader headerOf(const files::InputFile& file) {
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&file](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    return image::readImageHeader(source, file.name());
}

/// Where the colours are meant in another colour space than they will be taken for.
Issues warningsAbout(const image::ImageHeader& header, const std::string& name) {
    if (header.profile.empty()) {
        return {};
    }
    return {
        {.severity = Severity::Warning,
         .code = "colour_profile",
         .item = kImage,
         .message = message(
             "{} has the colour profile {}, which is not applied: its numbers are taken for sRGB",
             quotedName(name),
             quotedName(header.profile)),
         .hint = message("where the colours look wrong, convert it to sRGB in another program")}};
}

/// Of the image and its mask.
memory::StageWork dryRunOfImage(int64_t height,
                                int64_t width,
                                const memory::StageDevices& devices) {
    return dryRunTensors(devices, [&] {
        const auto options = at::TensorOptions(at::kFloat).device(c10::kMeta);
        const at::Tensor pixels = at::empty({1, tensor::kImageChannels, height, width}, options);
        const at::Tensor mask = at::empty({1, 1, height, width}, options);
    });
}

executor::NodeSpec specOfLoadImage(const executor::SpecContext& context) {
    return blaming(kFile, [&] {
        const files::InputFile file = openImage(context, context.graphFolder());
        const image::ImageHeader header = headerOf(file);
        const int64_t height = header.size.heightPixels;
        const int64_t width = header.size.widthPixels;
        return executor::NodeSpec{
            .outputs = {{kImage, outputOf("IMAGE", {1, tensor::kImageChannels, height, width})},
                        {kMask, outputOf("MASK", {1, 1, height, width})}},
            .fingerprints = {fingerprintOf(file)},
            .dryRun =
                [height, width](const memory::StageDevices& devices) {
                    return withErrorsOf("load",
                                        [&] { return dryRunOfImage(height, width, devices); });
                },
            .issues = warningsAbout(header, file.name()),
            .isOnHost = true};
    });
}

void runLoadImage(executor::Context& context) {
    const image::DecodedImage decoded = blaming(kFile, [&] {
        const files::InputFile file = openImage(context, context.graphFolder());
        const std::string bytes = file.readAll(kLargestFile);
        return image::decodeImage(
            std::as_bytes(std::span(bytes)), file.name(), image::Depth::Stored);
    });
    const auto [image, mask] = withErrorsOf("load", [&] {
        return std::pair(
            std::make_shared<const tensor::Images>(tensor::pixelsOf(decoded), tensor::Provenance{}),
            std::make_shared<const tensor::Masks>(tensor::transparencyOf(decoded)));
    });
    context.output(kImage, image);
    context.output(kMask, mask);
}

}  // namespace

executor::NodeType loadImageNode(Stages&) {
    return {.desc = describeLoadImage(),
            .spec = specOfLoadImage,
            .run = runLoadImage,
            .collectAfter = {}};
}

}  // namespace lowtide::nodes
