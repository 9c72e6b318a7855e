#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/planning.hpp"

#include <QString>

namespace lowtide::ui {

/// One line about a plan: "Needs 3.1 of 4.0 GiB, streams 60 %, about 40 s".
struct MemoryLine {
    QString text;      ///< empty: there is nothing to say
    QString detail;    ///< how the figures are meant, for a tooltip
    bool fits = true;  ///< false: the text says what does not
};

/// Of the device that holds most. Streams: the share of its networks' bytes that each pass copies
/// instead of keeping them there.
[[nodiscard]] MemoryLine memoryLineOf(const Planned& planned);
/// "3.1 of 4.0 GiB": both in the unit of the larger one.
[[nodiscard]] QString partText(Bytes part, Bytes whole);
/// "about 40 s", "about 3 min", "under 1 s".
[[nodiscard]] QString durationText(double seconds);

}  // namespace lowtide::ui
