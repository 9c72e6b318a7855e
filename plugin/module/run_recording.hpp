#pragma once

#include "plugin/executor/run_options.hpp"
#include "plugin/tensor/recorder.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::module {

/// What stages record to and go along now. Run thread only.
struct RecorderSlot {
    tensor::Recorder* recorder = nullptr;              ///< null: recording is off
    const tensor::RecordedTensors* teacher = nullptr;  ///< null: stages go their own way
};

/// Bytes of the process that no ledger entry explains: code, allocator slack, library scratch.
using UnaccountedBytes = std::vector<long long>;

/// What a run of this module does besides executing: records for a dump, compares repetitions,
/// measures what the ledger cannot see.
class RunRecording final : public executor::RunHooks {
public:
    /// `dumpPath` empty: nothing is recorded; `teacher` empty: stages go their own way. `slot` and
    /// `ledger` must outlive the run. Errors of files::OutputFile, item "dump", when the dump
    /// cannot be written.
    RunRecording(RecorderSlot& slot,
                 const memory::Ledger& ledger,
                 std::string dumpPath,
                 std::optional<tensor::RecordedTensors> teacher,
                 int repetitions);

    void beforeRun(int repetition) override;
    /// After the last repetition: Error{Internal} names repetition and tensor when an earlier one
    /// differs by a byte; else the dump is written.
    void afterRun(memory::Outcome outcome) override;

    /// Adds "unaccounted", a figure for each repetition.
    void addToReport(Json& report) override { report["unaccounted"] = unaccounted_; }

private:
    void compareWithLast(const std::map<std::string, std::string>& last) const;

    RecorderSlot& slot_;
    const memory::Ledger& ledger_;
    std::string dumpPath_;
    std::optional<tensor::RecordedTensors> teacher_;
    int repetitions_;
    int current_ = 0;
    tensor::Recorder recorder_;
    std::vector<std::map<std::string, std::string>> earlier_;  ///< tensor -> hash, by repetition
    UnaccountedBytes unaccounted_;
};

}  // namespace lowtide::module
