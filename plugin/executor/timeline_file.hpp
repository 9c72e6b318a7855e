#pragma once

#include "plugin/files/output_file.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/memory/ledger.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace lowtide::executor {

/// Writes every event of a run to a file, one JSON object a line with its repetition, as long as it
/// lives: the report has a thinned line. Events come from any thread; the rest is for the run
/// thread.
class TimelineFile {
public:
    /// Error{InvalidInput} when the folder cannot be written. `ledger` must outlive it.
    TimelineFile(memory::Ledger& ledger, std::string path);
    ~TimelineFile();
    TimelineFile(const TimelineFile&) = delete;
    TimelineFile& operator=(const TimelineFile&) = delete;

    void beginRepetition(int number) {
        const std::lock_guard lock(mutex_);
        repetition_ = number;
    }

    /// Ends the file and gives it its name. A warning when it could not be written whole; then
    /// there is none.
    [[nodiscard]] std::optional<Issue> finish();

private:
    void add(const memory::LedgerEvent& event);
    void write();
    void end();

    memory::Ledger& ledger_;
    files::OutputFile file_;
    std::mutex mutex_;  ///< of all below
    std::condition_variable changed_;
    int repetition_ = 1;
    std::string waiting_;  ///< lines that are not written yet
    bool isEnding_ = false;
    std::optional<Issue> issue_;
    std::thread thread_;  ///< writes them; last: it begins when the rest is there
};

}  // namespace lowtide::executor
