#pragma once
// A stage's outline, its run, and its walk over shapes.

#include "nodes/engine/stage_def.hpp"
#include "nodes/engine/stages.hpp"
#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/stage_context.hpp"

#include <memory>
#include <vector>

namespace lowtide::nodes {

// Stages on shapes alone: the very functions that run them, over a ShapeWalk. Run thread; no
// weight is read. What a stage would refuse is refused here in the same words.

/// The stage with tensors of the shapes that are known in place of its placeholders. Every network
/// is walked once for each size of its input; the passes are those of the whole stage.
[[nodiscard]] memory::StageWork walkStage(const Stage& stage,
                                          const StageFacts& facts,
                                          const memory::StagePlace& place);

/// Of the values that a picture file gives.
[[nodiscard]] memory::StageWork walkPicture(int64_t heightPixels,
                                            int64_t widthPixels,
                                            const memory::StagePlace& place);

/// Of the frames that a video file gives.
[[nodiscard]] memory::StageWork walkFrames(const Shape& imageShape,
                                           const memory::StagePlace& place);

/// The 8-bit pictures of an image.
[[nodiscard]] memory::StageWork walkPictures(const Shape& imageShape,
                                             const memory::StagePlace& place);

/// What is known of a stage before it runs; `ports`: of its outputs. Opens files only where their
/// types matter.
[[nodiscard]] executor::WorkOutline outlineStage(const std::shared_ptr<const Stage>& stage,
                                                 const std::vector<PortDesc>& ports,
                                                 models::ModelHashes& hashes);

/// Runs it with its components in the precision that is asked for. The context gets them. What it
/// gives is finite, else Error as FiniteChecks has it.
[[nodiscard]] std::vector<WireRef> runStage(const Stage& stage,
                                            models::StageContext& context,
                                            const StageCall& call);

}  // namespace lowtide::nodes
