#pragma once
// What the rows of the table give for a node: values, what rides on its outputs, and why they
// differ.

#include "plugin/base/message.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/interop/class_table.hpp"
#include "plugin/interop/translate.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::interop {

/// A wire that rides on an output, for an input of a node behind it.
struct CarriedWire {
    graph::PortRef from;
    /// ComfyUI gives what rides on the positive prompt to the negative one, too.
    bool isSpread = false;
};

/// What leaves an output: a wire, and what the nodes behind it are to know.
struct Carried {
    std::optional<graph::PortRef> wire;
    std::map<std::string, Json> settings;      ///< values of parameters by their ids here
    std::map<std::string, CarriedWire> wires;  ///< for inputs by their ids here
    bool isMissing = false;                    ///< something that it needs is not there
};

/// By the inputs of a node there.
using CarriedInputs = std::map<std::string, Carried>;

/// Adds what rides on `source`, where `target` has nothing of that name.
void mergeInto(Carried& target, const Carried& source);
/// What rides on the inputs; of two that differ, what does not ride on the negative prompt.
[[nodiscard]] Carried merged(const CarriedInputs& inputs);

/// Why prompts whose conditionings come in by these inputs are not as in ComfyUI: there each prompt
/// has what rides on it alone, here all have it.
[[nodiscard]] std::vector<Message> unevenPrompts(const CarriedInputs& prompts);

/// Why the image encoder of a model does not see what it does in ComfyUI: here it is given the
/// images of Recipe::sees, where there is one.
[[nodiscard]] std::vector<Message> differentlySeen(const Recipe& recipe,
                                                   const CarriedInputs& inputs,
                                                   bool hasImageEncoder);

/// Why a mask that does not ride on the latent acts otherwise: here the node keeps the rest of the
/// image, in ComfyUI it does not. Of the recipe's first node.
[[nodiscard]] std::vector<Message> strayMasks(const Recipe& recipe, const CarriedInputs& inputs);

/// Wires that ComfyUI does something with and the recipe does not.
[[nodiscard]] std::vector<Message> unreadWires(const ClassRow& row,
                                               const Recipe& recipe,
                                               const CarriedInputs& inputs);

/// What a row's words for a value (ClassTable) give for a node.
class RecipeValues {
public:
    /// `whys` takes the reasons why a value is another one, or none. All must outlive it.
    RecipeValues(const Prompt& prompt, const ImportNeeds& needs, std::vector<Message>& whys)
        : prompt_(prompt), needs_(needs), whys_(whys) {}

    /// Nothing: the default remains. `carried`: settings that ride on the wires.
    [[nodiscard]] std::optional<Json> from(const Json& spec,
                                           const PromptNode& node,
                                           const std::map<std::string, Json>& carried = {});

    /// Why the recipe gives another result for this node. `params`: of the first node that it made;
    /// `slots`: outputs that something is wired to.
    void noteDifferences(const PromptNode& node,
                         const ClassRow& row,
                         const Recipe& recipe,
                         const Json& params,
                         const std::set<int>& slots);

    /// Why, where a case holds for such parameters and outputs.
    void noteNear(const std::vector<NearCase>& cases,
                  const Json& params,
                  const std::set<int>& slots);

private:
    void noteLacking(const PromptNode& node, const Recipe& recipe);
    void noteUnread(const PromptNode& node, const ClassRow& row, const Recipe& recipe);
    std::optional<Json> mapped(const Json& spec, const Json& value);
    std::optional<Json> inputValue(const PromptNode& node, const std::string& name);
    std::optional<Json> expressionValue(const std::string& expression,
                                        const PromptNode& node,
                                        const std::map<std::string, Json>& carried);
    void addPixelSize(const PromptNode& node, std::map<std::string, Json>& values) const;
    [[nodiscard]] bool skipsLayer();

    const Prompt& prompt_;
    const ImportNeeds& needs_;
    std::vector<Message>& whys_;
    std::optional<bool> skipsLayer_;  ///< once it was asked
};

}  // namespace lowtide::interop
