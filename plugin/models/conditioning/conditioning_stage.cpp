#include "plugin/models/conditioning/conditioning_stage.hpp"

#include "plugin/base/text.hpp"
#include "plugin/models/conditioning/conditioning_outline.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <type_traits>
#include <utility>

namespace lowtide::models {

namespace {

using tensor::Conditioning;
using tensor::ConditioningEntry;

/// Its entries on `device`.
std::vector<ConditioningEntry> entriesOn(const Conditioning& conditioning, c10::Device device) {
    std::vector<ConditioningEntry> entries = conditioning.entries();
    for (ConditioningEntry& entry : entries) {
        entry.embeds = tensor::upload(entry.embeds, device);
        entry.pooled = tensor::upload(entry.pooled, device);
    }
    return entries;
}

/// [1, T, D] with `tokens` tokens: cut, or filled with zeros.
at::Tensor fitted(const at::Tensor& embeds, int64_t tokens) {
    const int64_t missing = tokens - embeds.size(1);
    if (missing <= 0) {
        return embeds.narrow(1, 0, tokens);
    }
    return at::cat({embeds, at::zeros({1, missing, embeds.size(2)}, embeds.options())}, 1);
}

at::Tensor averaged(const at::Tensor& first, const at::Tensor& second, double share) {
    return first * share + second * (1 - share);
}

using Entries = std::vector<ConditioningEntry>;

void joinEntries(Entries& first, const Entries& second, const CombineEdit&) {
    first.insert(first.end(), second.begin(), second.end());
}

void joinEntries(Entries& first, const Entries& second, const ConcatEdit&) {
    requireOnePrompt(second.size(), "second");
    for (ConditioningEntry& entry : first) {
        entry.embeds = at::cat({entry.embeds, second.front().embeds}, 1);
    }
}

void joinEntries(Entries& first, const Entries& second, const AverageEdit& edit) {
    requireOnePrompt(second.size(), "second");
    const ConditioningEntry& other = second.front();
    for (ConditioningEntry& entry : first) {
        entry.embeds =
            averaged(entry.embeds, fitted(other.embeds, entry.embeds.size(1)), edit.share);
        if (entry.pooled.defined() && other.pooled.defined()) {
            entry.pooled = averaged(entry.pooled, other.pooled, edit.share);
        }
    }
}

std::string inQuotes(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\\\"" : std::string(1, c);
    }
    return quoted + '"';
}

// The texts of both in the words of the programs that have the operation: AND and BREAK are
// A1111's, blend is Compel's.

std::string joinedText(const std::string& first, const std::string& second, const CombineEdit&) {
    return first + " AND " + second;
}

std::string joinedText(const std::string& first, const std::string& second, const ConcatEdit&) {
    return first + " BREAK " + second;
}

std::string joinedText(const std::string& first,
                       const std::string& second,
                       const AverageEdit& edit) {
    return "(" + inQuotes(first) + ", " + inQuotes(second) + ").blend(" + formatNumber(edit.share) +
           ", " + formatNumber(1 - edit.share) + ")";
}

/// Tensors that `given` holds as copies: what lies on a wire is its own, and is counted once.
void own(Entries& entries, const Conditioning& given) {
    const auto copyOf = [](at::Tensor& tensor, const at::Tensor& known) {
        if (tensor.defined() && tensor.is_same(known)) {
            tensor = tensor.clone();
        }
    };
    for (ConditioningEntry& entry : entries) {
        for (const ConditioningEntry& known : given.entries()) {
            copyOf(entry.embeds, known.embeds);
            copyOf(entry.pooled, known.pooled);
        }
    }
}

template <class Edit>
memory::WireRef joinedConditioning(const Conditioning& first,
                                   const Conditioning& second,
                                   const Edit& edit) {
    requireOneWidth(first.embeds().size(2), second.embeds().size(2));
    const c10::Device device = first.embeds().device();
    Entries entries = entriesOn(first, device);
    joinEntries(entries, entriesOn(second, device), edit);
    own(entries, first);
    own(entries, second);
    return std::make_shared<const Conditioning>(
        std::move(entries), joinedText(first.prompt(), second.prompt(), edit), first.clipSkip());
}

memory::WireRef restricted(const Conditioning& conditioning, const ConditioningEdit& edit) {
    Entries entries = conditioning.entries();
    for (ConditioningEntry& entry : entries) {
        restrict(entry.scope, edit);
    }
    own(entries, conditioning);
    return std::make_shared<const Conditioning>(
        std::move(entries), conditioning.prompt(), conditioning.clipSkip());
}

}  // namespace

memory::WireRef editedConditioning(const ConditioningEdit& edit) {
    checkEdit(edit);
    return std::visit(
        [&](const auto& kind) -> memory::WireRef {
            using Kind = std::decay_t<decltype(kind)>;
            if constexpr (std::is_same_v<Kind, AreaEdit> || std::is_same_v<Kind, TimeEdit>) {
                return restricted(conditioningIn(edit.first, "conditioning"), edit);
            } else {
                return joinedConditioning(conditioningIn(edit.first, "first"),
                                          conditioningIn(edit.second, "second"),
                                          kind);
            }
        },
        edit.edit);
}

}  // namespace lowtide::models
