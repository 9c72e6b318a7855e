#include "ui/document/patch.hpp"

#include "plugin/graph/document.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

namespace lowtide::ui {

namespace {

/// Whether two values are written as the same text: 1 and 1.0 are not, 0.0 and -0.0 are not.
[[nodiscard]] bool isIdentical(const Json& a, const Json& b);
[[nodiscard]] bool isIdentical(const graph::DocumentNode& a, const graph::DocumentNode& b);
[[nodiscard]] bool isIdentical(const graph::Link& a, const graph::Link& b);
[[nodiscard]] bool isIdentical(const graph::ExposedParam& a, const graph::ExposedParam& b);

/// Whether a run of the two nodes gives the same: all but position, title and unknown keys.
[[nodiscard]] bool meansTheSame(const graph::DocumentNode& a, const graph::DocumentNode& b);
/// Whether the nodes differ at most in their positions.
[[nodiscard]] bool differsOnlyInPosition(const graph::DocumentNode& a,
                                         const graph::DocumentNode& b);

/// The same of lists, entry by entry.
template <class Entry>
[[nodiscard]] bool isIdentical(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (size_t index = 0; index < a.size(); ++index) {
        if (!isIdentical(a[index], b[index])) {
            return false;
        }
    }
    return true;
}

bool isIdenticalNumber(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

bool isIdenticalObject(const Json& a, const Json& b) {
    return a.size() == b.size() && std::equal(a.items().begin(),
                                              a.items().end(),
                                              b.items().begin(),
                                              [](const auto& mine, const auto& theirs) {
                                                  return mine.key() == theirs.key() &&
                                                         isIdentical(mine.value(), theirs.value());
                                              });
}

bool isIdentical(const Json& a, const Json& b) {
    if (a.is_number_integer() && b.is_number_integer()) {  // signed and unsigned are written alike
        return a == b;
    }
    if (a.type() != b.type()) {
        return false;
    }
    if (a.is_number_float()) {
        return isIdenticalNumber(a.get<double>(), b.get<double>());
    }
    if (a.is_object()) {
        return isIdenticalObject(a, b);
    }
    if (a.is_array()) {
        return std::equal(
            a.begin(), a.end(), b.begin(), b.end(), [](const Json& mine, const Json& theirs) {
                return isIdentical(mine, theirs);
            });
    }
    return a == b;
}

bool meansTheSame(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return a.type == b.type && a.version == b.version && a.mode == b.mode &&
           isIdentical(a.params, b.params) && isIdentical(a.memory, b.memory) &&
           isIdentical(a.precision, b.precision);
}

bool differsOnlyInPosition(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return meansTheSame(a, b) && a.title == b.title && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return differsOnlyInPosition(a, b) && isIdentical(a.position, b.position);
}

bool isIdentical(const graph::Link& a, const graph::Link& b) {
    return a.from == b.from && a.to == b.to && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::ExposedParam& a, const graph::ExposedParam& b) {
    return a.node == b.node && a.param == b.param && a.label == b.label &&
           isIdentical(a.extra, b.extra);
}

using MaybeNode = std::optional<graph::DocumentNode>;
using Links = std::vector<graph::Link>;

bool isIdentical(const MaybeNode& a, const MaybeNode& b) {
    return a.has_value() == b.has_value() && (!a || ui::isIdentical(*a, *b));
}

bool isIdentical(const DocumentSettings& a, const DocumentSettings& b) {
    return a.memoryBudget == b.memoryBudget && a.device == b.device &&
           a.collectionThreshold == b.collectionThreshold && a.lowMemory == b.lowMemory &&
           a.isExact == b.isExact && a.until == b.until && ui::isIdentical(a.extra, b.extra);
}

using ui::isIdentical;

DocumentSettings settingsOf(const graph::Document& document) {
    return {.memoryBudget = document.memoryBudget,
            .device = document.device,
            .collectionThreshold = document.collectionThreshold,
            .lowMemory = document.lowMemory,
            .isExact = document.isExact,
            .until = document.until,
            .extra = document.extra};
}

void putSettings(graph::Document& document, const DocumentSettings& settings) {
    document.memoryBudget = settings.memoryBudget;
    document.device = settings.device;
    document.collectionThreshold = settings.collectionThreshold;
    document.lowMemory = settings.lowMemory;
    document.isExact = settings.isExact;
    document.until = settings.until;
    document.extra = settings.extra;
}

/// The links from `first` on that go into the same input as the one there.
std::span<const graph::Link> groupAt(const Links& links, size_t first) {
    size_t end = first;
    while (end < links.size() && links[end].to == links[first].to) {
        ++end;
    }
    return std::span(links).subspan(first, end - first);
}

Links copyOf(std::span<const graph::Link> links) {
    return {links.begin(), links.end()};
}

void findNodes(Patch& patch, const graph::Document& before, const graph::Document& after) {
    auto old = before.nodes.begin();
    auto now = after.nodes.begin();
    while (old != before.nodes.end() || now != after.nodes.end()) {
        if (now == after.nodes.end() || (old != before.nodes.end() && old->first < now->first)) {
            patch.nodes[old->first] = {.before = old->second, .after = {}};
            ++old;
        } else if (old == before.nodes.end() || now->first < old->first) {
            patch.nodes[now->first] = {.before = {}, .after = now->second};
            ++now;
        } else {
            if (!isIdentical(old->second, now->second)) {
                patch.nodes[old->first] = {.before = old->second, .after = now->second};
            }
            ++old;
            ++now;
        }
    }
}

void findLinks(Patch& patch, const Links& before, const Links& after) {
    size_t old = 0;
    size_t now = 0;
    while (old < before.size() || now < after.size()) {
        const bool isGone =
            now == after.size() || (old < before.size() && before[old].to < after[now].to);
        const bool isNew = !isGone && (old == before.size() || after[now].to < before[old].to);
        const auto mine = isNew ? std::span<const graph::Link>() : groupAt(before, old);
        const auto theirs = isGone ? std::span<const graph::Link>() : groupAt(after, now);
        const bool isSame =
            std::equal(mine.begin(),
                       mine.end(),
                       theirs.begin(),
                       theirs.end(),
                       [](const auto& a, const auto& b) { return isIdentical(a, b); });
        if (!isSame) {
            patch.links[isNew ? after[now].to : before[old].to] = {.before = copyOf(mine),
                                                                   .after = copyOf(theirs)};
        }
        old += mine.size();
        now += theirs.size();
    }
}

template <class Value>
void findChange(std::optional<Change<Value>>& change, const Value& before, const Value& after) {
    if (!isIdentical(before, after)) {
        change = {before, after};
    }
}

void replaceLinks(graph::Document& document, const Patch& patch, Direction direction) {
    if (patch.links.empty()) {
        return;
    }
    Links links;
    links.reserve(document.links.size() + patch.links.size());
    auto next = patch.links.begin();
    const auto takeChanged = [&] {
        const Links& changed =
            direction == Direction::Forward ? next->second.after : next->second.before;
        links.insert(links.end(), changed.begin(), changed.end());
        ++next;
    };
    for (graph::Link& link : document.links) {
        while (next != patch.links.end() && next->first < link.to) {
            takeChanged();
        }
        if (!patch.links.contains(link.to)) {
            links.push_back(std::move(link));
        }
    }
    while (next != patch.links.end()) {
        takeChanged();
    }
    document.links = std::move(links);
}

template <class Value>
const Value& sideOf(const Change<Value>& change, Direction direction) {
    return direction == Direction::Forward ? change.after : change.before;
}

template <class Field>
void putField(Field& now, const Field& from, const Field& to) {
    if (!(from == to)) {
        now = to;
    }
}

void putJson(Json& now, const Json& from, const Json& to) {
    if (!isIdentical(from, to)) {
        now = to;
    }
}

/// Key by key: a value that differs for another reason, a seed that a run drew, is kept.
void putParams(Json& now, const Json& from, const Json& to) {
    if (!now.is_object() || !from.is_object() || !to.is_object()) {
        putJson(now, from, to);
        return;
    }
    for (const auto& [key, value] : from.items()) {
        if (!to.contains(key)) {
            now.erase(key);
        }
    }
    for (const auto& [key, value] : to.items()) {
        if (!from.contains(key) || !isIdentical(from.at(key), value)) {
            now[key] = value;
        }
    }
}

void putNode(graph::DocumentNode& now,
             const graph::DocumentNode& from,
             const graph::DocumentNode& to) {
    putField(now.type, from.type, to.type);
    putField(now.version, from.version, to.version);
    putParams(now.params, from.params, to.params);
    putJson(now.memory, from.memory, to.memory);
    putJson(now.precision, from.precision, to.precision);
    putJson(now.position, from.position, to.position);
    putField(now.title, from.title, to.title);
    putField(now.mode, from.mode, to.mode);
    putJson(now.extra, from.extra, to.extra);
}

Direction reverseOf(Direction direction) {
    return direction == Direction::Forward ? Direction::Back : Direction::Forward;
}

template <class Key, class Value>
void appendMap(std::map<Key, Change<Value>>& changes, std::map<Key, Change<Value>> next) {
    for (auto& [key, change] : next) {
        const auto [entry, isNew] = changes.try_emplace(key, change);
        if (isNew) {
            continue;
        }
        entry->second.after = std::move(change.after);
        if (isIdentical(entry->second.before, entry->second.after)) {
            changes.erase(entry);
        }
    }
}

template <class Value>
void appendOne(std::optional<Change<Value>>& change, std::optional<Change<Value>> next) {
    if (!next || !change) {
        change = next ? std::move(next) : std::move(change);
        return;
    }
    change->after = std::move(next->after);
    if (isIdentical(change->before, change->after)) {
        change.reset();
    }
}

bool leadsTheSameWay(const std::vector<graph::Link>& a, const std::vector<graph::Link>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.from == y.from && x.to == y.to;
    });
}

bool meansTheSame(const DocumentSettings& a, const DocumentSettings& b) {
    return a.memoryBudget == b.memoryBudget && a.device == b.device &&
           a.collectionThreshold == b.collectionThreshold && a.lowMemory == b.lowMemory &&
           a.isExact == b.isExact && a.until == b.until;
}

bool isOnlyLooks(const Patch& patch) {
    return !patch.exposed &&
           (!patch.settings || meansTheSame(patch.settings->before, patch.settings->after)) &&
           std::all_of(patch.nodes.begin(),
                       patch.nodes.end(),
                       [](const auto& entry) {
                           const auto& [before, after] = entry.second;
                           return before && after && ui::meansTheSame(*before, *after);
                       }) &&
           std::all_of(patch.links.begin(), patch.links.end(), [](const auto& entry) {
               return leadsTheSameWay(entry.second.before, entry.second.after);
           });
}

void addNodes(Delta& delta, const Delta& next) {
    for (const std::string& id : next.added) {
        // What was removed and is there again is a changed node for those who still show it.
        (delta.removed.erase(id) > 0 ? delta.changed : delta.added).insert(id);
    }
    for (const std::string& id : next.removed) {
        delta.changed.erase(id);
        delta.moved.erase(id);
        if (delta.added.erase(id) == 0) {
            delta.removed.insert(id);
        }
    }
    for (const std::string& id : next.changed) {
        if (!delta.added.contains(id)) {
            delta.moved.erase(id);
            delta.changed.insert(id);
        }
    }
    for (const std::string& id : next.moved) {
        if (!delta.added.contains(id) && !delta.changed.contains(id)) {
            delta.moved.insert(id);
        }
    }
}

}  // namespace

