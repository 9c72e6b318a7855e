#include "ui/bridge/json_merge.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace lowtide::ui {

namespace {

bool isTextList(const Json& json) {
    return json.is_array() &&
           std::all_of(json.begin(), json.end(), [](const Json& each) { return each.is_string(); });
}

bool holds(const Json& list, const Json& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Mine in my order, without what they took away; then what they added.
Json mergedLists(const Json& base, const Json& mine, const Json& theirs) {
    Json list = Json::array();
    for (const Json& each : mine) {
        if (!holds(base, each) || holds(theirs, each)) {
            list.push_back(each);
        }
    }
    for (const Json& each : theirs) {
        if (!holds(base, each) && !holds(list, each)) {
            list.push_back(each);
        }
    }
    return list;
}

/// A member that is not there is null; null members go.
const Json& memberOr(const Json& object, const std::string& key) {
    static const Json nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

Json mergedObjects(const Json& base, const Json& mine, const Json& theirs) {
    std::set<std::string> keys;
    for (const Json* each : {&mine, &theirs}) {
        for (const auto& [key, value] : each->items()) {
            keys.insert(key);
        }
    }
    Json object = Json::object();
    for (const std::string& key : keys) {
        Json value = merged(memberOr(base, key), memberOr(mine, key), memberOr(theirs, key));
        if (!value.is_null()) {
            object[key] = std::move(value);
        }
    }
    return object;
}

}  // namespace

Json merged(const Json& base, const Json& mine, const Json& theirs) {
    if (mine == base || mine == theirs) {
        return theirs;
    }
    if (theirs == base) {
        return mine;
    }
    const Json none = base.is_null() ? (mine.is_array() ? Json::array() : Json::object()) : base;
    if (none.is_object() && mine.is_object() && theirs.is_object()) {
        return mergedObjects(none, mine, theirs);
    }
    if (isTextList(none) && isTextList(mine) && isTextList(theirs)) {
        return mergedLists(none, mine, theirs);
    }
    return mine;
}

}  // namespace lowtide::ui
