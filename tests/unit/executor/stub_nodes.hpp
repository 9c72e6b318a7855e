#pragma once
// Node types without mathematics: their values are texts that state how they came about. Among them
// one for each automatic collection point.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "tests/unit/executor/stub_world.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
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

/// test.keep_memory and test.keep_disk: control nodes that keep what they pass on, within
/// `world.keepLimit`.
inline std::vector<NodeType> keepingNodes(StubWorld& world) {
    std::vector<NodeType> types;
    for (const bool isDisk : {false, true}) {
        types.push_back(
            {.desc = {.id = isDisk ? "test.keep_disk" : "test.keep_memory",
                      .control = true,
                      .inputs = {stubPort("value", "*")},
                      .outputs = {stubPort("value", "*")}},
             .spec =
                 [&world, isDisk](const SpecContext& context) {
                     return NodeSpec{
                         .outputs = {{"value", *context.input("value")}},
                         .keep = KeepRequest{isDisk ? KeepTarget::Disk : KeepTarget::Memory,
                                             world.keepLimit}};
                 },
             .run = [](Context& context) { context.output("value", context.input("value")); }});
    }
    return types;
}

/// test.source(text) -> value; test.join(a, b?) -> value; test.keep: an output node that writes
/// nothing; test.save writes what it gets to `world`; test.pass: a control node.
inline std::vector<NodeType> stubNodes(StubWorld& world) {
    const auto give = [&world](Context& context, std::string text) {
        if (const auto found = world.during.find(std::string(context.nodeId()));
            found != world.during.end()) {
            found->second(context);
        }
        return std::make_shared<StubValue>(
            "VALUE", std::move(text), world.valueDevice, world.valueBytes);
    };
    const auto spec = [&world](std::string type, bool hasValue) {
        return [&world, type = std::move(type), hasValue](const SpecContext&) {
            NodeSpec work{.fingerprints = world.fingerprints[type]};
            if (const auto tree = world.components[type]) {
                work.components = [tree] { return std::vector{tree}; };
            }
            if (hasValue) {
                work.outputs = {{"value", {.type = "VALUE"}}};
            }
            return work;
        };
    };
    std::vector<NodeType> types;
    types.push_back({.desc = {.id = "test.source",
                              .outputs = {stubPort("value", "VALUE")},
                              .params = {{.id = "text",
                                          .kind = ParamKind::Text,
                                          .defaultValue = std::string()}}},
                     .spec =
                         [&world, plain = spec("test.source", true)](const SpecContext& context) {
                             if (world.duringSourceSpec) {
                                 world.duringSourceSpec(context);
                             }
                             return plain(context);
                         },
                     .run =
                         [give](Context& context) {
                             context.output("value", give(context, context.text("text")));
                         }});
    types.push_back({.desc = {.id = "test.join",
                              .components = {"network"},
                              .inputs = {stubPort("a", "VALUE"), stubPort("b", "VALUE", true)},
                              .outputs = {stubPort("value", "VALUE")},
                              .params = {{.id = "text",
                                          .kind = ParamKind::Text,
                                          .defaultValue = std::string()}}},
                     .spec = spec("test.join", true),
                     .run = [give, &world](Context& context) {
                         const std::string text = "(" + textOf(context.input("a")) + "+" +
                                                  textOf(context.input("b")) + ")" +
                                                  context.text("text");
                         if (context.nodeId() != world.silentNode) {
                             context.output("value", give(context, text));
                         }
                     }});
    types.push_back({.desc = {.id = "test.pass",
                              .control = true,
                              .inputs = {stubPort("value", "*")},
                              .outputs = {stubPort("value", "*")}},
                     .spec = spec("test.pass", true),
                     .run = [give](Context& context) {
                         static_cast<void>(give(context, ""));
                         context.output("value", context.input("value"));
                     }});
    types.push_back(
        {.desc = {.id = "test.keep", .output = true, .inputs = {stubPort("value", "VALUE")}},
         .spec = spec("test.keep", false),
         .run = [give](Context& context) { static_cast<void>(give(context, "")); }});
    types.push_back({.desc = {.id = "test.save",
                              .output = true,
                              .sideEffect = true,
                              .inputs = {stubPort("value", "VALUE")}},
                     .spec = spec("test.save", false),
                     .run = [give, &world](Context& context) {
                         static_cast<void>(give(context, ""));
                         world.save(textOf(context.input("value")));
                     }});
    types.push_back({.desc = {.id = "test.write",
                              .output = true,
                              .sideEffect = true,
                              .inputs = {stubPort("value", "VALUE")},
                              .params = {{.id = "prefix",
                                          .kind = ParamKind::Text,
                                          .defaultValue = std::string("written")}}},
                     .spec = spec("test.write", false),
                     .run = [give](Context& context) { static_cast<void>(give(context, "")); }});
    std::ranges::move(pointNodes(world), std::back_inserter(types));
    types.push_back(adapterNode());
    std::ranges::move(keepingNodes(world), std::back_inserter(types));
    return types;
}

/// A graph written as lines: "a = test.source text=x", "j = test.join a:a b:c", in any order.
inline Json graphFrom(const std::vector<std::string>& lines) {
    Json graph = {{"format", 1}, {"nodes", Json::object()}, {"links", Json::array()}};
    for (const std::string& line : lines) {
        std::istringstream words(line);
        std::string id;
        std::string equals;
        std::string type;
        words >> id >> equals >> type;
        graph["nodes"][id] = {{"type", type}, {"params", Json::object()}};
        for (std::string word; words >> word;) {
            const size_t colon = word.find(':');
            if (colon != std::string::npos) {
                graph["links"].push_back({{"from", {word.substr(colon + 1), "value"}},
                                          {"to", {id, word.substr(0, colon)}}});
            } else {
                const size_t sign = word.find('=');
                graph["nodes"][id]["params"][word.substr(0, sign)] = word.substr(sign + 1);
            }
        }
    }
    return graph;
}

}  // namespace lowtide::executor
