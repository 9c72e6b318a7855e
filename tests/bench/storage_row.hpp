#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/denoise_steps.hpp"

#include <QByteArray>
#include <QString>

#include <vector>

namespace lowtide::testing {

/// What a run of `lowtide run --events --report` took whose node "denoise" is of interest.
struct StorageRow {
    QString problem{};                  ///< empty: it ended well
    std::vector<DenoiseSteps> steps{};  ///< by repetition
    qint64 peakResident = 0;            ///< bytes of the process: the system's high-water mark
    qint64 peakPrivate = 0;             ///< bytes, sampled: of no file
    qint64 peakFiles = 0;               ///< bytes, sampled: of mapped files
    Bytes predicted = 0;                ///< the plan's peak of the cpu
    Bytes measured = 0;                 ///< the ledger's, in the last repetition
    Bytes read = 0;                     ///< from files, in place or copied, in the last repetition
    Bytes needed = 0;                   ///< of the denoiser by the plan, all passes together
    Bytes streamed = 0;                 ///< of that in a pass
    Bytes ringBuffer = 0;               ///< through which it streams
    qint64 fromDiskAgain = 0;           ///< bytes that the disk gave in the second repetition
    qint64 ofDenoiserAgain = 0;         ///< of that from the beginning of the node on

    StorageRow() = default;
    StorageRow(const WatchedProgram& run, const QByteArray& report);

    [[nodiscard]] std::vector<Spent> laterSteps() const;  ///< of all repetitions

    /// A fraction of the peak, without sign.
    [[nodiscard]] double predictionError() const;

    [[nodiscard]] QString text() const;
    [[nodiscard]] Json toJson() const;
};

}  // namespace lowtide::testing
