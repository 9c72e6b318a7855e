#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/checkpoints/convert/conversion.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace lowtide::models {

/// What the tensors of a conversion share, one after the other: room for a piece of numbers, and
/// how far it is. 24 MiB.
class ConvertWorkspace {
public:
    /// So many numbers are on their way at once: whole blocks of every encoding.
    static constexpr int64_t kPieceElements = 1 << 20;

    /// `total`: bytes of all tensors of the new file.
    ConvertWorkspace(Bytes total, GoesOn goesOn);

    [[nodiscard]] float* numbers() { return numbers_.data(); }

    /// Numbers as they come back from what was written.
    [[nodiscard]] float* back() { return back_.data(); }

    [[nodiscard]] std::span<std::byte> scratch() { return scratch_; }

    [[nodiscard]] StopToken stop() const { return stop_.token(); }

    /// Asks whether to go on, after so many more bytes. Error{Cancelled}.
    void wrote(Bytes bytes);

private:
    Bytes total_;
    Bytes done_ = 0;
    GoesOn goesOn_;
    StopSource stop_;
    std::vector<float> numbers_;
    std::vector<float> back_;
    std::vector<std::byte> scratch_;
};

}  // namespace lowtide::models
