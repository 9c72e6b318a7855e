#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/stage_work.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace lowtide::tensor {

using memory::Imitated;

/// While one lives, tensors of the meta device that its thread makes are counted as the imitated
/// device would count them, and operators report their floating-point operations. Real tensors of
/// the host (schedules, waves of timesteps) count as the host's, whatever device is imitated. One
/// at a time on a thread; the tensors may outlive it.
class DryRunMeter {
    struct Balance;

public:
    explicit DryRunMeter(const memory::StageDevice& device);
    ~DryRunMeter();
    DryRunMeter(const DryRunMeter&) = delete;
    DryRunMeter& operator=(const DryRunMeter&) = delete;

    /// The one of this thread; Error{Internal} where there is none.
    [[nodiscard]] static DryRunMeter& current();

    /// Whether this thread makes a dry run for a CUDA GPU.
    [[nodiscard]] static bool isOnCuda() noexcept;

    /// Where tensors are made now, and what is imitated there.
    [[nodiscard]] const memory::StageDevice& device() const noexcept;
    [[nodiscard]] Imitated imitated() const noexcept;

    /// Bytes of the tensors that live where tensors are made now.
    [[nodiscard]] Bytes allocated() const noexcept;
    /// The most at once since the start, on the meter's own device.
    [[nodiscard]] Bytes peak() const noexcept;
    /// The same of every other one that held something, by id.
    [[nodiscard]] std::map<std::string, Bytes, std::less<>> peaksElsewhere() const;
    /// As if `bytes` were allocated for a moment in addition to what is there.
    void touch(Bytes bytes) noexcept;
    /// The same in host memory.
    void touchHost(Bytes bytes) noexcept;

    /// An operator takes about so much, which nobody reported: it is among the tensors.
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
    /// themselves: peaksElsewhere(). The host, where no device is given.
    class Elsewhere {
    public:
        explicit Elsewhere(DryRunMeter& meter, const memory::StageDevice& device = {});
        ~Elsewhere();
        Elsewhere(const Elsewhere&) = delete;
        Elsewhere& operator=(const Elsewhere&) = delete;

    private:
        DryRunMeter& meter_;
        std::shared_ptr<Balance> before_;
    };

    /// The most bytes at once while it lives, beyond those at its start: where tensors are made
    /// now, and in host memory, which is 0 where they are made there.
    class Section {
    public:
        explicit Section(DryRunMeter& meter) noexcept;
        ~Section();
        Section(const Section&) = delete;
        Section& operator=(const Section&) = delete;

        [[nodiscard]] Bytes peak() const noexcept;
        [[nodiscard]] Bytes hostPeak() const noexcept;

    private:
        /// Of one balance.
        struct Part {
            explicit Part(std::shared_ptr<Balance> of) noexcept;
            ~Part();
            Part(const Part&) = delete;
            Part& operator=(const Part&) = delete;
            [[nodiscard]] Bytes peak() const noexcept;

            std::shared_ptr<Balance> balance;
            Bytes start;
            Bytes peakBefore;
        };

        Part part_;
        std::optional<Part> host_;
    };

private:
    class Memory;
    class HostTensors;

    [[nodiscard]] const std::shared_ptr<Balance>& balanceOf(const memory::StageDevice& device);

    Bytes guessed_ = 0;
    std::map<std::string, std::shared_ptr<Balance>, std::less<>> balances_;  ///< by device
    std::shared_ptr<Balance> own_;
    std::shared_ptr<Balance> host_;
    std::shared_ptr<Balance> balance_;  ///< that counts now
    std::unique_ptr<HostTensors> hostTensors_;
    double flops_ = 0;
};

}  // namespace lowtide::tensor
