#include "ui/bridge/thin_report.hpp"

#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace lowtide::ui {

namespace {

bool isOfManyMoves(const std::string& what) {
    return what == "copy" || what == "evict";
}

}  // namespace

void thinReport(Json& report) {
    if (!report.is_object() || !memberIn(report, "timeline").is_array()) {
        return;
    }
    Json& timeline = report["timeline"];
    double last = 0;
    for (const Json& event : timeline) {
        last = std::max(last, numberIn(event, "t"));
    }
    if (timeline.size() <= static_cast<size_t>(kTimelineMoments) || last <= 0) {
        return;
    }
    Json thin = Json::array();
    std::map<std::tuple<std::string, std::string, int>, size_t> places;
    for (Json& event : timeline) {
        const std::string what = textIn(event, "what");
        if (!isOfManyMoves(what)) {
            thin.push_back(std::move(event));
            continue;
        }
        const double share = std::clamp(numberIn(event, "t") / last, 0.0, 1.0);
        const auto [place, isNew] = places.try_emplace(
            {what, textIn(event, "device"), static_cast<int>(share * kTimelineMoments)},
            thin.size());
        if (isNew) {
            event.erase("subject");
            thin.push_back(std::move(event));
        } else {
            Json& first = thin[place->second];
            first["bytes"] = bytesIn(first, "bytes") + bytesIn(event, "bytes");
        }
    }
    timeline = std::move(thin);
}

}  // namespace lowtide::ui
