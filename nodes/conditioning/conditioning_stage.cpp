#include "nodes/conditioning/conditioning_stage.hpp"

#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <type_traits>
#include <utility>

namespace lowtide::nodes {

namespace {

using tensor::Conditioning;
using tensor::ConditioningEntry;
using tensor::FieldKind;

using Entries = std::vector<ConditioningEntry>;

constexpr int64_t kTokensAxis = -2;

/// Its entries on `device`.
Entries entriesOn(const Conditioning& conditioning, c10::Device device) {
    Entries entries = conditioning.entries();
    for (ConditioningEntry& entry : entries) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = tensor::upload(tensor, device);
        }
    }
    return entries;
}

/// [1, ..., T, D] with `tokens` tokens: cut, or filled with zeros.
at::Tensor fitted(const at::Tensor& states, int64_t tokens) {
    const int64_t missing = tokens - states.size(kTokensAxis);
    if (missing <= 0) {
        return states.narrow(kTokensAxis, 0, tokens);
    }
    std::vector<int64_t> sizes = states.sizes().vec();
    sizes[sizes.size() - 2] = missing;
    return at::cat({states, at::zeros(sizes, states.options())}, kTokensAxis);
}

at::Tensor averaged(const at::Tensor& first, const at::Tensor& second, double share) {
    return first * share + second * (1 - share);
}

/// Puts `join(kind, first's, second's)` in the place of every tensor that both have.
template <class Join>
void joinTensors(const tensor::ConditioningFields& fields,
                 ConditioningEntry& first,
                 const ConditioningEntry& second,
                 const Join& join) {
    for (const tensor::ConditioningField& field : fields) {
        const auto own = first.tensors.find(field.name);
        const auto other = second.tensors.find(field.name);
        if (own != first.tensors.end() && other != second.tensors.end()) {
            own->second = join(field.kind, own->second, other->second);
        }
    }
}

void joinEntries(const tensor::ConditioningFields&,
                 Entries& first,
                 const Entries& second,
                 const CombineEdit&) {
    first.insert(first.end(), second.begin(), second.end());
}

void joinEntries(const tensor::ConditioningFields& fields,
                 Entries& first,
                 const Entries& second,
                 const ConcatEdit&) {
    requireOnePrompt(second.size(), "second");
    for (ConditioningEntry& entry : first) {
        joinTensors(
            fields,
            entry,
            second.front(),
            [](FieldKind kind, const at::Tensor& own, const at::Tensor& other) {
                return kind == FieldKind::Sequence ? at::cat({own, other}, kTokensAxis) : own;
            });
    }
}

void joinEntries(const tensor::ConditioningFields& fields,
                 Entries& first,
                 const Entries& second,
                 const AverageEdit& edit) {
    requireOnePrompt(second.size(), "second");
    const auto average = [&](FieldKind kind, const at::Tensor& own, const at::Tensor& other) {
        switch (kind) {
            case FieldKind::Sequence:
                return averaged(own, fitted(other, own.size(kTokensAxis)), edit.share);
            case FieldKind::Vector:
                return averaged(own, other, edit.share);
            case FieldKind::Image:
                break;
        }
        return own;
    };
    for (ConditioningEntry& entry : first) {
        joinTensors(fields, entry, second.front(), average);
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

/// Of what other encoders than the first read, where that is another text on either side.
template <class Edit>
std::vector<std::string> joinedOtherTexts(const Conditioning& first,
                                          const Conditioning& second,
                                          const Edit& edit) {
    std::vector<std::string> joined(
        std::max(first.otherPrompts().size(), second.otherPrompts().size()));
    for (size_t i = 0; i < joined.size(); ++i) {
        const auto ownOf = [&](const Conditioning& given) {
            return i < given.otherPrompts().size() ? given.otherPrompts()[i] : std::string();
        };
        const auto textOf = [&](const Conditioning& given) {
            return ownOf(given).empty() ? given.prompt() : ownOf(given);
        };
        if (!ownOf(first).empty() || !ownOf(second).empty()) {
            joined[i] = joinedText(textOf(first), textOf(second), edit);
        }
    }
    return joined;
}

std::vector<std::string> embeddingsOf(const Conditioning& first, const Conditioning& second) {
    std::vector<std::string> embeddings = first.embeddings();
    tensor::addEmbeddings(embeddings, second.embeddings());
    return embeddings;
}

bool holds(const Conditioning& given, const at::Tensor& tensor) {
    for (const ConditioningEntry& entry : given.entries()) {
        for (const auto& [name, known] : entry.tensors) {
            if (tensor.is_same(known)) {
                return true;
            }
        }
    }
    return false;
}

/// Tensors that `given` holds as copies: what lies on a wire is its own, and is counted once.
void own(Entries& entries, const Conditioning& given) {
    for (ConditioningEntry& entry : entries) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = holds(given, tensor) ? tensor.clone() : tensor;
        }
    }
}

