#pragma once

#include "plugin/host_api/runner.hpp"

#include <atomic>
#include <memory>

namespace lowtide {

/// Asks whether a run shall end; cheap, from any thread.
class StopToken {
public:
    /// A token that never stops.
    StopToken();

    [[nodiscard]] CancelMode mode() const noexcept;
    /// Throws Error{Cancelled} when the run was cancelled now. Polled before every leaf operator,
    /// tile and 16 MiB read.
    void throwIfStopped() const;
    /// As throwIfStopped, also for "after this image": polled between images.
    void throwIfStoppedBetweenImages() const;

private:
    friend class StopSource;
    std::shared_ptr<std::atomic<CancelMode>> mode_;
};

/// The other end: one per run.
class StopSource {
public:
    /// Only ever tightens: Now is not taken back by AfterThisImage.
    void cancel(CancelMode mode) noexcept;

    [[nodiscard]] StopToken token() const { return token_; }

private:
    StopToken token_;
};

}  // namespace lowtide
