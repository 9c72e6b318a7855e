#pragma once

#include "plugin/host_api/host.hpp"

namespace lowtide::test {

/// A node with one parameter of every kind.
inline NodeDesc sampleNode() {
    const auto choices = [](int count) {
        std::vector<ChoiceDesc> all;
        for (int i = 1; i <= count; ++i) {
            all.push_back({"c" + std::to_string(i), "Choice " + std::to_string(i)});
        }
        return all;
    };
    NodeDesc node{.id = "test.sample", .label = "Sample", .components = {"unet", "text_encoder"}};
    node.params = {
        {.id = "steps",
         .label = "Steps",
         .tooltip = "How many steps",
         .unit = "steps",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{20},
         .min = 1,
         .max = 150,
         .softMin = 1,
         .softMax = 50},
        {.id = "guidance",
         .label = "Guidance",
         .kind = ParamKind::Float,
         .defaultValue = 7.5,
         .min = 0,
         .max = 100,
         .softMin = 1,
         .softMax = 20,
         .step = 0.5},
        {.id = "width",
         .label = "Width",
         .unit = "px",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{512},
         .min = 8,
         .max = 8192,
         .softMin = 256,
         .softMax = 2048,
         .step = 8},
        {.id = "seed", .label = "Seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{0}},
        {.id = "sampler",
         .label = "Sampler",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("c1"),
         .choices = choices(3)},
        {.id = "scheduler",
         .label = "Scheduler",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("c2"),
         .choices = choices(24)},
        {.id = "prompt",
         .label = "Prompt",
         .kind = ParamKind::Text,
         .defaultValue = std::string("a lighthouse at dusk"),
         .multiline = true},
        {.id = "name",
         .label = "Name",
         .kind = ParamKind::Text,
         .defaultValue = std::string("picture")},
        {.id = "checkpoint",
         .label = "Checkpoint",
         .kind = ParamKind::File,
         .defaultValue = std::string("builtin:mini")},
        {.id = "folder",
         .label = "Folder",
         .kind = ParamKind::Folder,
         .defaultValue = std::string()},
        {.id = "tiled", .label = "Tiled", .kind = ParamKind::Bool, .defaultValue = true},
        {.id = "weights",
         .label = "Weights",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("a1111"),
         .choices = {{"a1111", "A1111"}, {"compel", "Compel"}, {"none", "None"}}},
    };
    return node;
}

inline const ParamDesc& paramOf(const NodeDesc& node, const std::string& id) {
    for (const ParamDesc& param : node.params) {
        if (param.id == id) {
            return param;
        }
    }
    return node.params.front();
}

}  // namespace lowtide::test
