#include "plugin/interop/report.hpp"

namespace lowtide::interop {

namespace {

Json entryJson(const ReportEntry& entry) {
    const bool isNode = entry.kind == "node";
    Json json = {{"kind", entry.kind}, {isNode ? "class" : "name", entry.name}};
    if (!entry.id.empty()) {
        json["id"] = entry.id;
    }
    if (!entry.title.empty()) {
        json["title"] = entry.title;
    }
    if (!entry.url.empty()) {
        json["url"] = entry.url;
    }
    if (!entry.why.empty()) {
        putMessages(json, "why", entry.why);
    }
    return json;
}

Json entriesJson(const std::vector<ReportEntry>& entries) {
    Json list = Json::array();
    for (const ReportEntry& entry : entries) {
        list.push_back(entryJson(entry));
    }
    return list;
}

}  // namespace

Json toJson(const ImportReport& report) {
    return {{"source", report.source},
            {"exact", entriesJson(report.exact)},
            {"near", entriesJson(report.near)},
            {"missing", entriesJson(report.missing)},
            {"left_out", entriesJson(report.leftOut)},
            {"runs", report.runs}};
}

}  // namespace lowtide::interop