c10::Device deviceOf(const Conditioning& conditioning) {
    return conditioning.entries().front().tensors.begin()->second.device();
}

template <class Edit>
memory::WireRef joinedConditioning(const Conditioning& first,
                                   const Conditioning& second,
                                   const Edit& edit) {
    requireOneStatement(first.fields(), second.fields());
    const c10::Device device = deviceOf(first);
    Entries entries = entriesOn(first, device);
    joinEntries(first.fields(), entries, entriesOn(second, device), edit);
    own(entries, first);
    own(entries, second);
    return std::make_shared<const Conditioning>(first.fields(),
                                                std::move(entries),
                                                joinedText(first.prompt(), second.prompt(), edit),
                                                first.clipSkip(),
                                                joinedOtherTexts(first, second, edit),
                                                embeddingsOf(first, second));
}

memory::WireRef restricted(const Conditioning& conditioning, const ConditioningEdit& edit) {
    Entries entries = conditioning.entries();
    for (ConditioningEntry& entry : entries) {
        restrict(entry.scope, edit);
    }
    own(entries, conditioning);
    return std::make_shared<const Conditioning>(conditioning.fields(),
                                                std::move(entries),
                                                conditioning.prompt(),
                                                conditioning.clipSkip(),
                                                conditioning.otherPrompts(),
                                                conditioning.embeddings());
}

StageShapes conditioningShapes(const ConditioningEdit& edit, StageFacts&) {
    std::vector<models::ConditioningOutline> known;
    for (const auto& [input, port] :
         {std::pair(&edit.first, "first"), std::pair(&edit.second, "second")}) {
        if (*input) {
            known.push_back(outlineOf(conditioningShapeOf(*input, port), port));
        }
    }
    return {.outputs = {outputOf(editedOutline(known, edit))}};
}

}  // namespace

models::ConditioningOutline outlineOf(const Conditioning& conditioning) {
    std::vector<models::EntryOutline> entries;
    for (const ConditioningEntry& entry : conditioning.entries()) {
        models::EntryOutline& outline =
            entries.emplace_back(models::EntryOutline{.scope = entry.scope});
        for (const auto& [name, tensor] : entry.tensors) {
            outline.tensors.emplace(name, tensor.sizes().vec());
        }
    }
    return {conditioning.fields(), std::move(entries)};
}

memory::WireRef editedConditioning(const ConditioningEdit& edit) {
    checkEdit(edit);
    return std::visit(
        [&](const auto& kind) -> memory::WireRef {
            using Edit = std::decay_t<decltype(kind)>;
            if constexpr (std::is_same_v<Edit, AreaEdit> || std::is_same_v<Edit, TimeEdit>) {
                return restricted(conditioningIn(edit.first, "conditioning"), edit);
            } else {
                return joinedConditioning(conditioningIn(edit.first, "first"),
                                          conditioningIn(edit.second, "second"),
                                          kind);
            }
        },
        edit.edit);
}

const StageDef<ConditioningEdit>& stageOf(const ConditioningEdit&) {
    static const StageDef<ConditioningEdit> def{
        .name = "conditioning",
        .wires = {{"first", &ConditioningEdit::first}, {"second", &ConditioningEdit::second}},
        .shape = conditioningShapes,
        .run = [](models::StageContext&, const ConditioningEdit& edit, const StageCall&) {
            return std::vector<WireRef>{editedConditioning(edit)};
        }};
    return def;
}

}  // namespace lowtide::nodes
