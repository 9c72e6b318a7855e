#pragma once
// Stub nodes with automatic collection points.

#include "tests/unit/executor/stub_world.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::executor {

/// One stage for each automatic collection point: "test.prompt_encode" with collectAfter "prompt
/// encode", ... They pass on what they get.
inline const std::vector<std::string> kCollectionPoints = {"prompt encode",
                                                           "image encode",
                                                           "denoise",
                                                           "decode",
                                                           "upscale",
                                                           "adapter load",
                                                           "controlnet",
                                                           "ip adapter"};

inline std::string typeOfPoint(std::string point) {
    std::replace(point.begin(), point.end(), ' ', '_');
    return "test." + point;
}

inline std::vector<NodeType> pointNodes(StubWorld& world) {
    std::vector<NodeType> types;
    for (const std::string& point : kCollectionPoints) {
        types.push_back({.desc = {.id = typeOfPoint(point),
                                  .inputs = {stubPort("a", "VALUE")},
                                  .outputs = {stubPort("value", "VALUE")}},
                         .spec =
                             [](const SpecContext&) {
                                 return NodeSpec{.outputs = {{"value", {.type = "VALUE"}}}};
                             },
                         .run =
                             [&world](Context& context) {
                                 if (const auto& during =
                                         world.during[std::string(context.nodeId())]) {
                                     during(context);
                                 }
                                 context.output("value", context.input("a"));
                             },
                         .collectAfter = point});
    }
    return types;
}

/// "test.adapter": a value that others use, and that is unloaded behind the last of them.
inline NodeType adapterNode() {
    return {.desc = {.id = "test.adapter",
                     .inputs = {stubPort("a", "VALUE")},
                     .outputs = {stubPort("value", "VALUE")}},
            .spec =
                [](const SpecContext&) {
                    return NodeSpec{.outputs = {{"value", {.type = "VALUE"}}}};
                },
            .run = [](Context& context) { context.output("value", context.input("a")); },
            .collectAfter = "adapter load",
            .collectAtRelease = "adapter unload"};
}

}  // namespace lowtide::executor
