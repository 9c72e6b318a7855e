#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/cache_table.hpp"

#include <string>
#include <vector>

namespace lowtide::executor {

/// How far a lossy choice takes one checkpoint's predictions from the exact ones.
struct MeasuredSensitivity {
    std::string weights;  ///< SHA-256 of the network's files, 64 hexadecimal digits
    std::string setting;  ///< the choice in one line: "speed", "cache.deepcache depth=1 interval=3"
    std::string types;    ///< what it was on the device that measured: "f16 in f16"
    std::string pass;     ///< result key of the exact run that it was measured along
    /// Mean over the calls of the network of the relative L2 error of each, on the exact run's own
    /// latents (teacher-forced); infinite where a prediction was not finite.
    double error = 0;
    double worst = 0;        ///< of one call
    std::string measuredOn;  ///< the day, YYYY-MM-DD

    bool operator==(const MeasuredSensitivity&) const = default;
};

/// From this mean error on a checkpoint is called sensitive to a choice. Source: docs/quality.md.
inline constexpr double kSensitiveFrom = 0.1;

/// "sensitive" or "tolerant".
[[nodiscard]] const char* verdictOn(double error) noexcept;

/// Measured sensitivities, in one JSON file of the cache folder, by the hash of the weights:
/// another name or folder of a checkpoint changes nothing, another training does.
class SensitivityStore {
public:
    /// `folder` empty: nothing is found and nothing can be stored.
    explicit SensitivityStore(std::string folder);

    /// All of one checkpoint, sorted by setting. Error{Corrupt} when the file cannot be read.
    [[nodiscard]] std::vector<MeasuredSensitivity> find(const std::string& weights) const;
    /// Adds it in place of the one with the same weights, setting and types; a file that cannot be
    /// read is replaced. `stop` ends a wait for another process that stores. Error{InvalidInput}
    /// when the folder cannot be written, Error{Device} when the disk is full, Error{Cancelled}.
    void store(const MeasuredSensitivity& measured, const StopToken& stop = {}) const;

private:
    files::CacheTable table_;
};

}  // namespace lowtide::executor
