#include "plugin/models/split_checkpoint.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kTextPart = "text_encoder";
constexpr const char* kTokenizerPart = "tokenizer";

CheckpointParts withTokenizer(CheckpointParts parts) {
    if (const auto text = parts.find(kTextPart); text != parts.end()) {
        parts[kTokenizerPart] = text->second;
    }
    return parts;
}

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
    : PartedCheckpoint(std::move(denoiser), withTokenizer(std::move(parts))) {}

std::string SplitCheckpoint::itemOf(std::string_view component) const {
    for (const SplitPart& part : kSplitParts) {
        if (component == part.component) {
            return part.item;
        }
    }
    if (component == kSecondTransformer) {
        return kLowNoiseItem;
    }
    return component == kTokenizerPart ? kTextPart : "file";
}

}  // namespace lowtide::models
