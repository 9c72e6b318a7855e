#pragma once
// What can be done to conditionings between encoder and denoiser. Torch-free.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <variant>
#include <vector>

namespace lowtide::nodes {

/// Both speak: the denoiser's predictions for them are averaged, in proportion to their strengths.
/// Source: ComfyUI ConditioningCombine.
struct CombineEdit {};

/// The tokens of the second follow those of the first in every sequence, in one prediction; what
/// else the first holds stays. The second must hold one prompt. Source: ComfyUI ConditioningConcat.
struct ConcatEdit {};

/// share * first + (1 - share) * second, of every sequence and vector that both have; the second,
/// which must hold one prompt, is cut or filled with zeros to the tokens of the first. Source:
/// ComfyUI ConditioningAverage.
struct AverageEdit {
    double share = 1;
};

/// All prompts speak in one rectangle, with one strength. Source: ComfyUI ConditioningSetArea.
struct AreaEdit {
    tensor::PictureArea area;
    double strength = 1;
};

/// All prompts speak in a part of the schedule. Source: ComfyUI ConditioningSetTimestepRange.
struct TimeEdit {
    double start = 0;
    double end = 1;
};

/// An edit and the conditionings that it takes, one or two.
struct ConditioningEdit {
    std::variant<CombineEdit, ConcatEdit, AverageEdit, AreaEdit, TimeEdit> edit;
    memory::WireRef first;
    memory::WireRef second;  ///< null for an area and a time
};

[[nodiscard]] const StageDef<ConditioningEdit>& stageOf(const ConditioningEdit&);

/// A conditioning as it is known before the run.
struct ConditioningShape {
    Shape shape;  ///< [1, T, D]
    /// StageOutline::outputValue of what made it; null: one prompt that has embeds of that shape
    /// alone, everywhere and always.
    memory::WireRef entries;
};

/// What is known of a wire. Error{InvalidInput} on port `item` for a shape of no conditioning.
[[nodiscard]] models::ConditioningOutline outlineOf(const ConditioningShape& known,
                                                    const char* item);

/// What an edit makes of `inputs`, one or two. Errors as editedConditioning().
[[nodiscard]] models::ConditioningOutline editedOutline(
    const std::vector<models::ConditioningOutline>& inputs, const ConditioningEdit& edit);

/// Error{InvalidInput} names the setting that cannot be.
void checkEdit(const ConditioningEdit& edit);

/// Error{InvalidInput} on port `item` unless there is one entry.
void requireOnePrompt(size_t entries, const char* item);

/// Error{InvalidInput} on port "second" unless both have the same fields.
void requireOneStatement(const tensor::ConditioningFields& first,
                         const tensor::ConditioningFields& second);

/// `scope` after an edit that restricts; others leave it.
void restrict(tensor::ConditioningScope& scope, const ConditioningEdit& edit);

}  // namespace lowtide::nodes
