#pragma once

#include "plugin/base/message.hpp"
#include "plugin/memory/component_parts.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// What adapters call the modules of a network: names of diffusers and transformers, of LDM (SGM),
/// OpenCLIP and families of their own, each with dots and with '_' for them. Made from the names of
/// the tree's weights.
class ModuleNames {
public:
    struct Module {
        std::string name;  ///< of its weights in the tree: "mid_block.attentions.0.proj_in"
        std::optional<memory::WeightId> weight{};
        std::optional<memory::WeightId> bias{};
    };

    explicit ModuleNames(const memory::ComponentTree& tree);

    /// The module that is called so, or the parts of a fused one (query, key, value) in the order
    /// of their rows; none where nothing is. Names match completely. Error{Unsupported} for a name
    /// that two modules of this network share.
    [[nodiscard]] std::vector<const Module*> find(std::string_view name) const;

private:
    using Positions = std::vector<size_t>;

    void addNames(const std::string& name, const Positions& positions);
    void addDiffusersUNet();
    void addText();
    void addTransformer();
    void addOwn(std::string (*nameOfWeight)(std::string_view));
    void addFused(const std::string& base,
                  const std::string& name,
                  const char* const (&parts)[3],
                  size_t first);

    std::vector<Module> modules_;
    std::map<std::string, size_t, std::less<>> byName_;
    std::unordered_map<std::string, Positions> positions_;
    std::unordered_map<std::string, Message> shared_;  ///< by name: what else is called so
};

}  // namespace lowtide::models
