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

/// A file by its name a picture or a video, by its bytes neither, nor the begin of an object.
void refuseBroken(const files::InputFile& file, std::span<const std::byte> begin) {
    if (!image::hasPictureName(file.name()) && !video::hasVideoName(file.name())) {
        return;
    }
    constexpr std::string_view kBlank = " \t\r\n\xEF\xBB\xBF";
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const size_t first = text.find_first_not_of(kBlank);
    if (first != std::string_view::npos && text[first] == '{') {
        return;
    }
    throw Error(ErrorKind::Corrupt,
                quotedName(file.name()) + " is no usable picture or video: " +
                    (begin.empty() ? "it is empty" : "it does not begin as one"),
                "copy it again from where it came, or choose another file");
}

}  // namespace

std::string readGraphText(const files::InputFile& file) {
    const std::vector<std::byte> begin = beginOf(file);
    const std::string name = quotedName(file.name());
    if (video::beginsAsVideo(begin)) {
        return graphWithin(video::readVideoHeader(file, "").texts, "the video " + name);
    }
    if (image::beginsAsPicture(begin)) {
        return graphWithin(textsOfPicture(file), "the picture " + name);
    }
    refuseBroken(file, begin);
    return file.readAll(kLargestGraph);
}

}  // namespace lowtide::graph
