#include "ui/document/canvas_json.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kFarthest = 1e7;  // canvas units; a scene counts in doubles, painters do not

Json numberOf(double value) {
    const double near = std::isfinite(value) ? std::clamp(value, -kFarthest, kFarthest) : 0;
    return near == std::trunc(near) ? Json(static_cast<int64_t>(near)) : Json(near);
}

}  // namespace

std::optional<Point> pointFrom(const Json& json) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
        return std::nullopt;
    }
    return Point{std::clamp(json[0].get<double>(), -kFarthest, kFarthest),
                 std::clamp(json[1].get<double>(), -kFarthest, kFarthest)};
}

Json jsonOf(Point point) {
    return Json::array({numberOf(point.x), numberOf(point.y)});
}

void setFlag(Json& object, const char* key, bool isSet) {
    if (isSet) {
        object[key] = true;
    } else {
        object.erase(key);
    }
}

}  // namespace lowtide::ui
