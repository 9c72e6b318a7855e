#include "plugin/interop/model_parts.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

namespace lowtide::interop {

namespace {

using WireTypes = std::span<const std::string_view>;

/// Wires along which a part is used.
constexpr std::string_view kOnward[] = {
    "CLIP", "CONDITIONING", "VAE", "LATENT", "CLIP_VISION", "CLIP_VISION_OUTPUT", "GUIDER"};
/// Wires that lead back to the model that works on them.
constexpr std::string_view kBack[] = {"MODEL", "LATENT", "GUIDER"};
/// The same of prompts alone.
constexpr std::string_view kPromptsOnward[] = {"CLIP", "CONDITIONING", "GUIDER"};
constexpr std::string_view kPromptsBack[] = {"MODEL", "GUIDER"};
constexpr size_t kMostModels = 100;       ///< that are asked for one part
constexpr size_t kMostWires = 5'000'000;  ///< followed, for all parts

class PartFinder {
public:
    PartFinder(const Prompt& prompt, const ClassTable& table, WireTypes onward, WireTypes back)
        : prompt_(prompt), table_(table), back_(back) {
        for (const auto& [id, node] : prompt.nodes) {
            for (const auto& [name, input] : node.inputs) {
                if (input.from && isAmong(onward, typeOfSocket(prompt, table, *input.from))) {
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

    static bool isAmong(WireTypes types, std::string_view type) {
        return std::ranges::find(types, type) != types.end();
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
                if (input.from && isAmong(back_, typeOfSocket(prompt_, table_, *input.from))) {
                    open.push_back(input.from->node);
                }
            }
        }
    }

    const Prompt& prompt_;
    const ClassTable& table_;
    const WireTypes back_;
    std::map<std::string, std::vector<std::string>> fedBy_;
    size_t wires_ = 0;
};

bool isCheckpoint(const ClassRow* row) {
    return row != nullptr && row->role == ModelRole::Model && !row->recipes.empty() &&
           std::ranges::find(row->outputTypes, "CLIP") != row->outputTypes.end();
}

bool takesCheckpoint(const ClassRow& row) {
    return std::ranges::any_of(row.recipes,
                               [](const Recipe& recipe) { return recipe.when == kOfCheckpoint; });
}

bool hasTextEncoder(const std::string& model,
                    const Prompt& prompt,
                    const ClassTable& table,
                    const std::map<std::string, std::vector<std::string>>& parts) {
    return std::ranges::any_of(parts, [&](const auto& part) {
        return table.find(prompt.nodes.at(part.first).type)->role == ModelRole::TextEncoder &&
               std::ranges::find(part.second, model) != part.second.end();
    });
}

/// Whether the checkpoint is gone: unless its own model is run, its wires come from the other one.
bool takeWires(Prompt& prompt,
               const ClassTable& table,
               const std::string& checkpoint,
               const std::string& model) {
    std::vector<Socket*> wires;
    for (auto& [id, node] : prompt.nodes) {
        for (auto& [name, input] : node.inputs) {
            if (input.from && input.from->node == checkpoint) {
                wires.push_back(&*input.from);
            }
        }
    }
    const bool isRun = std::ranges::any_of(wires, [&](const Socket* socket) {
        return typeOfSocket(prompt, table, *socket) == "MODEL";
    });
    if (!isRun) {
        for (Socket* socket : wires) {
            socket->node = model;
        }
        prompt.nodes.erase(checkpoint);
    }
    return !isRun;
}

}  // namespace

const char* portOfRole(ModelRole role) {
    return role == ModelRole::TextEncoder   ? "text_encoder"
           : role == ModelRole::Autoencoder ? "autoencoder"
                                            : "image_encoder";
}

std::map<std::string, std::vector<std::string>> modelsOfParts(const Prompt& prompt,
                                                              const ClassTable& table) {
    PartFinder finder(prompt, table, kOnward, kBack);
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

CheckpointModels joinCheckpoints(Prompt& prompt,
                                 const ClassTable& table,
                                 const std::map<std::string, std::vector<std::string>>& parts) {
    std::map<std::string, std::string> checkpointOf;
    PartFinder finder(prompt, table, kPromptsOnward, kPromptsBack);
    for (const auto& [id, node] : prompt.nodes) {
        if (!isCheckpoint(table.find(node.type))) {
            continue;
        }
        for (const std::string& model : finder.modelsOf(id)) {
            if (model != id && takesCheckpoint(*table.find(prompt.nodes.at(model).type)) &&
                !hasTextEncoder(model, prompt, table, parts)) {
                checkpointOf.try_emplace(model, id);
            }
        }
    }
    CheckpointModels made;
    for (const auto& [model, checkpoint] : checkpointOf) {
        made.checkpoints[model] = prompt.nodes.at(checkpoint);
    }
    for (const auto& [model, checkpoint] : checkpointOf) {
        const auto users = std::ranges::count_if(
            checkpointOf, [&](const auto& entry) { return entry.second == checkpoint; });
        if (users == 1 && takeWires(prompt, table, checkpoint, model)) {
            made.joined[checkpoint] = made.checkpoints.at(model);
        }
    }
    return made;
}

}  // namespace lowtide::interop
