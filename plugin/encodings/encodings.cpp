#include "plugin/encodings/encodings.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::encodings {

#define LOWTIDE_ENTRY(name) Encoding name();
#include "encoding_list.inc"
#undef LOWTIDE_ENTRY

std::span<const Encoding> encodings() {
    static const std::vector<Encoding> kAll = [] {
        std::vector<Encoding> all = {
#define LOWTIDE_ENTRY(name) name(),
#include "encoding_list.inc"
#undef LOWTIDE_ENTRY
        };
        std::sort(
            all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return all;
    }();
    return kAll;
}

const Encoding* findEncoding(std::string_view name) {
    const auto all = encodings();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

const Encoding& encodingOf(const memory::Encoded& tensor) {
    const Encoding* found = findEncoding(tensor.encoding);
    LOWTIDE_ASSERT(found != nullptr);
    return *found;
}

ByteRange companionRange(const memory::Encoded& tensor, size_t companion, Part part) {
    const auto range = encodingOf(tensor).companionRange;
    const memory::Companion& whole = tensor.companions[companion];
    return range ? range(tensor, companion, part) : ByteRange{0, whole.bytes()};
}

}  // namespace lowtide::encodings
