#pragma once

#include "cli/commands.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/prompts/prompt_choices.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// What a call of Runner takes for one run.
struct DrawnGraph {
    std::string text;
    Json options;
    Json prompts = Json::array();  ///< [{"node", "item", "template", "text"}] of what was drawn
};

/// Draws the alternatives and wildcards in prompts before a run, as the studio does (ui/prompts).
/// Files of wildcards are read once, where a prompt names one.
class DrawnPrompts {
public:
    /// Error{NotFound}: a folder of wildcards that was named is not there.
    DrawnPrompts(const GraphArguments& arguments, const Plugin& plugin);

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

    /// Puts drawn texts into the document, by `seed` or that of its run. false: one cannot be
    /// drawn, which was printed with its node, parameter and the folder of wildcards.
    [[nodiscard]] bool draw(graph::Document& document, std::optional<uint64_t> seed = {});

    /// The same of a graph's text and the values in options["set"], which are in the text then. It
    /// draws by the seed that the graph has with the values `base`; nullptr: with those of the
    /// options. Without alternatives, and where the graph or a value is refused, which the module
    /// reports, both are left as they are. nullopt: draw() is false.
    [[nodiscard]] std::optional<DrawnGraph> drawn(const std::string& graph,
                                                  const Json& options,
                                                  const std::vector<std::string>* base = nullptr);

private:
    [[nodiscard]] graph::Document written(const std::string& graph,
                                          const std::vector<std::string>& set) const;
    [[nodiscard]] const ui::WildcardFiles& files();

    graph::Catalog catalog_;
    std::string folder_;
    std::optional<ui::WildcardFiles> files_;
    bool isLiteral_ = false;
};

}  // namespace lowtide::cli
