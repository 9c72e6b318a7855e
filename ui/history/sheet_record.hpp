#pragma once

#include "ui/history/run_record.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// One run of a sheet, as it stands.
struct SheetCellRecord {
    RunKey run;
    bool isKnown = false;  ///< false: the run was forgotten
    RunState state = RunState::Waiting;
    QStringList files;  ///< that it wrote, or that were kept from an earlier run
    double milliseconds = 0;
    int64_t peak = 0;   ///< bytes on the device that had most
    int executed = -1;  ///< nodes; 0: everything was kept
    QString problem;    ///< why it failed
};

/// Whether nothing will come of the cell any more.
[[nodiscard]] inline bool hasEnded(const SheetCellRecord& cell) {
    return !cell.isKnown || hasEnded(cell.state);
}

/// Runs that differ in one or two parameters. It is kept as a run of its own, with the graph that
/// they come from.
struct SheetRecord {
    RunKey key;
    QString title;
    QString name;                        ///< of the graph's document
    std::string graph;                   ///< text of the graph before anything was varied
    std::string description;             ///< JSON of its axes
    QString picture;                     ///< file of all cells; empty: not written yet
    std::vector<SheetCellRecord> cells;  ///< row by row
};

}  // namespace lowtide::ui
