#include "plugin/base/stop_token.hpp"

#include "plugin/base/error.hpp"

namespace lowtide {

StopToken::StopToken() : mode_(std::make_shared<std::atomic<CancelMode>>(CancelMode::No)) {}

CancelMode StopToken::mode() const noexcept {
    return mode_->load(std::memory_order_relaxed);
}

void StopToken::throwIfStopped() const {
    if (mode() == CancelMode::Now) {
        throw Error(ErrorKind::Cancelled, message("the run was cancelled"));
    }
}

void StopToken::throwIfStoppedBetweenImages() const {
    if (mode() != CancelMode::No) {
        throw Error(ErrorKind::Cancelled, message("the run was cancelled after an image"));
    }
}

void StopSource::cancel(CancelMode mode) noexcept {
    CancelMode now = token_.mode_->load();
    while (now < mode && !token_.mode_->compare_exchange_weak(now, mode)) {
    }
}

}  // namespace lowtide
