#pragma once

#include "plugin/base/message.hpp"
#include "plugin/interop/translate.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::interop {

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
