#include "plugin/checkpoints/split_checkpoint.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kTextItem = "text_encoder";

}  // namespace

const SplitPart& splitPart(std::string_view item) {
    const auto* found = std::find_if(std::begin(kSplitParts),
                                     std::end(kSplitParts),
                                     [&](const SplitPart& part) { return part.item == item; });
    if (found == std::end(kSplitParts)) {
        throw Error(ErrorKind::Internal, "no part of a model is called " + std::string(item), "");
    }
    return *found;
}

SplitCheckpoint::SplitCheckpoint(std::unique_ptr<Checkpoint> denoiser, CheckpointParts parts)
    : PartedCheckpoint(std::move(denoiser), std::move(parts)) {}

std::string SplitCheckpoint::itemOf(std::string_view component) const {
    for (const SplitPart& part : kSplitParts) {
        if (component == part.component) {
            return part.item;
        }
    }
    if (component == kSecondTransformer) {
        return kLowNoiseItem;
    }
    const bool isText = component.starts_with("text_encoder") || component.starts_with("tokenizer");
    return isText ? kTextItem : "file";
}

}  // namespace lowtide::models
