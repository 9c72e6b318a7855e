// The nodes that make one conditioning of two: combine, concat and average.

#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

using models::ConditioningSpec;
using models::EntrySpec;
using tensor::Conditioning;
using tensor::ConditioningEntry;
using tensor::ConditioningField;
using tensor::ConditioningFields;
using tensor::FieldKind;

/// Both speak: the denoiser's predictions for them are averaged, in proportion to their strengths.
/// Source: ComfyUI ConditioningCombine.
struct CombineAsked {
    WireRef first;
    WireRef second;
};

/// The tokens of the second follow those of the first in every sequence, in one prediction; what
/// else the first holds is kept. The second must hold one prompt. Source: ComfyUI
/// ConditioningConcat.
struct ConcatAsked {
    WireRef first;
    WireRef second;
};

/// fraction * first + (1 - fraction) * second, of every sequence and vector that both have; the
/// second, which must hold one prompt, is cut or filled with zeros to the tokens of the first.
/// Source: ComfyUI ConditioningAverage.
struct AverageAsked {
    WireRef first;
    WireRef second;
    double fraction = 1;
};

std::string fieldNames(const ConditioningFields& fields) {
    std::vector<std::string> names;
    for (const ConditioningField& field : fields) {
        names.push_back(field.name);
    }
    return join(names, ", ");
}

/// Error{InvalidInput} on port "second" unless both have the same fields.
void requireOneStatement(const ConditioningFields& first, const ConditioningFields& second) {
    const Message hint = message("encode both with the same checkpoint");
    requireThat(fieldNames(first) == fieldNames(second),
                message("the conditionings hold {} and {}", fieldNames(first), fieldNames(second)),
                hint,
                "second");
    for (size_t i = 0; i < first.size(); ++i) {
        requireThat(first[i] == second[i],
                    message("{} of the conditionings are {} and {} wide",
                            first[i].name,
                            first[i].width,
                            second[i].width),
                    hint,
                    "second");
    }
}

constexpr int64_t kTokensAxis = -2;

Shape joined(const ConcatAsked&, FieldKind kind, const Shape& own, const Shape& other) {
    Shape shape = own;
    if (kind == FieldKind::Sequence) {
        shape.at(own.size() - 2) += other.at(other.size() - 2);
    }
    return shape;
}

at::Tensor joined(const ConcatAsked&,
                  FieldKind kind,
                  const at::Tensor& own,
                  const at::Tensor& other) {
    return kind == FieldKind::Sequence ? at::cat({own, other}, kTokensAxis) : own;
}

/// [1, ..., T, D] with `tokens` tokens: cut, or filled with zeros.
at::Tensor withTokens(const at::Tensor& states, int64_t tokens) {
    const int64_t missing = tokens - states.size(kTokensAxis);
    if (missing <= 0) {
        return states.narrow(kTokensAxis, 0, tokens);
    }
    std::vector<int64_t> sizes = states.sizes().vec();
    sizes[sizes.size() - 2] = missing;
    return at::cat({states, at::zeros(sizes, states.options())}, kTokensAxis);
}

at::Tensor averaged(const at::Tensor& first, const at::Tensor& second, double fraction) {
    return first * fraction + second * (1 - fraction);
}

Shape joined(const AverageAsked&, FieldKind, const Shape& own, const Shape&) {
    return own;
}

at::Tensor joined(const AverageAsked& asked,
                  FieldKind kind,
                  const at::Tensor& own,
                  const at::Tensor& other) {
    switch (kind) {
        case FieldKind::Sequence:
            return averaged(own, withTokens(other, own.size(kTokensAxis)), asked.fraction);
        case FieldKind::Vector:
            return averaged(own, other, asked.fraction);
        case FieldKind::Image:
            break;
    }
    return own;
}

/// Error{InvalidInput} on port `item` unless there is one entry.
void requireOnePrompt(size_t entries, const char* item) {
    requireThat(entries == 1,
                message("the input {} holds {} prompts, one can be joined", item, entries),
                message("combine afterwards, not before"),
                item);
}

/// Every tensor, or shape of one, that both have becomes the joined one, in all prompts of the
/// first. Error{InvalidInput} on port "second" unless it holds one prompt.
template <class Entry, class Asked>
void joinTensors(const Asked& asked,
                 const ConditioningFields& fields,
                 std::vector<Entry>& first,
                 const std::vector<Entry>& second) {
    requireOnePrompt(second.size(), "second");
    for (Entry& entry : first) {
        for (const ConditioningField& field : fields) {
            const auto own = entry.tensors.find(field.name);
            const auto other = second.front().tensors.find(field.name);
            if (own != entry.tensors.end() && other != second.front().tensors.end()) {
                own->second = joined(asked, field.kind, own->second, other->second);
            }
        }
    }
}

template <class Entry>
void joinEntries(const CombineAsked&,
                 const ConditioningFields&,
                 std::vector<Entry>& first,
                 const std::vector<Entry>& second) {
    first.insert(first.end(), second.begin(), second.end());
}

template <class Entry>
void joinEntries(const ConcatAsked& asked,
                 const ConditioningFields& fields,
                 std::vector<Entry>& first,
                 const std::vector<Entry>& second) {
    joinTensors(asked, fields, first, second);
}

template <class Entry>
void joinEntries(const AverageAsked& asked,
                 const ConditioningFields& fields,
                 std::vector<Entry>& first,
                 const std::vector<Entry>& second) {
    requireThat(std::isfinite(asked.fraction),
                message("the fraction is no number"),
                message("choose a number from 0 to 1"),
                "share");
    joinTensors(asked, fields, first, second);
}

