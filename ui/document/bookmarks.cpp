#include "ui/document/bookmarks.hpp"

#include "ui/document/canvas_json.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr const char* kBookmarks = "bookmarks";
constexpr const char* kCentre = "centre";
constexpr const char* kZoom = "zoom";

}  // namespace

std::optional<ViewPlace> bookmarkOf(const graph::Document& document, int number) {
    const Json& entry =
        memberIn(memberIn(document.extra, kBookmarks), std::to_string(number).c_str());
    const std::optional<Point> centre = pointFrom(memberIn(entry, kCentre));
    const Json& zoom = memberIn(entry, kZoom);
    if (!centre || !zoom.is_number() || !(zoom.get<double>() > 0)) {
        return std::nullopt;
    }
    return ViewPlace{*centre, zoom.get<double>()};
}

void setBookmark(graph::Document& document, int number, const ViewPlace& place) {
    Json& all = document.extra[kBookmarks];
    if (!all.is_object()) {
        all = Json::object();
    }
    const Point whole{std::round(place.centre.x), std::round(place.centre.y)};
    all[std::to_string(number)] = {{kCentre, jsonOf(whole)},
                                   {kZoom, std::round(place.zoom * 1000) / 1000}};
}

}  // namespace lowtide::ui
