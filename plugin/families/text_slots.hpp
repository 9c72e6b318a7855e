#pragma once
// Text encoders that lie in files of their own, as a family has them. Torch-free.

#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"

#include <memory>
#include <span>
#include <vector>

namespace lowtide::models {

/// The component of a file with a text encoder, whichever one it becomes.
inline constexpr const char* kTextPart = "text_encoder";
inline constexpr const char* kTokenizerPart = "tokenizer";

/// `encoder`, which has a text encoder and its tokenizer, as those of a slot: for both.
[[nodiscard]] CheckpointParts textInSlot(std::shared_ptr<Checkpoint> encoder,
                                         const std::string& component,
                                         const std::string& tokenizer);

/// Each of `encoders` in the slot that takes its class; a whole checkpoint in all that it has.
/// Error{Unsupported} on "text_encoder" for one that no free slot takes.
[[nodiscard]] CheckpointParts textsInSlots(std::vector<std::shared_ptr<Checkpoint>> encoders,
                                           const Family& family);

}  // namespace lowtide::models
