#include "cli/aligned.hpp"
#include "cli/commands.hpp"
#include "cli/member_text.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <array>
#include <cstdio>

namespace lowtide::cli {

namespace {

void printPorts(const char* what, const std::vector<PortDesc>& ports) {
    for (const PortDesc& port : ports) {
        std::printf("  %-7s %-18s %-13s %s\n",
                    what,
                    port.id.c_str(),
                    (port.type + (port.optional ? "?" : "")).c_str(),
                    port.tooltip.c_str());
    }
}

void printNode(const NodeDesc& node) {
    std::printf("%s  (%s)\n  %s\n", node.id.c_str(), node.label.c_str(), node.tooltip.c_str());
    printPorts("input", node.inputs);
    printPorts("output", node.outputs);
    for (const ParamDesc& param : node.params) {
        std::printf("  %-7s %-18s %-13s %s\n",
                    "param",
                    param.id.c_str(),
                    ("= " + graph::toJson(param.defaultValue).dump()).c_str(),
                    param.tooltip.c_str());
    }
    std::printf("\n");
}

/// In billions or more; "-": not stated, or it has none.
std::string speedText(const Json& card, const char* key, double unit) {
    const double value = card.value(key, 0.0);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value / unit);
    return value > 0 ? text.data() : "-";
}

Cells cardRow(const Json& card) {
    const Json& products = card.at("flops_per_second");
    Cells row = {memberText(card, "name"),
                 memberText(card, "capability"),
                 formatBytes(card.at("memory").get<Bytes>()),
                 formatBytes(card.at("capacity").get<Bytes>()),
                 speedText(card, "memory_bytes_per_second", 1e9),
                 speedText(card, "pcie_bytes_per_second", 1e9)};
    for (const char* type : {"f32", "f16", "bf16", "f8"}) {
        row.push_back(speedText(products, type, 1e12));
    }
    return row;
}

}  // namespace

int listNodes(bool json) {
    const Plugin& plugin = loader::startPlugin({});
    Json list = Json::array();
    for (const NodeDesc& node : plugin.nodes()) {
        if (json) {
            list.push_back(graph::toJson(node));
        } else {
            printNode(node);
        }
    }
    if (json) {
        std::printf("%s\n", list.dump(2).c_str());
    }
    return 0;
}

int listDevices(bool json) {
    std::string text;
    const Status status = loader::startPlugin({}).runner()->devices(text);
    const Json result = Json::parse(text);
    if (json) {
        std::printf("%s\n", result.dump(2).c_str());
        return static_cast<int>(status);
    }
    for (const Json& device : result.at("devices")) {
        std::printf("%-8s %-40s %10s, %s free\n",
                    device.at("id").get<std::string>().c_str(),
                    device.at("name").get<std::string>().c_str(),
                    formatBytes(device.at("capacity").get<Bytes>()).c_str(),
                    formatBytes(device.at("free").get<Bytes>()).c_str());
    }
    for (const Json& note : result.value("notes", Json::array())) {
        std::printf("%s\n", note.get<std::string>().c_str());
    }
    return static_cast<int>(status);
}

int listCards(bool json) {
    std::string text;
    const Status status = loader::startPlugin({}).runner()->devices(text);
    const Json cards = Json::parse(text).value("cards", Json::array());
    if (json) {
        std::printf("%s\n", cards.dump(2).c_str());
        return static_cast<int>(status);
    }
    std::vector<Cells> rows = {{"card",
                                "cuda",
                                "memory",
                                "to use",
                                "GB/s",
                                "PCIe GB/s",
                                "TFLOP/s f32",
                                "f16",
                                "bf16",
                                "f8"}};
    for (const Json& card : cards) {
        rows.push_back(cardRow(card));
    }
    std::printf("%s", aligned(rows, 1).c_str());
    for (const Json& card : cards) {
        if (const std::string problem = memberText(card, "problem"); !problem.empty()) {
            std::printf("%s\n", problem.c_str());
        }
    }
    return static_cast<int>(status);
}

}  // namespace lowtide::cli
