#include "plugin/graph/graph_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_texts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace lowtide::graph {

namespace {

/// Ten thousand nodes take about 6 MiB.
constexpr Bytes kLargestGraph = 32 * kMiB;
constexpr std::string_view kGraphKey = "lowtide_graph";

bool isPictureFile(const files::InputFile& file) {
    std::array<std::byte, image::kPictureBeginBytes> begin{};
    const auto there = std::min<Bytes>(file.identity().size, begin.size());
    const std::span seen = std::span(begin).first(static_cast<size_t>(there));
    file.read(seen, 0);
    return image::beginsAsPicture(seen);
}

std::string graphWithin(const files::InputFile& file) {
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    const std::vector<image::PictureText> texts = image::readPictureTexts(source, file.name());
    const auto text = std::ranges::find(texts, kGraphKey, &image::PictureText::key);
    if (text == texts.end()) {
        throw Error(ErrorKind::NotFound,
                    "the picture " + quotedName(file.name()) + " carries no graph",
                    "only pictures that this program saved carry one; other programs often drop "
                    "it");
    }
    return text->text;
}

}  // namespace

std::string readGraphText(const files::InputFile& file) {
    return isPictureFile(file) ? graphWithin(file) : file.readAll(kLargestGraph);
}

}  // namespace lowtide::graph
