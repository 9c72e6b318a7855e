#include "ui/document/patch.hpp"

#include "plugin/graph/document.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

namespace lowtide::ui {

namespace {

using MaybeNode = std::optional<graph::DocumentNode>;
using Links = std::vector<graph::Link>;

/// Whether two values are written as the same text: 1 and 1.0 are not, 0.0 and -0.0 are not.
bool isIdentical(const Json& a, const Json& b) {
    if (a.is_number_integer() && b.is_number_integer()) {  // signed and unsigned are written alike
        return a == b;
    }
    if (a.type() != b.type() || a.size() != b.size()) {
        return false;
    }
    if (a.is_number_float()) {
        const auto mine = a.get<double>();
        const auto theirs = b.get<double>();
        return std::bit_cast<uint64_t>(mine) == std::bit_cast<uint64_t>(theirs) ||
               (std::isnan(mine) && std::isnan(theirs));
    }
    if (a.is_structured()) {
        const auto isSame = [](const auto& mine, const auto& theirs) {
            return mine.key() == theirs.key() && isIdentical(mine.value(), theirs.value());
        };
        return std::equal(a.items().begin(), a.items().end(), b.items().begin(), isSame);
    }
    return a == b;
}

/// Whether a run of the two nodes gives the same: all but position, title and unknown keys.
bool meansTheSame(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return a.type == b.type && a.version == b.version && a.mode == b.mode &&
           isIdentical(a.params, b.params) && isIdentical(a.memory, b.memory) &&
           isIdentical(a.precision, b.precision);
}

/// Whether the nodes differ at most in their positions.
bool differsOnlyInPosition(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return meansTheSame(a, b) && a.title == b.title && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return differsOnlyInPosition(a, b) && isIdentical(a.position, b.position);
}

bool isIdentical(const MaybeNode& a, const MaybeNode& b) {
    return a.has_value() == b.has_value() && (!a || isIdentical(*a, *b));
}

bool isIdentical(const graph::Link& a, const graph::Link& b) {
    return a.from == b.from && a.to == b.to && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::ExposedParam& a, const graph::ExposedParam& b) {
    return a.node == b.node && a.param == b.param && a.label == b.label &&
           isIdentical(a.extra, b.extra);
}

bool isIdentical(const DocumentSettings& a, const DocumentSettings& b) {
    return a == b;
}

/// The same of lists, entry by entry.
template <class Entry>
bool isIdentical(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    return std::ranges::equal(
        a, b, [](const Entry& mine, const Entry& theirs) { return isIdentical(mine, theirs); });
}

/// Of a document that is written or read.
auto settingsIn(auto& document) {
    return std::tie(document.memoryBudget,
                    document.device,
                    document.collectionThreshold,
                    document.lowMemory,
                    document.isExact,
                    document.until);
}

void findNodes(Patch& patch, const graph::Document& before, const graph::Document& after) {
    for (const auto& [id, node] : before.nodes) {
        const auto now = after.nodes.find(id);
        if (now == after.nodes.end()) {
            patch.nodes[id] = {.before = node, .after = {}};
        } else if (!isIdentical(node, now->second)) {
            patch.nodes[id] = {.before = node, .after = now->second};
        }
    }
    for (const auto& [id, node] : after.nodes) {
        if (!before.nodes.contains(id)) {
            patch.nodes[id] = {.before = {}, .after = node};
        }
    }
}

Links linksInto(const Links& links, const graph::PortRef& to) {
    const auto found = std::ranges::equal_range(links, to, {}, &graph::Link::to);
    return {found.begin(), found.end()};
}

void findLinks(Patch& patch, const Links& before, const Links& after) {
    if (isIdentical(before, after)) {
        return;
    }
    for (const Links* side : {&before, &after}) {
        for (const graph::Link& link : *side) {
            const Links old = linksInto(before, link.to);
            const Links now = linksInto(after, link.to);
            if (!isIdentical(old, now)) {
                patch.links[link.to] = {.before = old, .after = now};
            }
        }
    }
}

template <class Value>
void findChange(std::optional<Change<Value>>& change, const Value& before, const Value& after) {
    if (!isIdentical(before, after)) {
        change = {before, after};
    }
}

template <class Value>
const Value& sideOf(const Change<Value>& change, Direction direction) {
    return direction == Direction::Forward ? change.after : change.before;
}

template <class Value>
void putSide(auto&& now, const std::optional<Change<Value>>& change, Direction direction) {
    if (change) {
        now = sideOf(*change, direction);
    }
}

void replaceLinks(graph::Document& document, const Patch& patch, Direction direction) {
    std::erase_if(document.links,
                  [&](const graph::Link& link) { return patch.links.contains(link.to); });
    for (const auto& [to, change] : patch.links) {
        const Links& links = sideOf(change, direction);
        document.links.insert(document.links.end(), links.begin(), links.end());
    }
    sortLinks(document);
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

bool isOnlyLooks(const Patch& patch) {
    return !patch.exposed && !patch.settings &&
           std::all_of(patch.nodes.begin(),
                       patch.nodes.end(),
                       [](const auto& entry) {
                           const auto& [before, after] = entry.second;
                           return before && after && meansTheSame(*before, *after);
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
    return nodes.empty() && links.empty() && !exposed && !frames && !notes && !groups &&
           !settings && !extra;
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
    findChange(patch.groups, before.groups, after.groups);
    findChange<DocumentSettings>(patch.settings, settingsIn(before), settingsIn(after));
    findChange(patch.extra, before.extra, after.extra);
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
    putSide(document.exposed, patch.exposed, direction);
    putSide(document.frames, patch.frames, direction);
    putSide(document.notes, patch.notes, direction);
    putSide(document.groups, patch.groups, direction);
    putSide(settingsIn(document), patch.settings, direction);
    putSide(document.extra, patch.extra, direction);
}

void append(Patch& patch, Patch next) {
    appendMap(patch.nodes, std::move(next.nodes));
    appendMap(patch.links, std::move(next.links));
    appendOne(patch.exposed, std::move(next.exposed));
    appendOne(patch.frames, std::move(next.frames));
    appendOne(patch.notes, std::move(next.notes));
    appendOne(patch.groups, std::move(next.groups));
    appendOne(patch.settings, std::move(next.settings));
    appendOne(patch.extra, std::move(next.extra));
}

bool Delta::isEmpty() const {
    return added.empty() && removed.empty() && changed.empty() && moved.empty() && !links &&
           !frames && !notes && !groups && !exposed && !settings && !reset;
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
    delta.groups = patch.groups.has_value();
    delta.exposed = patch.exposed.has_value();
    delta.settings = patch.settings || patch.extra;
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
    delta.groups |= next.groups;
    delta.exposed |= next.exposed;
    delta.settings |= next.settings;
    delta.onlyLooks &= next.onlyLooks;
}

}  // namespace lowtide::ui
