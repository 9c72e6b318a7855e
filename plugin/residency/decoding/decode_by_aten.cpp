#include "plugin/residency/decoding/decode_by_aten.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lowtide::residency {

namespace {

struct DecodingWay {
    std::string_view encoding;
    at::Tensor (*decode)(const StoredTensors& stored);
};

constexpr DecodingWay kDecodingWays[] = {
    {"q4_0", decoding::q4_0},
    {"q4_1", decoding::q4_1},
    {"q5_0", decoding::q5_0},
    {"q5_1", decoding::q5_1},
    {"q8_0", decoding::q8_0},
    {"q2_k", decoding::q2_k},
    {"q3_k", decoding::q3_k},
    {"q4_k", decoding::q4_k},
    {"q5_k", decoding::q5_k},
    {"q6_k", decoding::q6_k},
    {"f8_e4m3", decoding::f8_e4m3},
    {"f8_e5m2", decoding::f8_e5m2},
    {"int8", decoding::int8},
    {"bnb_int8", decoding::bnb_int8},
    {"int8_convrot", decoding::int8_convrot},
    {"mxfp8", decoding::mxfp8},
    {"nvfp4", decoding::nvfp4},
    {"bnb_nf4", decoding::bnb_nf4},
};

}  // namespace

at::Tensor decodeByAten(const StoredTensors& stored) {
    const memory::Encoded& tensor = *stored.tensor;
    const auto* way = std::find_if(
        std::begin(kDecodingWays), std::end(kDecodingWays), [&](const DecodingWay& each) {
            return each.encoding == tensor.encoding;
        });
    if (way == std::end(kDecodingWays)) {
        throw Error(ErrorKind::Unsupported,
                    "the encoding " + quotedName(tensor.encoding) + " is not decoded on devices",
                    "choose a file in another encoding");
    }
    LOWTIDE_ASSERT(stored.blocks.numel() ==
                   stored.part.count / tensor.blockElements * tensor.blockBytes);
    LOWTIDE_ASSERT(stored.companions.size() == tensor.companions.size());
    return way->decode(stored).view({stored.part.count});
}

}  // namespace lowtide::residency
