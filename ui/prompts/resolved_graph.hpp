#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/prompts/drawn_text.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A text of several lines in a graph, which is where prompts stand.
struct PromptField {
    std::string node;
    std::string param;

    auto operator<=>(const PromptField&) const = default;
};

/// Calls `take` with each parameter of the active nodes whose type is known, in the order of ids. A
/// template for documents that are read and for those that are changed.
template <class Document, class Take>
void forActiveParams(Document& document, const graph::Catalog& catalog, const Take& take) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            take(id, node, param);
        }
    }
}

/// Those of active nodes, stated or not, in the order of ids.
[[nodiscard]] std::vector<PromptField> promptTargets(const graph::Document& document,
                                                     const graph::Catalog& catalog);

/// Those whose text is stated.
[[nodiscard]] std::vector<PromptField> promptFields(const graph::Document& document,
                                                    const graph::Catalog& catalog);

/// Those with alternatives or wildcards.
[[nodiscard]] std::vector<PromptField> templateFields(const graph::Document& document,
                                                      const graph::Catalog& catalog);

/// The text in a field of the document.
[[nodiscard]] const std::string& textAt(const graph::Document& document, const PromptField& field);

/// The seed of a graph's run: of its first active node with one, in the order of ids; 0: it has
/// none.
[[nodiscard]] uint64_t runSeed(const graph::Document& document, const graph::Catalog& catalog);

/// Replaces every template by a drawn text, by the run's seed. What cannot be drawn is left
/// as it is and is an error of its node and parameter (code "wildcard"). `seed`: in the place of
/// the run's.
[[nodiscard]] Issues resolvePrompts(graph::Document& document,
                                    const graph::Catalog& catalog,
                                    const Wildcards& wildcards,
                                    std::optional<uint64_t> seed = {});

/// Has every prompt of a graph that was run mean itself: its alternatives were drawn, and what
/// still looks like some is text.
void keepPrompts(graph::Document& document, const graph::Catalog& catalog);

/// The graphs with all alternatives of a graph, one after the other. `wildcards` must outlive it.
class PromptCombinations {
public:
    PromptCombinations(const graph::Document& document,
                       const graph::Catalog& catalog,
                       const Wildcards& wildcards);

    /// How many there are, PromptChoices::kEndless for more than can be counted; 1: no prompt has
    /// alternatives. `issues` gets what cannot be counted.
    [[nodiscard]] uint64_t count(Issues& issues);
    /// Puts number `index` into a document with the same fields; those of the last place change
    /// first. Errors are those of PromptChoices; count() reports them before.
    void put(graph::Document& document, uint64_t index);

private:
    struct Template {
        PromptField field;
        AllTexts texts;
    };

    std::vector<Template> templates_;
};

/// Puts the prompts of one graph into another, each in the place of an active node that has its
/// node type and parameter, else its parameter; the first in the order of ids that has none yet.
/// What is empty or not stated in `from` is kept as it is in `into`. Returns how many found no
/// field; none where `into` has no prompts at all, as where an image is enlarged.
size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog);

}  // namespace lowtide::ui
