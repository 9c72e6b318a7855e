#pragma once

#include "plugin/base/units.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lowtide::tensor {

/// The device whose memory a walk counts. On the CPU tensors take their bytes and kernels hold
/// buffers of their own; a card gives multiples of memory::kSlotAlignment. A rehearsal runs the
/// CPU's operators, and what they take beside tensors is the host's; a CUDA card runs its own,
/// whose workspaces come from the same allocator.
enum class Imitated : uint8_t { Cpu, Rehearsal, Cuda };

/// "cpu" is the CPU, "cuda" a CUDA card, every other kind a rehearsal of one.
[[nodiscard]] Imitated imitatedBy(std::string_view deviceKind) noexcept;

/// While one lives, tensors of the meta device that its thread makes are counted as the imitated
/// device would count them, and operators tell their floating-point operations. Real tensors of the
/// host (schedules, waves of timesteps) lie on the CPU device too, so there they count as well. One
/// at a time on a thread; the tensors may outlive it.
class WalkMeter {
    struct Balance;

public:
    /// `isThere`: the device can be asked what its operators take.
    explicit WalkMeter(Imitated device, bool isThere = true);
    ~WalkMeter();
    WalkMeter(const WalkMeter&) = delete;
    WalkMeter& operator=(const WalkMeter&) = delete;

    /// The one of this thread; Error{Internal} where there is none.
    [[nodiscard]] static WalkMeter& current();

    /// Whether a walk of this thread is one on a CUDA card.
    [[nodiscard]] static bool isOnCuda() noexcept;

    [[nodiscard]] Imitated device() const noexcept { return device_; }

    [[nodiscard]] bool isThere() const noexcept { return isThere_; }

    /// Bytes of the tensors that live now, and the most at once since the start.
    [[nodiscard]] Bytes allocated() const noexcept;
    [[nodiscard]] Bytes peak() const noexcept;
    [[nodiscard]] Bytes peakElsewhere() const noexcept;
    /// As if `bytes` lived beside what is there, for a moment.
    void touch(Bytes bytes) noexcept;

    /// An operator takes about so much, which nobody said: it is among the tensors.
    void noteGuess(Bytes bytes) noexcept { guessed_ = std::max(guessed_, bytes); }

    /// The most that one operator was guessed to take.
    [[nodiscard]] Bytes guessed() const noexcept { return guessed_; }

    [[nodiscard]] double flops() const noexcept { return flops_; }

    void addFlops(double flops) noexcept { flops_ += flops; }

    /// Tensors that are made while one lives count nothing: weights, and what lies on wires.
    class Pause {
    public:
        Pause() noexcept;
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

    /// Tensors that are made while one lives lie on another device, whose bytes count by
    /// themselves: peakElsewhere().
    class Elsewhere {
    public:
        explicit Elsewhere(WalkMeter& meter) noexcept;
        ~Elsewhere();
        Elsewhere(const Elsewhere&) = delete;
        Elsewhere& operator=(const Elsewhere&) = delete;

    private:
        WalkMeter& meter_;
        std::shared_ptr<Balance> before_;
    };

    /// The most bytes at once while it lives, beyond those at its start.
    class Section {
    public:
        explicit Section(WalkMeter& meter) noexcept;
        ~Section();
        Section(const Section&) = delete;
        Section& operator=(const Section&) = delete;

        [[nodiscard]] Bytes peak() const noexcept;

    private:
        std::shared_ptr<Balance> balance_;
        Bytes start_;
        Bytes peakBefore_;
    };

private:
    class Memory;
    class HostTensors;

    const Imitated device_;
    const bool isThere_;
    Bytes guessed_ = 0;
    std::shared_ptr<Balance> own_;
    std::shared_ptr<Balance> elsewhere_;
    std::shared_ptr<Balance> balance_;          ///< that counts now: one of the two
    std::unique_ptr<HostTensors> hostTensors_;  ///< on the CPU
    double flops_ = 0;
};

}  // namespace lowtide::tensor
