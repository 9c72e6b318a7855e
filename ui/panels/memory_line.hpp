#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/units.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/node_title.hpp"

#include <QString>

namespace lowtide::ui {

/// One line about a plan: "Needs 3.1 of 4.0 GiB, streams 60 %, about 40 s (estimate)".
struct MemoryLine {
    QString text;      ///< empty: there is nothing to show
    QString detail;    ///< how the figures are meant, for a tooltip
    bool fits = true;  ///< false: the text states what does not
};

/// Of the run's device. Streams: the fraction of its networks' bytes that each forward copies
/// instead of keeping them there. `names`: how nodes are called; empty: by their ids.
[[nodiscard]] MemoryLine memoryLineOf(const Planned& planned, const NodeNames& names = {});
/// The issue that explains why there is no plan of the memory: too little of it, or a budget that
/// the device does not have. nullptr: another reason, or none.
[[nodiscard]] const Issue* memoryRefusalIn(const Issues& issues);
/// The issue in sentences: what needs how much, where, and what the run needs at least.
[[nodiscard]] QString memoryRefusalText(const Issue& refusal, const NodeNames& names);
/// "3.1 of 4.0 GiB": both in the unit of the larger one, unless too little were left to read.
[[nodiscard]] QString partText(Bytes part, Bytes whole);

}  // namespace lowtide::ui
