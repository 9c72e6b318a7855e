#include "nodes/denoise/placed_entries.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::nodes {

namespace {

std::optional<models::LatentArea> areaOn(const Canvas& canvas,
                                         const tensor::PictureArea& area,
                                         const char* item) {
    models::LatentArea place{
        .y = area.yPixels / canvas.downsampling,
        .x = area.xPixels / canvas.downsampling,
        .height = std::max<int64_t>(area.heightPixels / canvas.downsampling, 1),
        .width = std::max<int64_t>(area.widthPixels / canvas.downsampling, 1)};
    if (place.y >= canvas.height || place.x >= canvas.width) {
        throw Error(ErrorKind::InvalidInput,
                    message("the area at {}, {} lies outside the picture of {} x {} pixels",
                            area.xPixels,
                            area.yPixels,
                            canvas.width * canvas.downsampling,
                            canvas.height * canvas.downsampling),
                    message("move the area into the picture"),
                    item);
    }
    place.height = std::min(place.height, canvas.height - place.y);
    place.width = std::min(place.width, canvas.width - place.x);
    const models::LatentArea whole{.y = 0, .x = 0, .height = canvas.height, .width = canvas.width};
    return place == whole ? std::nullopt : std::optional(place);
}

/// The prompt of `side` that answers for `area`: the one on the smallest area around it, else the
/// first one of the whole picture.
const PlacedEntry* smallestAround(const models::LatentArea& area,
                                  const std::vector<PlacedEntry>& side) {
    const PlacedEntry* smallest = nullptr;
    for (const PlacedEntry& entry : side) {
        if (!entry.area) {
            smallest = smallest ? smallest : &entry;
            continue;
        }
        if (!entry.area->contains(area)) {
            continue;
        }
        const auto sizeOf = [](const models::LatentArea& place) {
            return place.height * place.width;
        };
        if (!smallest || !smallest->area || sizeOf(*smallest->area) > sizeOf(*entry.area)) {
            smallest = &entry;
        }
    }
    return smallest;
}

void addCounterpart(const PlacedEntry& entry, std::vector<PlacedEntry>& side) {
    if (!entry.area) {
        return;
    }
    const PlacedEntry* found = smallestAround(*entry.area, side);
    if (!found || found->area == entry.area) {
        return;
    }
    PlacedEntry answer = entry;
    answer.prompt = found->prompt;
    answer.tokens = found->tokens;
    side.push_back(answer);
}

bool fitTogether(const PlacedEntry& a, const PlacedEntry& b) {
    const bool haveOneSize =
        a.area.has_value() == b.area.has_value() &&
        (!a.area || (a.area->height == b.area->height && a.area->width == b.area->width));
    return haveOneSize && a.tokens == b.tokens;
}

std::vector<const PlacedEntry*> speaking(const std::vector<PlacedEntry>& side,
                                         double timestep,
                                         const sampling::TimeAt& timeAt) {
    std::vector<const PlacedEntry*> found;
    for (const PlacedEntry& entry : side) {
        if (speaksAt(entry, timestep, timeAt)) {
            found.push_back(&entry);
        }
    }
    return found;
}

}  // namespace

std::vector<PlacedEntry> placed(const models::ConditioningOutline& conditioning,
                                const Canvas& canvas,
                                const char* item) {
    std::vector<PlacedEntry> result;
    for (const models::EntryOutline& entry : conditioning.entries()) {
        const tensor::ConditioningScope& scope = entry.scope;
        result.push_back({.prompt = result.size(),
                          .tokens = conditioning.tokensOf(entry),
                          .area = scope.area ? areaOn(canvas, *scope.area, item) : std::nullopt,
                          .strength = scope.strength,
                          .start = scope.start,
                          .end = scope.end});
    }
    return result;
}

void addCounterparts(std::vector<PlacedEntry>& positive, std::vector<PlacedEntry>& negative) {
    for (const PlacedEntry& entry : positive) {
        addCounterpart(entry, negative);
    }
    for (const PlacedEntry& entry : negative) {
        addCounterpart(entry, positive);
    }
}

bool speaksAt(const PlacedEntry& entry, double timestep, const sampling::TimeAt& timeAt) {
    const bool hasBegun = entry.start <= 0 || timestep <= timeAt(entry.start);
    const bool goesOn = entry.end >= 1 || timestep >= timeAt(entry.end);
    return hasBegun && goesOn;
}

std::vector<PromptCall> callsAt(const std::vector<PlacedEntry>& positive,
                                const std::vector<PlacedEntry>& negative,
                                double timestep,
                                const sampling::TimeAt& timeAt) {
    std::vector<const PlacedEntry*> alone = speaking(positive, timestep, timeAt);
    std::vector<PromptCall> calls;
    for (const PlacedEntry* entry : speaking(negative, timestep, timeAt)) {
        const auto partner = std::find_if(alone.begin(), alone.end(), [&](const auto* other) {
            return fitTogether(*entry, *other);
        });
        calls.push_back(
            {.negative = entry, .positive = partner == alone.end() ? nullptr : *partner});
        if (partner != alone.end()) {
            alone.erase(partner);
        }
    }
    for (const PlacedEntry* entry : alone) {
        calls.push_back({.negative = nullptr, .positive = entry});
    }
    return calls;
}

}  // namespace lowtide::nodes
