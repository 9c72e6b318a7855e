#pragma once

#include "plugin/base/json_fwd.hpp"

#include <QString>

#include <optional>

namespace lowtide::ui {

/// A prompt with its selection, in characters from the start.
struct SelectedText {
    QString text;
    int from = 0;
    int to = 0;

    bool operator==(const SelectedText&) const = default;
};

/// The step of Ctrl+Up and Ctrl+Down.
inline constexpr double kWeightStep = 0.05;

/// The parameter of a node that selects how its texts mark what counts more.
inline constexpr const char* kWeightsParam = "weights";

/// How a weight is written: (word:1.05), or (word)1.05.
enum class WeightSyntax { A1111, ComfyUi, Compel };

/// Of a value of kWeightsParam; nothing: brackets are text.
[[nodiscard]] std::optional<WeightSyntax> weightSyntaxNamed(const Json& weights);

/// Changes the weight of what is selected, or of the word at the cursor: "word" becomes
/// "(word:1.05)", and "(word:1.05)" changes its number; a weight of 1 takes the brackets away.
/// Without a word nothing changes. Weights are kept between 0 and 10.
[[nodiscard]] SelectedText changedWeight(SelectedText prompt, double change, WeightSyntax syntax);

}  // namespace lowtide::ui
