#pragma once

#include "plugin/memory/combinations.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// What the table of combinations says of the pass's steps.
[[nodiscard]] memory::Judgement judgeDetail(const DetailRequest& settings,
                                            const memory::ComponentPrecision& ofDenoiser);
/// scheduleWarnings() of the pass over a tile.
[[nodiscard]] Issues detailScheduleWarnings(const DetailRequest& settings);

/// Error{InvalidInput} or Error{Unsupported} names the input or the setting that cannot be. Of the
/// wires in `settings` only the model is looked at.
void checkDetail(const DetailShapes& shapes, const DetailRequest& settings);

/// Pictures of which every tile was denoised a little: per picture all tiles are encoded, then
/// denoised, then decoded and faded into each other, so that each network is needed once. Tile k in
/// reading order has the seed + k, in every picture of a batch. LibTorch's switches are each
/// network's while it runs. Polls "cancel after
/// this image" between pictures and "now" before every tile and leaf. Records detail_in and
/// detail_out.
[[nodiscard]] WireRef detailStage(StageContext& context,
                                  const DetailRequest& request,
                                  const StageCall& call);

}  // namespace lowtide::models
