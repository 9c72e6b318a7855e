#pragma once
// A GPU that is played in host memory: its copies go through a ring buffer, are widened on arrival
// and come late; what tests give it to compute can be taken down.

#include "plugin/residency/residency.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace lowtide::testing {

inline constexpr Bytes kPlayedStaging = 64 * kKiB;  ///< less than some weights take

/// What a test gives a played GPU to compute, as kernels are given to a real one.
class PlayedCompute {
public:
    /// Done at once, or taken down while the GPU records.
    void give(std::function<void()> work);
    /// While the GPU records, memory for an operation cannot be had.
    void refuse();

    bool isRecording = false;
    int records = 0;  ///< that were made
    int replays = 0;
    int64_t failures = 0;   ///< failed allocations that the GPU reports
    int marks = 0;          ///< of what compute was given
    int recordedMarks = 0;  ///< of them while the GPU recorded

private:
    friend class PlayedGpu;
    std::vector<std::function<void()>> taken_;
};

/// Opens played cards that compute with `compute` and are lost at call `lostAt` of their streams
/// (0: never), and the cpu.
class PlayedSource final : public residency::DeviceSource {
public:
    explicit PlayedSource(std::shared_ptr<PlayedCompute> compute = nullptr, int lostAt = 0)
        : compute_(std::move(compute)), lostAt_(lostAt) {}

    std::unique_ptr<residency::Device> open(const memory::DeviceSpec& spec) override;

    std::vector<memory::DeviceInfo> available() override { return {}; }

private:
    std::shared_ptr<PlayedCompute> compute_;
    int lostAt_;
};

}  // namespace lowtide::testing
