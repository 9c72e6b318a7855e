#include "nodes/chosen_file.hpp"
#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"

#include <array>
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
            .tooltip = "Reads a PNG picture, and a mask of where it is transparent.",
            .aliases = {"LoadImage", "LoadImageMask"},
            .outputs = {{.id = kImage,
                         .label = "Image",
                         .tooltip = "The picture, without its transparency.",
                         .type = "IMAGE"},
                        {.id = kMask,
                         .label = "Mask",
                         .tooltip = "Where the picture is transparent; empty where it has no "
                                    "alpha channel.",
                         .type = "MASK"}},
            .params = {{.id = kImage,
                        .label = "Image",
                        .tooltip = "A .png file, relative to the graph or with its full path.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()}}};
}

constexpr FileParam kFile = {
    .id = kImage,
    .what = "picture",
    .hint = "choose a .png file, relative to the graph or with its full path"};

files::InputFile openPicture(const executor::Params& params, std::string_view graphFolder) {
    return chosenFile(kFile, params.text(kImage), graphFolder);
}

image::PictureSize sizeInHeader(const files::InputFile& file) {
    std::array<std::byte, image::kPngHeaderBytes> begin{};
    const auto there = std::min<Bytes>(file.identity().size, image::kPngHeaderBytes);
    const std::span seen = std::span(begin).first(static_cast<size_t>(there));
    file.read(seen, 0);
    return image::pngSize(seen, file.name());
}

std::string fingerprintOf(const files::InputFile& file) {
    const files::FileIdentity& identity = file.identity();
    Hasher hasher;
    hasher.add(file.path()).add(identity.size).add(identity.modifiedNanoseconds);
    hasher.add(static_cast<int64_t>(identity.inode));
    return hasher.hexDigest();
}

executor::WorkOutline outlineLoadImage(models::Stages& stages,
                                       const executor::OutlineContext& context) {
    return blaming(kFile, [&] {
        const files::InputFile file = openPicture(context, context.graphFolder());
        const image::PictureSize size = sizeInHeader(file);
        models::PictureOutline picture = stages.outlinePicture(size.heightPixels, size.widthPixels);
        return executor::WorkOutline{
            .outputs = {{kImage, valueOutline(picture)}, {kMask, valueOutline(picture.mask)}},
            .fingerprints = {fingerprintOf(file)},
            .walk = std::move(picture.walk),
            .isOnHost = true};
    });
}

void runLoadImage(models::Stages& stages, executor::Context& context) {
    const Image8 picture = blaming(kFile, [&] {
        const files::InputFile file = openPicture(context, context.graphFolder());
        const std::string bytes = file.readAll(kLargestFile);
        return image::decodePng(std::as_bytes(std::span(bytes)), file.name()).picture;
    });
    models::PictureValues values = stages.pictureValues(picture);
    context.output(kImage, std::move(values.image));
    context.output(kMask, std::move(values.mask));
}

}  // namespace

executor::NodeType loadImageNode(models::Stages& stages) {
    return stageNode(stages, describeLoadImage(), outlineLoadImage, runLoadImage);
}

}  // namespace lowtide::nodes
