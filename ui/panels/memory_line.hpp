#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/planning.hpp"

#include <QString>

namespace lowtide::ui {

/// One line about a plan: "Needs 3.1 of 4.0 GiB, streams 60 %, about 40 s (estimate)".
struct MemoryLine {
    QString text;      ///< empty: there is nothing to say
    QString detail;    ///< how the figures are meant, for a tooltip
    bool fits = true;  ///< false: the text says what does not
};

/// Of the run's device. Streams: the share of its networks' bytes that each pass copies
/// instead of keeping them there.
[[nodiscard]] MemoryLine memoryLineOf(const Planned& planned);
/// The issue that says why there is no plan of the memory: too little of it, or a budget that the
/// device does not have. nullptr: another reason, or none.
[[nodiscard]] const Issue* memoryRefusalIn(const Issues& issues);
/// "3.1 of 4.0 GiB": both in the unit of the larger one, unless too little were left to read.
[[nodiscard]] QString partText(Bytes part, Bytes whole);

}  // namespace lowtide::ui
