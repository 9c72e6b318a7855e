#include "plugin/checkpoints/convert/convert_workspace.hpp"

#include <utility>

namespace lowtide::models {

namespace {

/// Room for the source's bytes of a piece, and for its numbers where blocks are read around it.
constexpr Bytes kConvertScratch = 16 * kMiB;

}  // namespace

ConvertWorkspace::ConvertWorkspace(Bytes total, GoesOn goesOn)
    : total_(total),
      goesOn_(std::move(goesOn)),
      numbers_(kPieceElements),
      back_(kPieceElements),
      scratch_(kConvertScratch) {}

void ConvertWorkspace::wrote(Bytes bytes) {
    done_ += bytes;
    if (goesOn_ && !goesOn_(done_, total_)) {
        stop_.cancel(CancelMode::Now);
    }
    stop().throwIfStopped();
}

}  // namespace lowtide::models
