#pragma once
// How each encoding is decoded with ATen's operators.

#include "plugin/residency/decoding/decode_by_aten.hpp"

#include <map>
#include <string_view>

namespace lowtide::residency {

/// The numbers of a part, f32, [part.count] in any shape.
using DecodingWay = at::Tensor (*)(const StoredTensors& stored);
using DecodingWays = std::map<std::string_view, DecodingWay>;  ///< by the encoding's name

void addGgmlWays(DecodingWays& ways);
void addKQuantWays(DecodingWays& ways);
void addScaledWays(DecodingWays& ways);
void addSmallFloatWays(DecodingWays& ways);
void addNormalFloatWays(DecodingWays& ways);

}  // namespace lowtide::residency
