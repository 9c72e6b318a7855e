#include "ui/document/patch.hpp"

#include "ui/document/json_identity.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lowtide::ui {

namespace {

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

/// The links from `place` on that go into the same input as the one there.
std::span<const graph::Link> groupAt(const Links& links, size_t place) {
    size_t end = place;
    while (end < links.size() && links[end].to == links[place].to) {
        ++end;
    }
    return std::span(links).subspan(place, end - place);
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

/// Key by key: what is another value for another reason, a seed that a run drew, stays.
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
        const auto [place, isNew] = changes.try_emplace(key, change);
        if (isNew) {
            continue;
        }
        place->second.after = std::move(change.after);
        if (isIdentical(place->second.before, place->second.after)) {
            changes.erase(place);
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

}  // namespace lowtide::ui
