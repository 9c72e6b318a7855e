#pragma once

#include "plugin/residency/copy_queue.hpp"
#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"

#include <atomic>
#include <random>

namespace lowtide::testing {

/// How the streams of a GPU behave that is played in host memory.
struct PlayedSettings {
    Seconds longestDelay = 0;             ///< before each copy: uniform in [0, longestDelay)
    bool forgetsRingBufferWaits = false;  ///< the host's wait for a point returns at once
    int lostAt = 0;                       ///< from this call on all fail, 1 is the first; 0: none
};

/// Two threads that do what a GPU's streams do, each in the order of the calls, late: what a
/// caller did not order comes out wrong. Widens as the host's conversion does.
class PlayedStreams final : public residency::GpuStreams {
public:
    explicit PlayedStreams(PlayedSettings settings = {}) : settings_(settings) {}

    void copyIn(const residency::Transfer& transfer, const std::byte* source) override;
    void spoil(std::byte* target, Bytes bytes) override;
    [[nodiscard]] residency::GpuPointRef markCopy() override;
    [[nodiscard]] residency::GpuPointRef markCompute() override;
    void copyWaits(const residency::GpuPoint& point) override;
    void computeWaits(const residency::GpuPoint& point) override;
    void hostWaits(const residency::GpuPoint& point) override;
    void finishCompute() override;
    void synchronise() noexcept override;
    [[nodiscard]] std::string failure() const noexcept override;
    [[nodiscard]] bool isReached(const residency::GpuPoint& point) const override;
    [[nodiscard]] Seconds between(const residency::GpuPoint& first,
                                  const residency::GpuPoint& last) const override;

    /// Work of the computing stream.
    void compute(std::function<void()> work);

    /// Points that somebody keeps.
    [[nodiscard]] long livingPoints() const { return points_.use_count() - 1; }

private:
    void dawdle();
    void noteCall() const;
    [[nodiscard]] residency::GpuPointRef markOn(residency::CopyQueue& queue) const;

    PlayedSettings settings_;
    mutable std::atomic<int> calls_{0};
    std::shared_ptr<int> points_ = std::make_shared<int>();  ///< each point shares it
    std::mt19937_64 random_{7};                              ///< copying thread alone
    residency::CopyQueue copies_;
    residency::CopyQueue computes_;
};

}  // namespace lowtide::testing
