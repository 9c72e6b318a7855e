#pragma once

#include <cstdint>
#include <string>

namespace lowtide::ui {

/// Numbers are those of the file.
enum class RunState { Waiting = 0, Running = 1, Finished = 2, Failed = 3, Cancelled = 4 };

/// Whether such a run will not run any more.
[[nodiscard]] inline bool hasEnded(RunState state) {
    return state != RunState::Waiting && state != RunState::Running;
}

/// What is kept of a run for good. Texts are UTF-8.
struct QueueEntry {
    std::string key;  ///< distinguishes it from all others: its program, a colon, its number
    RunState state = RunState::Waiting;
    std::string title;
    std::string graph;    ///< text of the snapshot
    std::string options;  ///< JSON (docs/events.md)
    std::string name;     ///< of the graph's document
    std::string prompt;   ///< every text of several lines
    std::string models;   ///< files of models, without folders, one a line
    std::string seed;
    std::string found;  ///< what a search looks in, in folded case; not read back
    int64_t asked = 0;  ///< milliseconds since 1970; all times are
    int64_t begun = 0;  ///< 0: it has not
    int64_t ended = 0;  ///< 0: it has not; before that the moment of the last claim
    double milliseconds = 0;
    int64_t peak = 0;     ///< bytes on the device that had most
    int executed = -1;    ///< nodes; 0: everything was kept from earlier runs; -1: not known
    std::string problem;  ///< why it failed
    std::string result;   ///< JSON of its host: files, issues; empty: it keeps none here
};

}  // namespace lowtide::ui
