#include "plugin/graph/graph_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_texts.hpp"
#include "plugin/video/video_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace lowtide::graph {

namespace {

/// Ten thousand nodes take about 6 MiB.
constexpr Bytes kLargestGraph = 32 * kMiB;
constexpr std::string_view kGraphKey = "lowtide_graph";

using Texts = std::vector<image::PictureText>;

std::vector<std::byte> beginOf(const files::InputFile& file) {
    std::vector<std::byte> begin(static_cast<size_t>(std::min<Bytes>(
        file.identity().size,
        static_cast<Bytes>(std::max(image::kPictureBeginBytes, video::kVideoBeginBytes)))));
    file.read(begin, 0);
    return begin;
}

Texts textsOfPicture(const files::InputFile& file) {
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    return image::readPictureTexts(source, file.name());
}

std::string graphWithin(const Texts& texts, const std::string& file) {
    const auto text = std::ranges::find(texts, kGraphKey, &image::PictureText::key);
    if (text == texts.end()) {
        throw Error(ErrorKind::NotFound,
                    file + " carries no graph",
                    "only pictures and videos that this program saved carry one; other programs "
                    "often drop it");
    }
    return text->text;
}

}  // namespace

std::string readGraphText(const files::InputFile& file) {
    const std::vector<std::byte> begin = beginOf(file);
    const std::string name = quotedName(file.name());
    if (video::beginsAsVideo(begin)) {
        return graphWithin(video::readVideoHeader(file, "").texts, "the video " + name);
    }
    return image::beginsAsPicture(begin) ? graphWithin(textsOfPicture(file), "the picture " + name)
                                         : file.readAll(kLargestGraph);
}

}  // namespace lowtide::graph
