#include "plugin/checkpoints/adapters/fused_layer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <string_view>

namespace lowtide::models {

namespace {

constexpr std::string_view kRowFactors[] = {
    "up", "w1_a", "w2_a", "difference", "on_output", "dora_scale", "magnitude"};

bool hasRowFactors(const AdapterLayer& layer) {
    const bool isHadamard = layer.kind == "hadamard" && !layer.factors.contains("t1");
    return isHadamard || layer.kind == "low_rank" || layer.kind == "difference" ||
           layer.kind == "scale";
}

/// The first rows of a tensor whose first axis that is not one has `allRows`. `what` begins errors.
bool cutRows(TensorPlace& place,
             const AdapterRows& rows,
             int64_t allRows,
             const std::string& what) {
    const auto axis = std::find_if(
        place.shape.begin(), place.shape.end(), [](int64_t size) { return size != 1; });
    if (axis == place.shape.end() || *axis != allRows) {
        return false;
    }
    place.takeRows(static_cast<size_t>(axis - place.shape.begin()), rows.first, rows.count, what);
    return true;
}

}  // namespace

AdapterLayer rowsOfLayer(const AdapterLayer& layer,
                         const AdapterRows& rows,
                         int64_t allRows,
                         const std::string& what) {
    AdapterLayer part = layer;
    if (!hasRowFactors(layer)) {
        throw Error(ErrorKind::Unsupported,
                    what + ": " + quotedName(layer.name) + " is a fused layer of kind " +
                        layer.kind + ", which cannot be parted",
                    "choose an adapter that names query, key and value");
    }
    for (auto& [name, factor] : part.factors) {
        const bool isRowFactor = std::find(std::begin(kRowFactors), std::end(kRowFactors), name) !=
                                 std::end(kRowFactors);
        if (isRowFactor) {
            // Lengths of inputs are those of all rows; they make no part's.
            const std::string key = what + ": " + quotedName(factor.key);
            if (!cutRows(factor.place, rows, allRows, key)) {
                throw Error(ErrorKind::Unsupported,
                            key + " " + toText(factor.place.shape) + " has not " +
                                std::to_string(allRows) + " rows to be parted",
                            "choose an adapter that names query, key and value");
            }
        }
    }
    return part;
}

}  // namespace lowtide::models
