#include "nodes/denoise/regional_entries.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::nodes {

namespace {

std::optional<models::LatentArea> areaOn(const Canvas& canvas,
                                         const tensor::ImageArea& area,
                                         const char* item) {
    models::LatentArea position{
        .y = area.yPixels / canvas.downsampling,
        .x = area.xPixels / canvas.downsampling,
        .height = std::max<int64_t>(area.heightPixels / canvas.downsampling, 1),
        .width = std::max<int64_t>(area.widthPixels / canvas.downsampling, 1)};
    if (position.y >= canvas.height || position.x >= canvas.width) {
        throw Error(ErrorKind::InvalidInput,
                    message("the area at {}, {} lies outside the image of {} x {} pixels",
                            area.xPixels,
                            area.yPixels,
                            canvas.width * canvas.downsampling,
                            canvas.height * canvas.downsampling),
                    message("move the area into the image"),
                    item);
    }
    position.height = std::min(position.height, canvas.height - position.y);
    position.width = std::min(position.width, canvas.width - position.x);
    const models::LatentArea whole{.y = 0, .x = 0, .height = canvas.height, .width = canvas.width};
    return position == whole ? std::nullopt : std::optional(position);
}

/// The prompt of `branch` that answers for `area`: the one on the smallest area around it, else the
/// first one of the whole image.
const RegionalEntry* smallestAround(const models::LatentArea& area,
                                    const std::vector<RegionalEntry>& branch) {
    const RegionalEntry* smallest = nullptr;
    for (const RegionalEntry& entry : branch) {
        if (!entry.area) {
            smallest = smallest ? smallest : &entry;
            continue;
        }
        if (!entry.area->contains(area)) {
            continue;
        }
        const auto sizeOf = [](const models::LatentArea& position) {
            return position.height * position.width;
        };
        if (!smallest || !smallest->area || sizeOf(*smallest->area) > sizeOf(*entry.area)) {
            smallest = &entry;
        }
    }
    return smallest;
}

void addCounterpart(const RegionalEntry& entry, std::vector<RegionalEntry>& branch) {
    if (!entry.area) {
        return;
    }
    const RegionalEntry* found = smallestAround(*entry.area, branch);
    if (!found || found->area == entry.area) {
        return;
    }
    RegionalEntry answer = entry;
    answer.prompt = found->prompt;
    answer.tokens = found->tokens;
    branch.push_back(answer);
}

bool fitTogether(const RegionalEntry& a, const RegionalEntry& b) {
    const bool haveOneSize =
        a.area.has_value() == b.area.has_value() &&
        (!a.area || (a.area->height == b.area->height && a.area->width == b.area->width));
    return haveOneSize && a.tokens == b.tokens;
}

std::vector<const RegionalEntry*> speaking(const std::vector<RegionalEntry>& branch,
                                           double timestep,
                                           const sampling::TimeAt& timeAt) {
    std::vector<const RegionalEntry*> found;
    for (const RegionalEntry& entry : branch) {
        if (speaksAt(entry, timestep, timeAt)) {
            found.push_back(&entry);
        }
    }
    return found;
}

}  // namespace

std::vector<RegionalEntry> regionalEntries(const models::ConditioningSpec& conditioning,
                                           const Canvas& canvas,
                                           const char* item) {
    std::vector<RegionalEntry> result;
    for (const models::EntrySpec& entry : conditioning.entries()) {
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

void addCounterparts(std::vector<RegionalEntry>& positive, std::vector<RegionalEntry>& negative) {
    for (const RegionalEntry& entry : positive) {
        addCounterpart(entry, negative);
    }
    for (const RegionalEntry& entry : negative) {
        addCounterpart(entry, positive);
    }
}

bool speaksAt(const RegionalEntry& entry, double timestep, const sampling::TimeAt& timeAt) {
    const bool hasBegun = entry.start <= 0 || timestep <= timeAt(entry.start);
    const bool goesOn = entry.end >= 1 || timestep >= timeAt(entry.end);
    return hasBegun && goesOn;
}

std::vector<PromptCall> callsAt(const std::vector<RegionalEntry>& positive,
                                const std::vector<RegionalEntry>& negative,
                                double timestep,
                                const sampling::TimeAt& timeAt) {
    std::vector<const RegionalEntry*> alone = speaking(positive, timestep, timeAt);
    std::vector<PromptCall> calls;
    for (const RegionalEntry* entry : speaking(negative, timestep, timeAt)) {
        const auto partner = std::find_if(alone.begin(), alone.end(), [&](const auto* other) {
            return fitTogether(*entry, *other);
        });
        calls.push_back(
            {.negative = entry, .positive = partner == alone.end() ? nullptr : *partner});
        if (partner != alone.end()) {
            alone.erase(partner);
        }
    }
    for (const RegionalEntry* entry : alone) {
        calls.push_back({.negative = nullptr, .positive = entry});
    }
    return calls;
}

}  // namespace lowtide::nodes