bool Patch::isEmpty() const {
    return nodes.empty() && links.empty() && !exposed && !frames && !notes && !settings;
}

void sortLinks(graph::Document& document) {
    const auto comesFirst = [](const graph::Link& a, const graph::Link& b) {
        return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    };
    if (!std::is_sorted(document.links.begin(), document.links.end(), comesFirst)) {
        std::stable_sort(document.links.begin(), document.links.end(), comesFirst);
    }
}

Patch patchBetween(const graph::Document& before, const graph::Document& after) {
    Patch patch;
    findNodes(patch, before, after);
    findLinks(patch, before.links, after.links);
    findChange(patch.exposed, before.exposed, after.exposed);
    findChange(patch.frames, before.frames, after.frames);
    findChange(patch.notes, before.notes, after.notes);
    findChange(patch.settings, settingsOf(before), settingsOf(after));
    return patch;
}

void applyPatch(graph::Document& document, const Patch& patch, Direction direction) {
    for (const auto& [id, change] : patch.nodes) {
        const MaybeNode& node = sideOf(change, direction);
        const MaybeNode& before = sideOf(change, reverseOf(direction));
        const auto now = document.nodes.find(id);
        if (node && before && now != document.nodes.end()) {
            putNode(now->second, *before, *node);
        } else if (node) {
            document.nodes.insert_or_assign(id, *node);
        } else {
            document.nodes.erase(id);
        }
    }
    replaceLinks(document, patch, direction);
    if (patch.exposed) {
        document.exposed = sideOf(*patch.exposed, direction);
    }
    if (patch.frames) {
        document.frames = sideOf(*patch.frames, direction);
    }
    if (patch.notes) {
        document.notes = sideOf(*patch.notes, direction);
    }
    if (patch.settings) {
        putSettings(document, sideOf(*patch.settings, direction));
    }
}

