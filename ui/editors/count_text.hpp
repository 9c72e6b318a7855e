#pragma once

#include "ui/bridge/text_counts.hpp"

#include <QString>

namespace lowtide::ui {

/// How long a prompt is, for a person.
struct CountText {
    QString text;     ///< "31 / 75", "75 + 12 / 75", "CLIP 31 / 75 · T5 40 / 511"
    QString tooltip;  ///< a line for each encoder
    bool isCut = false;

    bool operator==(const CountText&) const = default;
};

[[nodiscard]] CountText countText(const TextCounts& counts);

}  // namespace lowtide::ui
