#include "plugin/encodings/encodings.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::encodings {

Encoding q4_0();
Encoding q4_1();
Encoding q5_0();
Encoding q5_1();
Encoding q8_0();
Encoding q2_k();
Encoding q3_k();
Encoding q4_k();
Encoding q5_k();
Encoding q6_k();
Encoding f8_e4m3();
Encoding f8_e5m2();
Encoding int8();
Encoding int8_convrot();
Encoding mxfp8();
Encoding nvfp4();
Encoding bnb_int8();
Encoding bnb_nf4();

std::span<const Encoding> encodings() {
    static const std::vector<Encoding> kAll = [] {
        std::vector<Encoding> all = {q4_0(),
                                     q4_1(),
                                     q5_0(),
                                     q5_1(),
                                     q8_0(),
                                     q2_k(),
                                     q3_k(),
                                     q4_k(),
                                     q5_k(),
                                     q6_k(),
                                     f8_e4m3(),
                                     f8_e5m2(),
                                     int8(),
                                     int8_convrot(),
                                     mxfp8(),
                                     nvfp4(),
                                     bnb_int8(),
                                     bnb_nf4()};
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