void append(Patch& patch, Patch next) {
    appendMap(patch.nodes, std::move(next.nodes));
    appendMap(patch.links, std::move(next.links));
    appendOne(patch.exposed, std::move(next.exposed));
    appendOne(patch.frames, std::move(next.frames));
    appendOne(patch.notes, std::move(next.notes));
    appendOne(patch.settings, std::move(next.settings));
}

bool Delta::isEmpty() const {
    return added.empty() && removed.empty() && changed.empty() && moved.empty() && !links &&
           !frames && !notes && !exposed && !settings && !reset;
}

bool Delta::changesMeaning() const {
    return reset || (!onlyLooks && (!added.empty() || !removed.empty() || !changed.empty() ||
                                    links || exposed || settings));
}

Delta deltaOf(const Patch& patch, Direction direction) {
    Delta delta;
    for (const auto& [id, change] : patch.nodes) {
        const bool isForward = direction == Direction::Forward;
        if (!change.before) {
            (isForward ? delta.added : delta.removed).insert(id);
        } else if (!change.after) {
            (isForward ? delta.removed : delta.added).insert(id);
        } else {
            (differsOnlyInPosition(*change.before, *change.after) ? delta.moved : delta.changed)
                .insert(id);
        }
    }
    delta.links = !patch.links.empty();
    delta.frames = patch.frames.has_value();
    delta.notes = patch.notes.has_value();
    delta.exposed = patch.exposed.has_value();
    delta.settings = patch.settings.has_value();
    delta.onlyLooks = isOnlyLooks(patch);
    return delta;
}

void append(Delta& delta, const Delta& next) {
    if (next.reset || delta.isEmpty()) {
        delta = next;
        return;
    }
    addNodes(delta, next);
    delta.links |= next.links;
    delta.frames |= next.frames;
    delta.notes |= next.notes;
    delta.exposed |= next.exposed;
    delta.settings |= next.settings;
    delta.onlyLooks &= next.onlyLooks;
}

}  // namespace lowtide::ui