template <class Asked>
StageShapes joinedShapes(const Asked& asked, StageFacts&) {
    const ConditioningSpec first = specAt(asked.first, "first");
    const ConditioningSpec second = specAt(asked.second, "second");
    requireOneStatement(first.fields(), second.fields());
    std::vector<EntrySpec> entries = first.entries();
    joinEntries(asked, first.fields(), entries, second.entries());
    return {.outputs = {outputOf(ConditioningSpec(first.fields(), std::move(entries)))}};
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

std::string joinedText(const CombineAsked&, const std::string& first, const std::string& second) {
    return first + " AND " + second;
}

std::string joinedText(const ConcatAsked&, const std::string& first, const std::string& second) {
    return first + " BREAK " + second;
}

std::string joinedText(const AverageAsked& asked,
                       const std::string& first,
                       const std::string& second) {
    return "(" + inQuotes(first) + ", " + inQuotes(second) + ").blend(" +
           formatNumber(asked.fraction) + ", " + formatNumber(1 - asked.fraction) + ")";
}

/// Of what other encoders than the first read, where that is another text on either side.
template <class Asked>
std::vector<std::string> joinedOtherTexts(const Asked& asked,
                                          const Conditioning& first,
                                          const Conditioning& second) {
    std::vector<std::string> texts(
        std::max(first.otherPrompts().size(), second.otherPrompts().size()));
    for (size_t i = 0; i < texts.size(); ++i) {
        const auto ownOf = [&](const Conditioning& given) {
            return i < given.otherPrompts().size() ? given.otherPrompts()[i] : std::string();
        };
        const auto textOf = [&](const Conditioning& given) {
            return ownOf(given).empty() ? given.prompt() : ownOf(given);
        };
        if (!ownOf(first).empty() || !ownOf(second).empty()) {
            texts[i] = joinedText(asked, textOf(first), textOf(second));
        }
    }
    return texts;
}

std::vector<std::string> embeddingsOf(const Conditioning& first, const Conditioning& second) {
    std::vector<std::string> embeddings = first.embeddings();
    tensor::addEmbeddings(embeddings, second.embeddings());
    return embeddings;
}

std::vector<ConditioningEntry> entriesOn(const Conditioning& conditioning, c10::Device device) {
    std::vector<ConditioningEntry> entries = conditioning.entries();
    for (ConditioningEntry& entry : entries) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = tensor::upload(tensor, device);
        }
    }
    return entries;
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
void own(std::vector<ConditioningEntry>& entries, const Conditioning& given) {
    for (ConditioningEntry& entry : entries) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = holds(given, tensor) ? tensor.clone() : tensor;
        }
    }
}

/// The result lies where the first one lies.
template <class Asked>
std::vector<WireRef> joinedConditioning(models::StageContext&,
                                        const Asked& asked,
                                        const StageCall&) {
    const Conditioning& first = conditioningIn(asked.first, "first");
    const Conditioning& second = conditioningIn(asked.second, "second");
    requireOneStatement(first.fields(), second.fields());
    const c10::Device device = first.entries().front().tensors.begin()->second.device();
    std::vector<ConditioningEntry> entries = entriesOn(first, device);
    joinEntries(asked, first.fields(), entries, entriesOn(second, device));
    own(entries, first);
    own(entries, second);
    return {std::make_shared<const Conditioning>(first.fields(),
                                                 std::move(entries),
                                                 joinedText(asked, first.prompt(), second.prompt()),
                                                 first.clipSkip(),
                                                 joinedOtherTexts(asked, first, second),
                                                 embeddingsOf(first, second))};
}

PortDesc conditioningPort(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .type = "CONDITIONING"};
}

/// What the two inputs are.
struct JoinedTooltips {
    std::string first;
    std::string second;
};

template <class Asked>
executor::NodeType joinNode(Stages& stages,
                            NodeDesc desc,
                            JoinedTooltips tooltips,
                            std::vector<Field<Asked>> params = {}) {
    desc.category = "Conditioning";
    desc.outputs = {conditioningPort("conditioning", "Conditioning", "What the denoiser follows.")};
    std::vector<Field<Asked>> fields = {
        input(&Asked::first, conditioningPort("first", "First", std::move(tooltips.first))),
        input(&Asked::second, conditioningPort("second", "Second", std::move(tooltips.second)))};
    fields.insert(fields.end(), params.begin(), params.end());
    return nodeOf<Asked>(stages,
                         {.desc = std::move(desc),
                          .fields = std::move(fields),
                          .stage = {.name = "conditioning",
                                    .shape = joinedShapes<Asked>,
                                    .run = joinedConditioning<Asked>}});
}

}  // namespace

executor::NodeType combineNode(Stages& stages) {
    return joinNode<CombineAsked>(
        stages,
        {.id = "conditioning.combine",
         .label = "Combine conditionings",
         .tooltip = "Applies both: what the denoiser predicts for each is averaged."},
        {.first = "One or several prompts.", .second = "One or several more."});
}

executor::NodeType concatNode(Stages& stages) {
    return joinNode<ConcatAsked>(
        stages,
        {.id = "conditioning.concat",
         .label = "Concatenate conditionings",
         .tooltip = "Makes one long prompt: the tokens of the second follow those of the first."},
        {.first = "What is lengthened.", .second = "What is appended; a single prompt."});
}

executor::NodeType averageNode(Stages& stages) {
    return joinNode<AverageAsked>(
        stages,
        {.id = "conditioning.average",
         .label = "Average conditionings",
         .tooltip = "Makes one prompt that lies between two."},
        {.first = "Weighted by the fraction.", .second = "Counts for the rest; a single prompt."},
        {param(&AverageAsked::fraction,
               fractionParam("share",
                             "Fraction",
                             "Of the first: 1 is the first alone, 0 the second alone.",
                             0.01))});
}

}  // namespace lowtide::nodes
