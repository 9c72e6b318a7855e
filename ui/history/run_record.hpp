#pragma once

#include "ui/queue/queue_entry.hpp"

#include <QByteArray>
#include <QSize>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Distinguishes a run of one studio from all others: "3f9a...:17".
using RunKey = QString;

/// What a user finds a run by, taken from its graph.
struct SearchTerms {
    QString graph;   ///< name of the document
    QString prompt;  ///< every text of several lines
    QString models;  ///< files of models, without folders
    QString seed;
};

/// What is kept of a run for good: a QueueEntry in Qt's types.
struct RunRecord {
    RunKey key;
    RunState state = RunState::Waiting;
    QString title;
    std::string graph;    ///< text of the snapshot
    std::string options;  ///< JSON (docs/events.md)
    SearchTerms words;
    int64_t asked = 0;  ///< milliseconds since 1970; all times are
    int64_t begun = 0;  ///< 0: it has not
    int64_t ended = 0;
    double milliseconds = 0;
    int64_t peak = 0;  ///< bytes on the device that had most
    int executed = -1;
    QString problem;  ///< why it failed
};

/// An image or video that a run wrote.
struct ImageRecord {
    int64_t id = 0;
    RunKey run;
    QString path;
    QString title;  ///< of the run
    QSize size;     ///< pixels; empty: not read yet
    bool isStarred = false;
    int64_t made = 0;
    bool hasThumbnail = false;
    RunKey sheet{};  ///< that it is of, as its image or that of a cell; empty: of none
};

/// Whether it shows all cells of its sheet.
[[nodiscard]] inline bool isOfSheet(const ImageRecord& image) {
    return !image.sheet.isEmpty() && image.sheet == image.run;
}

/// What a run claims about files.
enum class ImageClaim {
    Wrote,
    Named  ///< as its results, which an earlier run may have written
};

/// Which images a user wants to see.
struct ImageFilter {
    QString words;  ///< each must be in the prompt, title, models or file name, in any case
    QString model;  ///< one of RunStore::models(); empty: any
    QString graph;  ///< one of RunStore::graphs(); empty: any
    bool isStarred = false;
    int64_t since = 0;  ///< made then or later
    int64_t until = 0;  ///< and before then; 0: whenever
};

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
    QString image;                       ///< file of all cells; empty: not written yet
    std::vector<SheetCellRecord> cells;  ///< row by row
};

}  // namespace lowtide::ui
