#include "plugin/image/picture_texts.hpp"

#include "plugin/image/format_reading.hpp"
#include "plugin/image/png_texts.hpp"

#include <algorithm>
#include <iterator>

namespace lowtide::image {

std::vector<PictureText> readPictureTexts(const ByteSource& source, std::string_view name) {
    PictureHeader header = readAnyHeader(source, name);
    std::vector<PictureText> texts;
    if (header.format == PictureFormat::Png) {
        texts = readPngTexts(source, name);
    }
    std::ranges::move(header.texts, std::back_inserter(texts));
    return texts;
}

}  // namespace lowtide::image
