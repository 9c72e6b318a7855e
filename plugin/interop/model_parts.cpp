#include "plugin/interop/model_parts.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace lowtide::interop {

namespace {

/// Wires along which a part is used.
constexpr std::string_view kOnward[] = {
    "CLIP", "CONDITIONING", "VAE", "LATENT", "CLIP_VISION", "CLIP_VISION_OUTPUT", "GUIDER"};
/// Wires that lead back to the model that works on them.
constexpr std::string_view kBack[] = {"MODEL", "LATENT", "GUIDER"};
constexpr size_t kMostModels = 100;       ///< that are asked for one part
constexpr size_t kMostWires = 5'000'000;  ///< followed, for all parts

class PartFinder {
public:
    PartFinder(const Prompt& prompt, const ClassTable& table) : prompt_(prompt), table_(table) {
        for (const auto& [id, node] : prompt.nodes) {
            for (const auto& [name, input] : node.inputs) {
                if (input.from && isAmong(kOnward, typeOfSocket(prompt, table, *input.from))) {
                    fedBy_[input.from->node].push_back(id);
                }
            }
        }
    }

    /// The nearest first.
    [[nodiscard]] std::vector<std::string> modelsOf(const std::string& part) {
        std::vector<std::string> models;
        std::set<std::string> seen = {part}, seenBack;
        std::vector<std::string> open = {part};
        for (size_t done = 0; done < open.size() && models.size() < kMostModels; ++done) {
            const auto fed = fedBy_.find(open[done]);
            if (fed == fedBy_.end()) {
                continue;
            }
            for (const std::string& node : fed->second) {
                countWire();
                addModelsBehind(node, seenBack, models);
                if (seen.insert(node).second) {
                    open.push_back(node);
                }
            }
        }
        return models;
    }

private:
    void countWire() {
        if (++wires_ > kMostWires) {
            throw Error(ErrorKind::Corrupt,
                        message("the workflow has too many loaders that are wired to each other"));
        }
    }

    template <size_t Count>
    static bool isAmong(const std::string_view (&types)[Count], std::string_view type) {
        return std::find(std::begin(types), std::end(types), type) != std::end(types);
    }

    void addModelsBehind(const std::string& from,
                         std::set<std::string>& seen,
                         std::vector<std::string>& models) {
        std::vector<std::string> open = {from};
        while (!open.empty() && models.size() < kMostModels) {
            const std::string id = open.back();
            open.pop_back();
            const auto node = prompt_.nodes.find(id);
            if (node == prompt_.nodes.end() || !seen.insert(id).second) {
                continue;
            }
            const ClassRow* row = table_.find(node->second.type);
            if (row != nullptr && row->role == ModelRole::Model) {
                models.push_back(id);
                continue;
            }
            for (const auto& [name, input] : node->second.inputs) {
                countWire();
                if (input.from && isAmong(kBack, typeOfSocket(prompt_, table_, *input.from))) {
                    open.push_back(input.from->node);
                }
            }
        }
    }

    const Prompt& prompt_;
    const ClassTable& table_;
    std::map<std::string, std::vector<std::string>> fedBy_;
    size_t wires_ = 0;
};

}  // namespace

const char* portOfRole(ModelRole role) {
    return role == ModelRole::TextEncoder   ? "text_encoder"
           : role == ModelRole::Autoencoder ? "autoencoder"
                                            : "image_encoder";
}

std::map<std::string, std::vector<std::string>> modelsOfParts(const Prompt& prompt,
                                                              const ClassTable& table) {
    PartFinder finder(prompt, table);
    std::map<std::string, std::vector<std::string>> models;
    for (const auto& [id, node] : prompt.nodes) {
        const ClassRow* row = table.find(node.type);
        const bool isPart =
            row != nullptr && row->role != ModelRole::None && row->role != ModelRole::Model;
        if (isPart) {
            models[id] = finder.modelsOf(id);
        }
    }
    return models;
}

}  // namespace lowtide::interop
