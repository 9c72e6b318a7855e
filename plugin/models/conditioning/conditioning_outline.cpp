#include "plugin/models/conditioning/conditioning_outline.hpp"

#include "plugin/base/dtype.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

void checkArea(const AreaEdit& edit) {
    const tensor::PictureArea& area = edit.area;
    requireThat(area.widthPixels > 0 && area.heightPixels > 0,
                "the area is " + std::to_string(area.widthPixels) + " x " +
                    std::to_string(area.heightPixels) + " pixels",
                "choose a width and height above 0",
                "width");
    requireThat(
        area.xPixels >= 0 && area.yPixels >= 0,
        "the area begins at " + std::to_string(area.xPixels) + ", " + std::to_string(area.yPixels),
        "choose a place inside the picture",
        "x");
    requireThat(std::isfinite(edit.strength) && edit.strength >= 0,
                "the strength is " + formatNumber(edit.strength),
                "choose 0 or more, 1 is usual",
                "strength");
}

void checkTime(const TimeEdit& edit) {
    requireThat(edit.start >= 0 && edit.end <= 1 && edit.start <= edit.end,
                "the time range is " + formatNumber(edit.start) + " to " + formatNumber(edit.end),
                "choose a start from 0 to 1 and an end from there to 1",
                "start");
}

void checkShare(const AverageEdit& edit) {
    requireThat(std::isfinite(edit.share),
                "the share is no number",
                "choose a number from 0 to 1",
                "share");
}

}  // namespace

Shape ConditioningOutline::shape() const {
    int64_t tokens = 0;
    for (const EntryOutline& entry : entries_) {
        tokens += entry.tokens;
    }
    return {1, tokens, width_};
}

std::vector<Bytes> ConditioningOutline::tensors() const {
    std::vector<Bytes> tensors;
    for (const EntryOutline& entry : entries_) {
        tensors.push_back(entry.tokens * width_ * sizeOf(DType::F32));
        if (entry.pooledWidth > 0) {
            tensors.push_back(entry.pooledWidth * sizeOf(DType::F32));
        }
    }
    return tensors;
}

ConditioningOutline outlineOf(const ConditioningShape& known, const char* item) {
    if (const auto* outline = dynamic_cast<const ConditioningOutline*>(known.entries.get())) {
        return *outline;
    }
    requireThat(known.shape.size() == 3,
                "the input " + std::string(item) + " is " + toText(known.shape),
                "connect a conditioning",
                item);
    return {{{.tokens = known.shape[1]}}, known.shape[2]};
}

ConditioningOutline editedOutline(const std::vector<ConditioningOutline>& inputs,
                                  const ConditioningEdit& edit) {
    checkEdit(edit);
    std::vector<EntryOutline> entries = inputs.front().entries();
    for (EntryOutline& entry : entries) {
        restrict(entry.scope, edit);
    }
    if (inputs.size() > 1) {
        const std::vector<EntryOutline>& second = inputs[1].entries();
        requireOneWidth(inputs[0].width(), inputs[1].width());
        if (std::holds_alternative<CombineEdit>(edit.edit)) {
            entries.insert(entries.end(), second.begin(), second.end());
        } else {
            requireOnePrompt(second.size(), "second");
        }
        if (std::holds_alternative<ConcatEdit>(edit.edit)) {
            for (EntryOutline& entry : entries) {
                entry.tokens += second.front().tokens;
            }
        }
    }
    return {std::move(entries), inputs.front().width()};
}

void checkEdit(const ConditioningEdit& edit) {
    if (const auto* area = std::get_if<AreaEdit>(&edit.edit)) {
        checkArea(*area);
    } else if (const auto* time = std::get_if<TimeEdit>(&edit.edit)) {
        checkTime(*time);
    } else if (const auto* average = std::get_if<AverageEdit>(&edit.edit)) {
        checkShare(*average);
    }
}

void requireOnePrompt(size_t entries, const char* item) {
    requireThat(entries == 1,
                "the input " + std::string(item) + " holds " + std::to_string(entries) +
                    " prompts, one can be joined",
                "combine afterwards, not before",
                item);
}

void requireOneWidth(int64_t first, int64_t second) {
    requireThat(first == second,
                "the conditionings are " + std::to_string(first) + " and " +
                    std::to_string(second) + " wide",
                "encode both with the same checkpoint",
                "second");
}

void restrict(tensor::ConditioningScope& scope, const ConditioningEdit& edit) {
    if (const auto* area = std::get_if<AreaEdit>(&edit.edit)) {
        scope.area = area->area;
        scope.strength = area->strength;
    } else if (const auto* time = std::get_if<TimeEdit>(&edit.edit)) {
        scope.start = time->start;
        scope.end = time->end;
    }
}

}  // namespace lowtide::models
