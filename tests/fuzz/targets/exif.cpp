#include "plugin/image/exif.hpp"

#include "plugin/base/text.hpp"
#include "plugin/image/image_header.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/image_guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::exif_target {

namespace {

using namespace image;

constexpr size_t kLongestName = 80;

/// What was read can be written, where it fits, and is read the same.
void checkTexts(const std::vector<ImageText>& texts) {
    requireTexts(texts);
    std::string written;
    if (takes({ErrorKind::InvalidInput}, [&] { written = writeExif(texts); })) {
        requireSameTexts(texts, readExif(written).texts);
    }
}

}  // namespace

/// The same bytes as EXIF and as a colour profile, which the other formats pack or check.
bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Exif exif = readExif(text);
    require(exif.orientation >= 1 && exif.orientation <= 8, "an orientation is one of eight");
    checkTexts(exif.texts);
    const std::string name = iccName(text);
    require(!name.empty() && name.size() <= kLongestName && isValidUtf8(name),
            "a profile has a short name");
    return exif.orientation > 1 || !exif.texts.empty() || name != "unnamed";
}

[[maybe_unused]] const bool isEntered = enterTarget("exif", runInput);

}  // namespace lowtide::fuzz::exif_target
