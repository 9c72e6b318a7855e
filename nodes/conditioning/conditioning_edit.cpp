#include "nodes/conditioning/conditioning_edit.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::nodes {

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

/// Tokens are on the last axis but one.
size_t tokensAxis(const Shape& shape) {
    return shape.size() - 2;
}

/// The tokens of `second` follow in every sequence that both have.
void appendTokens(const tensor::ConditioningFields& fields,
                  models::EntryOutline& first,
                  const models::EntryOutline& second) {
    for (const tensor::ConditioningField& field : fields) {
        const auto own = first.tensors.find(field.name);
        const auto other = second.tensors.find(field.name);
        if (field.kind == tensor::FieldKind::Sequence && own != first.tensors.end() &&
            other != second.tensors.end()) {
            own->second.at(tokensAxis(own->second)) += other->second.at(tokensAxis(other->second));
        }
    }
}

std::string namesOf(const tensor::ConditioningFields& fields) {
    std::vector<std::string> names;
    for (const tensor::ConditioningField& field : fields) {
        names.push_back(field.name);
    }
    return join(names, ", ");
}

}  // namespace

models::ConditioningOutline outlineOf(const ConditioningShape& known, const char* item) {
    if (const auto* outline =
            dynamic_cast<const models::ConditioningOutline*>(known.entries.get())) {
        return *outline;
    }
    requireThat(known.shape.size() == 3,
                "the input " + std::string(item) + " is " + toText(known.shape),
                "connect a conditioning",
                item);
    return {{{.name = tensor::kEmbeds, .width = known.shape[2]}},
            {{.tensors = {{tensor::kEmbeds, known.shape}}}}};
}

models::ConditioningOutline editedOutline(const std::vector<models::ConditioningOutline>& inputs,
                                          const ConditioningEdit& edit) {
    checkEdit(edit);
    std::vector<models::EntryOutline> entries = inputs.front().entries();
    for (models::EntryOutline& entry : entries) {
        restrict(entry.scope, edit);
    }
    if (inputs.size() > 1) {
        const std::vector<models::EntryOutline>& second = inputs[1].entries();
        requireOneStatement(inputs[0].fields(), inputs[1].fields());
        if (std::holds_alternative<CombineEdit>(edit.edit)) {
            entries.insert(entries.end(), second.begin(), second.end());
        } else {
            requireOnePrompt(second.size(), "second");
        }
        if (std::holds_alternative<ConcatEdit>(edit.edit)) {
            for (models::EntryOutline& entry : entries) {
                appendTokens(inputs[0].fields(), entry, second.front());
            }
        }
    }
    return {inputs.front().fields(), std::move(entries)};
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

void requireOneStatement(const tensor::ConditioningFields& first,
                         const tensor::ConditioningFields& second) {
    const char* hint = "encode both with the same checkpoint";
    requireThat(namesOf(first) == namesOf(second),
                "the conditionings hold " + namesOf(first) + " and " + namesOf(second),
                hint,
                "second");
    for (size_t i = 0; i < first.size(); ++i) {
        requireThat(first[i] == second[i],
                    first[i].name + " of the conditionings are " + std::to_string(first[i].width) +
                        " and " + std::to_string(second[i].width) + " wide",
                    hint,
                    "second");
    }
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

}  // namespace lowtide::nodes
