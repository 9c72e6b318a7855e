#include "plugin/interop/fold.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/interop/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace lowtide::interop {

namespace {

using FoldedOutputs = std::vector<PromptInput>;

constexpr size_t kLongestText = 1u << 20;
constexpr size_t kMostTexts = 64u << 20;  ///< bytes, of all that is evaluated and handed on

/// The value of an input; null: it is wired to what only a run gives, or is not there.
Json valueOf(const PromptNode& node, const std::string& name) {
    const auto input = node.inputs.find(name);
    return input == node.inputs.end() || input->second.from ? Json() : input->second.value;
}

PromptInput givenValue(Json value) {
    return {.from = std::nullopt, .value = std::move(value)};
}

/// As Python writes it into a text.
std::string textOfValue(const Json& value) {
    return value.is_string()         ? value.get<std::string>()
           : value.is_boolean()      ? (value.get<bool>() ? "True" : "False")
           : value.is_number_float() ? formatNumber(value.get<double>())
                                     : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<FoldedOutputs> foldSwitch(const PromptNode& node) {
    const Json choice = valueOf(node, "switch");
    if (!choice.is_boolean() && !choice.is_number()) {
        return std::nullopt;
    }
    const bool isOn = choice.is_boolean() ? choice.get<bool>() : choice.get<double>() != 0;
    const auto taken = node.inputs.find(isOn ? "on_true" : "on_false");
    return FoldedOutputs{taken == node.inputs.end() ? PromptInput() : taken->second};
}

/// What is wired, or given, first.
FoldedOutputs foldFirst(const PromptNode& node) {
    for (const auto& [name, input] : node.inputs) {
        if (input.from || !input.value.is_null()) {
            return {input};
        }
    }
    return {PromptInput()};
}

/// "values.a" and its like by their last part; nothing where one of them is not known.
std::optional<std::map<std::string, Json>> namedNumbers(const PromptNode& node) {
    std::map<std::string, Json> values;
    for (const auto& [name, input] : node.inputs) {
        if (name == "expression") {
            continue;
        }
        if (input.from) {
            return std::nullopt;
        }
        values[name.substr(name.rfind('.') + 1)] = input.value;
    }
    return values;
}

std::optional<FoldedOutputs> foldMath(const PromptNode& node) {
    const Json expression = valueOf(node, "expression");
    const std::optional<std::map<std::string, Json>> values = namedNumbers(node);
    if (!expression.is_string() || !values) {
        return std::nullopt;
    }
    const std::optional<Json> result = evaluate(expression.get<std::string>(), *values);
    if (!result) {
        return std::nullopt;
    }
    const auto real = result->get<double>();
    const std::optional<Json> whole = evaluate("int(x)", {{"x", *result}});
    return FoldedOutputs{
        givenValue(real), givenValue(whole.value_or(*result)), givenValue(real != 0)};
}

std::optional<FoldedOutputs> foldConcat(const PromptNode& node) {
    const Json a = valueOf(node, "string_a"), b = valueOf(node, "string_b");
    if (a.is_null() || b.is_null()) {
        return std::nullopt;
    }
    const Json delimiter = valueOf(node, "delimiter");
    const std::string between = delimiter.is_null() ? std::string() : textOfValue(delimiter);
    std::string text = textOfValue(a) + between + textOfValue(b);
    return text.size() > kLongestText ? std::nullopt
                                      : std::optional(FoldedOutputs{givenValue(std::move(text))});
}

/// Nothing where the result would be longer than kLongestText.
std::optional<std::string> replaced(std::string text,
                                    const std::string& old,
                                    const std::string& by) {
    if (old.empty()) {
        return text.size() > kLongestText ? std::nullopt : std::optional(std::move(text));
    }
    std::string result;
    for (size_t at = 0;;) {
        const size_t found = text.find(old, at);
        result.append(text, at, found - at);
        if (result.size() > kLongestText) {
            return std::nullopt;
        }
        if (found == std::string::npos) {
            return result;
        }
        result += by;
        at = found + old.size();
    }
}

std::optional<FoldedOutputs> foldReplace(const PromptNode& node) {
    const Json text = valueOf(node, "string"), old = valueOf(node, "find"),
               by = valueOf(node, "replace");
    if (text.is_null() || old.is_null() || by.is_null()) {
        return std::nullopt;
    }
    std::optional<std::string> result =
        replaced(textOfValue(text), textOfValue(old), textOfValue(by));
    return result ? std::optional(FoldedOutputs{givenValue(std::move(*result))}) : std::nullopt;
}

/// Two numbers of "16:9 (Widescreen)".
std::optional<double> aspectIn(const std::string& text) {
    double parts[2] = {};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (double& part : parts) {
        const auto [next, error] = std::from_chars(at, end, part);
        if (error != std::errc() || !(part > 0)) {
            return std::nullopt;
        }
        at = next == end ? next : next + 1;
    }
    const double aspect = parts[0] / parts[1];
    return std::isfinite(aspect) && aspect > 0 ? std::optional(aspect) : std::nullopt;
}

std::optional<FoldedOutputs> foldResolution(const PromptNode& node) {
    const Json ratio = valueOf(node, "aspect_ratio"), pixels = valueOf(node, "megapixels"),
               multiple = valueOf(node, "multiple");
    const std::optional<double> aspect =
        ratio.is_string() ? aspectIn(ratio.get<std::string>()) : std::nullopt;
    if (!aspect || !pixels.is_number() || pixels.get<double>() <= 0) {
        return std::nullopt;
    }
    const double step = multiple.is_number() ? std::max(1.0, multiple.get<double>()) : 8.0;
    const double area = pixels.get<double>() * 1024 * 1024;
    constexpr double kLongestEdge = 65536;
    const auto rounded = [&](double length) {
        return givenValue(
            static_cast<int64_t>(std::round(std::min(length, kLongestEdge) / step) * step));
    };
    return FoldedOutputs{rounded(std::sqrt(area * *aspect)), rounded(std::sqrt(area / *aspect))};
}

bool namesPlusPlus(const PromptNode& node) {
    const Json sampler = valueOf(node, "sampler_name");
    return sampler.is_string() &&
           sampler.get_ref<const std::string&>().find("cfg_pp") != std::string::npos;
}

class PromptFolder {
public:
    PromptFolder(Prompt& prompt, const ClassTable& table, const ImageProbe& imageSize)
        : prompt_(prompt), table_(table), imageSize_(imageSize) {}

    std::vector<FoldedNode> fold() {
        const std::set<std::string> feeding = feedingNodes();
        for (const std::string& id : inOrder(prompt_)) {
            foldNode(id);
        }
        for (const FoldedNode& node : folded_) {
            prompt_.nodes.erase(node.id);
        }
        dropUnusedZeros();
        dropNodesOfOtherBranches(feeding);
        return std::move(folded_);
    }

private:
    void foldNode(const std::string& id) {
        PromptNode& node = prompt_.nodes.at(id);
        for (auto& [name, input] : node.inputs) {
            const auto known = input.from ? outputs_.find(*input.from) : outputs_.end();
            if (known != outputs_.end()) {
                input = known->second;
                countText(input);
            }
        }
        const ClassRow* row = table_.find(node.type);
        if (row == nullptr || row->fold.empty()) {
            return;
        }
        if (const std::optional<FoldedOutputs> outputs = outputsOf(node, *row)) {
            for (size_t slot = 0; slot < outputs->size(); ++slot) {
                countText((*outputs)[slot]);
                outputs_[{id, static_cast<int>(slot)}] = (*outputs)[slot];
            }
            folded_.push_back({.id = id, .type = node.type});
        }
    }

    /// A few nodes can double a text again and again, or give it to all others.
    void countText(const PromptInput& input) {
        texts_ += input.value.is_string() ? input.value.get_ref<const std::string&>().size() : 0;
        if (texts_ > kMostTexts) {
            throw Error(ErrorKind::Corrupt,
                        message("the texts that nodes of the workflow hand on have more than {} "
                                "bytes",
                                kMostTexts));
        }
    }

    std::optional<FoldedOutputs> outputsOf(const PromptNode& node, const ClassRow& row) const {
        const std::string& fold = row.fold;
        if (fold == "value") {
            const Json value = row.widgets.empty() ? Json() : valueOf(node, row.widgets[0].name);
            return value.is_null() ? std::nullopt : std::optional(FoldedOutputs{givenValue(value)});
        }
        if (fold == "display") {
            const auto source = node.inputs.find("source");
            return FoldedOutputs{source == node.inputs.end() ? PromptInput() : source->second};
        }
        if (fold == "first") {
            return foldFirst(node);
        }
        if (fold == "combo") {
            return FoldedOutputs{givenValue(valueOf(node, "choice")),
                                 givenValue(valueOf(node, "index"))};
        }
        return fold == "switch"       ? foldSwitch(node)
               : fold == "math"       ? foldMath(node)
               : fold == "concat"     ? foldConcat(node)
               : fold == "replace"    ? foldReplace(node)
               : fold == "resolution" ? foldResolution(node)
               : fold == "image_size" ? foldImageSize(node)
                                      : std::nullopt;
    }

    std::optional<FoldedOutputs> foldImageSize(const PromptNode& node) const {
        const auto image = node.inputs.find("image");
        const auto source = image == node.inputs.end() || !image->second.from
                                ? prompt_.nodes.end()
                                : prompt_.nodes.find(image->second.from->node);
        if (source == prompt_.nodes.end() || source->second.type != "LoadImage" || !imageSize_) {
            return std::nullopt;
        }
        const Json name = valueOf(source->second, "image");
        const std::optional<PixelSize> size =
            name.is_string() ? imageSize_(name.get<std::string>()) : std::nullopt;
        if (!size) {
            return std::nullopt;
        }
        return FoldedOutputs{
            givenValue(size->widthPixels), givenValue(size->heightPixels), givenValue(1)};
    }

    /// At guidance 1 ComfyUI does not run the negative; what makes zeros of a prompt is there for
    /// nothing else then.
    void dropUnusedZeros() {
        const NegativeUse use(prompt_);
        for (auto& [id, node] : prompt_.nodes) {
            const auto negative = node.inputs.find("negative");
            if (negative == node.inputs.end() || !negative->second.from || !use.isLeftOut(node)) {
                continue;
            }
            const auto source = prompt_.nodes.find(negative->second.from->node);
            if (source != prompt_.nodes.end() && source->second.type == "ConditioningZeroOut") {
                node.inputs.erase(negative);
            }
        }
    }

    [[nodiscard]] std::set<std::string> feedingNodes() const {
        std::set<std::string> feeding;
        for (const auto& [id, node] : prompt_.nodes) {
            for (const auto& [name, input] : node.inputs) {
                if (input.from) {
                    feeding.insert(input.from->node);
                }
            }
        }
        return feeding;
    }

    /// What feeds an end of the graph remains; ends are what fed nothing from the beginning.
    void dropNodesOfOtherBranches(const std::set<std::string>& fedBefore) {
        std::set<std::string> needed;
        std::vector<std::string> open;
        for (const auto& [id, node] : prompt_.nodes) {
            if (!fedBefore.contains(id)) {
                open.push_back(id);
            }
        }
        while (!open.empty()) {
            const std::string id = open.back();
            open.pop_back();
            const auto node = prompt_.nodes.find(id);
            if (node == prompt_.nodes.end() || !needed.insert(id).second) {
                continue;
            }
            for (const auto& [name, input] : node->second.inputs) {
                if (input.from) {
                    open.push_back(input.from->node);
                }
            }
        }
        std::erase_if(prompt_.nodes, [&](const auto& entry) {
            if (needed.contains(entry.first)) {
                return false;
            }
            prompt_.leftOut.push_back({.node = entry.first,
                                       .type = entry.second.type,
                                       .why = message("nothing that is run needs it")});
            return true;
        });
    }

    Prompt& prompt_;
    const ClassTable& table_;
    const ImageProbe& imageSize_;
    std::map<Socket, PromptInput> outputs_;  ///< of what was evaluated
    std::vector<FoldedNode> folded_;
    size_t texts_ = 0;
};

}  // namespace

NegativeUse::NegativeUse(const Prompt& prompt)
    : hasPlusPlus_(std::ranges::any_of(
          prompt.nodes, [](const auto& entry) { return namesPlusPlus(entry.second); })) {}

bool NegativeUse::isLeftOut(const PromptNode& node) const {
    const bool isForced = node.inputs.contains("sampler_name") ? namesPlusPlus(node) : hasPlusPlus_;
    const Json cfg = valueOf(node, "cfg");
    return !isForced && cfg.is_number() && std::abs(cfg.get<double>() - 1) <= 1e-9;
}

std::vector<std::string> inOrder(const Prompt& prompt) {
    std::map<std::string, size_t> waiting;  // inputs that are not there yet
    std::map<std::string, std::vector<std::string>> fedBy;
    std::vector<std::string> order;
    for (const auto& [id, node] : prompt.nodes) {
        size_t count = 0;
        for (const auto& [name, input] : node.inputs) {
            if (input.from && prompt.nodes.contains(input.from->node)) {
                fedBy[input.from->node].push_back(id);
                ++count;
            }
        }
        waiting[id] = count;
        if (count == 0) {
            order.push_back(id);
        }
    }
    for (size_t done = 0; done < order.size(); ++done) {
        const std::string id = order[done];
        for (const std::string& fed : fedBy[id]) {
            if (--waiting.at(fed) == 0) {
                order.push_back(fed);
            }
        }
    }
    if (order.size() == prompt.nodes.size()) {
        return order;
    }
    std::vector<std::string> left;
    for (const auto& [id, count] : waiting) {
        if (count != 0) {
            left.push_back(quotedName(id));
        }
    }
    throw Error(ErrorKind::Corrupt,
                message("nodes of the workflow feed each other in a circle: {}", listSome(left)),
                message("remove one of the wires between them"));
}

std::vector<FoldedNode> foldPrompt(Prompt& prompt,
                                   const ClassTable& table,
                                   const ImageProbe& imageSize) {
    return PromptFolder(prompt, table, imageSize).fold();
}

}  // namespace lowtide::interop
