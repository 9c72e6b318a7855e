#include "plugin/checkpoints/upscalers/upscaler_type.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/known_names.hpp"
#include "plugin/checkpoints/weight_file.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

const UpscalerType& rrdb();

namespace {

[[noreturn]] void refuseUpscaler(const WeightMap& map) {
    std::vector<std::string> seen;
    for (const auto& [name, place] : map.tensors) {
        seen.push_back(quotedName(name));
    }
    std::vector<std::string> built;
    for (const UpscalerType* type : upscalerTypes()) {
        built.push_back(type->name);
    }
    constexpr size_t kShownNames = 3;
    if (const auto known = knownByNames(map); known && known->kind == kUpscaler) {
        throw Error(ErrorKind::Unsupported,
                    map.what + " is an upscaler of the construction " + known->family +
                        ", which is not built: " + join(built, ", ") + " is",
                    "choose an ESRGAN or Real-ESRGAN file");
    }
    throw Error(ErrorKind::Unsupported,
                map.what + " holds no upscaler that is built (" + join(built, ", ") + "): it has " +
                    (seen.empty() ? "no tensors" : "the tensors " + listSome(seen, kShownNames)),
                "choose an ESRGAN or Real-ESRGAN file");
}

}  // namespace

std::span<const UpscalerType* const> upscalerTypes() {
    static const std::vector<const UpscalerType*> kTypes = {&rrdb()};
    return kTypes;
}

std::shared_ptr<const Upscaler> openUpscaler(const std::string& path, const std::string& name) {
    const WeightMap map = openWeightFile(path).map;
    const auto all = upscalerTypes();
    const auto type = std::find_if(
        all.begin(), all.end(), [&](const UpscalerType* known) { return known->detect(map); });
    if (type == all.end()) {
        refuseUpscaler(map);
    }
    return (*type)->open(map, name);
}

}  // namespace lowtide::models
