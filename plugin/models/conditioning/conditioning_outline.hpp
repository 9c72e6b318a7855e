#pragma once
// A conditioning before the run. Torch-free.

#include "plugin/base/units.hpp"
#include "plugin/models/conditioning/conditioning_edit.hpp"

#include <utility>
#include <vector>

namespace lowtide::models {

/// What is known of one encoded prompt.
struct EntryOutline {
    int64_t tokens = 0;
    int64_t pooledWidth = 0;  ///< 0: there is no pooled state
    tensor::ConditioningScope scope;
};

/// What is known of a conditioning; goes along wires in its place.
class ConditioningOutline final : public memory::WireValue {
public:
    /// `width` is D of [1, T, D].
    ConditioningOutline(std::vector<EntryOutline> entries, int64_t width)
        : entries_(std::move(entries)), width_(width) {}

    [[nodiscard]] std::string_view type() const override { return "CONDITIONING"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<ConditioningOutline>(*this);
    }

    [[nodiscard]] const std::vector<EntryOutline>& entries() const { return entries_; }

    [[nodiscard]] int64_t width() const { return width_; }

    /// [1, T, D] with the tokens of all entries together.
    [[nodiscard]] Shape shape() const;
    /// Of each entry its states, then its pooled one.
    [[nodiscard]] std::vector<Bytes> tensors() const;

private:
    std::vector<EntryOutline> entries_;
    int64_t width_;
};

/// What is known of a wire. Error{InvalidInput} on port `item` for a shape of no conditioning.
[[nodiscard]] ConditioningOutline outlineOf(const ConditioningShape& known, const char* item);

/// What an edit makes of `inputs`, one or two. Errors as editedConditioning().
[[nodiscard]] ConditioningOutline editedOutline(const std::vector<ConditioningOutline>& inputs,
                                                const ConditioningEdit& edit);

/// Error{InvalidInput} names the setting that cannot be.
void checkEdit(const ConditioningEdit& edit);

/// Error{InvalidInput} on port `item` unless there is one entry.
void requireOnePrompt(size_t entries, const char* item);

/// Error{InvalidInput} on port "second" unless both are of one width.
void requireOneWidth(int64_t first, int64_t second);

/// `scope` after an edit that restricts; others leave it.
void restrict(tensor::ConditioningScope& scope, const ConditioningEdit& edit);

}  // namespace lowtide::models
