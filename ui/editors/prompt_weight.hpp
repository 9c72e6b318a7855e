#pragma once

#include <QString>

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

/// Changes the weight of what is selected, or of the word at the cursor: "word" becomes
/// "(word:1.05)", and "(word:1.05)" changes its number; a weight of 1 takes the brackets away.
/// Without a word nothing changes. Weights stay between 0 and 10.
[[nodiscard]] SelectedText changedWeight(SelectedText prompt, double change);

}  // namespace lowtide::ui
