#include "ui/document/json_identity.hpp"
#include "ui/document/patch.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

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
