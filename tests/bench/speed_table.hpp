#pragma once

#include "plugin/base/json.hpp"
#include "tests/bench/watched_program.hpp"

#include <QString>
#include <QStringList>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lowtide::testing {

/// A part of an image's way, and the project's goals: CPU time and extra memory over diffusers'.
struct StageGoal {
    const char* name;
    double time;    ///< 0: none
    double memory;  ///< 0: none
};

/// What one program needed for a stage, in all rounds. The first step of a run makes what others
/// find ready, so it is left out.
struct StageCost {
    std::vector<double> cpuSeconds;
    std::vector<double> seconds;
    std::vector<double> moreBytes;  ///< most in RAM, beyond what was there when it began

    void add(const WatchedProgram& run, const TimedLine& begin, const TimedLine& end);
};

/// By stage: load, map (opening the checkpoint), encode, step, decode, whole.
using StageCosts = std::map<std::string, StageCost>;

/// Of a run of `lowtide run text_to_image.json --events`.
void addOurCosts(StageCosts& costs, const WatchedProgram& run);
/// Of a run of speed_peer.py.
void addPeerCosts(StageCosts& costs, const WatchedProgram& run);

/// Of `lowtide run text_to_image.json` with those settings ("node.param=value") and options.
[[nodiscard]] WatchedProgram watchImage(const QStringList& settings,
                                        int steps,
                                        const QStringList& options = {});

/// An image by Lowtide next to diffusers in fp32: CPU time of all threads, which on a shared
/// machine shows more than the clock, and the clock.
class SpeedTable {
public:
    /// `folder`: what speed_peer.py takes. Counts operations and measures the machine's peak.
    void begin(const QString& folder);

    /// Runs the example graph with those settings and options. Empty, or what went wrong.
    [[nodiscard]] QString runOurs(const QStringList& settings, int steps);
    [[nodiscard]] QString runPeer(int steps);

    /// Prints it, writes it to the build folder as `name`.json.
    void print(std::span<const StageGoal> stages, const QString& name) const;

    /// CPU time over diffusers'.
    [[nodiscard]] double timeRatio(const std::string& stage) const;
    /// Most in RAM of a whole run, over diffusers'.
    [[nodiscard]] double residentRatio() const;

    [[nodiscard]] const StageCost& ours(const std::string& stage) const;

private:
    [[nodiscard]] const StageCost& peers(const std::string& stage) const;
    [[nodiscard]] double fractionOfPeak(const std::string& stage, const StageCost& cost) const;
    [[nodiscard]] Json rowOf(const StageGoal& stage) const;

    QString folder_;
    std::map<std::string, double> flops_;
    double peak_ = 0;  ///< floating-point operations in a second of CPU time
    StageCosts ours_;
    StageCosts peers_;
    qint64 peakResident_[2] = {0, 0};
};

}  // namespace lowtide::testing
