#include "plugin/residency/decoding/decode_by_aten.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/residency/decoding/decoding_ways.hpp"

#include <string>

namespace lowtide::residency {

at::Tensor decodeByAten(const StoredTensors& stored) {
    static const DecodingWays kWays = [] {
        DecodingWays ways;
        addGgmlWays(ways);
        addKQuantWays(ways);
        addScaledWays(ways);
        addSmallFloatWays(ways);
        addNormalFloatWays(ways);
        return ways;
    }();
    const std::string& name = stored.tensor->encoding;
    const auto way = kWays.find(name);
    if (way == kWays.end()) {
        throw Error(ErrorKind::Unsupported,
                    "this device has no way of decoding " + quotedName(name),
                    "choose another storage than file for this node");
    }
    return way->second(stored).view({stored.part.count});
}

}  // namespace lowtide::residency
