#include "ui/bridge/json_store.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

Json merged(const Json& base, const Json& mine, const Json& theirs);

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

/// Of objects member by member, of lists of texts what either added or took away. Where both
/// changed one value, mine stands.
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

constexpr int kLockMilliseconds = 5000;

}  // namespace

StoreLock::StoreLock(const QString& path) : lock_(path + QStringLiteral(".lock")) {
    files::makeFolders(files::folderOf(path.toStdString()));
    static_cast<void>(lock_.tryLock(kLockMilliseconds));
}

JsonStore::JsonStore(QString path, const char* what, Bytes most, int indent)
    : path_(std::move(path)), what_(what), most_(most), indent_(indent) {}

Json JsonStore::read() const {
    return parseJson(files::InputFile(path_.toStdString()).readAll(most_), what_);
}

void JsonStore::write(Json mine, Accepts accepts, Failed failed, std::function<void()> done) {
    const std::lock_guard lock(asking_);
    waiting_ = Writing{std::move(mine), std::move(accepts), std::move(failed), std::move(done)};
    background_.run([this, number = ++newest_]() -> Background::Answer {
        const std::optional<Writing> writing = taken(number);
        return writing ? write(*writing) : Background::Answer();
    });
}

std::optional<JsonStore::Writing> JsonStore::taken(int number) {
    const std::lock_guard lock(asking_);
    return number == newest_ ? std::exchange(waiting_, std::nullopt) : std::nullopt;
}

Background::Answer JsonStore::write(const Writing& writing) {
    try {
        const StoreLock lock(path_);
        Json theirs = known_;
        try {
            theirs = read();
        } catch (const Error&) {  // nobody else has written it
        }
        const Json json = merged(known_, writing.mine, theirs);
        if (writing.accepts && !writing.accepts(json)) {
            return [failed = writing.failed] { failed(nullptr); };
        }
        files::writeFileAtomically(
            path_.toStdString(),
            json.dump(indent_, ' ', false, Json::error_handler_t::replace) + "\n");
        known_ = writing.mine;
        return writing.done;
    } catch (const Error& error) {
        return [failed = writing.failed, error] { failed(&error); };
    }
}

}  // namespace lowtide::ui
