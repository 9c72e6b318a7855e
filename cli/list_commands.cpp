#include "cli/commands.hpp"
#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <cstdio>

namespace lowtide::cli {

namespace {

void printRow(const char* what,
              const std::string& id,
              const std::string& type,
              const std::string& text) {
    std::printf("  %-7s %-18s %-13s %s\n", what, id.c_str(), type.c_str(), text.c_str());
}

void printNode(const NodeDesc& node) {
    std::printf("%s  (%s)\n  %s\n", node.id.c_str(), node.label.c_str(), node.tooltip.c_str());
    for (const auto& [what, ports] :
         {std::pair("input", &node.inputs), std::pair("output", &node.outputs)}) {
        for (const PortDesc& port : *ports) {
            printRow(what, port.id, port.type + (port.optional ? "?" : ""), port.tooltip);
        }
    }
    for (const ParamDesc& param : node.params) {
        printRow("param", param.id, "= " + graph::toJson(param.defaultValue).dump(), param.tooltip);
    }
    std::printf("\n");
}

/// In billions or more; "-": not stated, or it has none.
std::string speedText(const Json& card, const char* key, double unit) {
    const double value = card.value(key, 0.0);
    return value > 0 ? formatted("%.4g", value / unit) : "-";
}

Cells cardRow(const Json& card) {
    const Json& products = card.at("flops_per_second");
    Cells row = {memberText(card, "name"),
                 memberText(card, "capability"),
                 memberBytes(card, "memory"),
                 memberBytes(card, "capacity"),
                 speedText(card, "memory_bytes_per_second", 1e9),
                 speedText(card, "pcie_bytes_per_second", 1e9)};
    for (const char* type : {"f32", "f16", "bf16", "f8"}) {
        row.push_back(speedText(products, type, 1e12));
    }
    return row;
}

Answer devices() {
    return answerOf(
        [](std::string& result) { return loader::startPlugin({}).runner()->devices(result); });
}

}  // namespace

Status listNodes(bool json) {
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
        printJson(list);
    }
    return Status::Ok;
}

Status listDevices(bool json) {
    const auto [status, result] = devices();
    if (json) {
        printJson(result);
        return status;
    }
    for (const Json& device : result.at("devices")) {
        std::printf("%-8s %-40s %10s, %s free\n",
                    memberText(device, "id").c_str(),
                    memberText(device, "name").c_str(),
                    memberBytes(device, "capacity").c_str(),
                    memberBytes(device, "free").c_str());
    }
    for (const Json& note : result.value("notes", Json::array())) {
        std::printf("%s\n", note.get<std::string>().c_str());
    }
    return status;
}

Status listCards(bool json) {
    const auto [status, result] = devices();
    const Json cards = result.value("cards", Json::array());
    if (json) {
        printJson(cards);
        return status;
    }
    std::vector<Cells> rows = {
        split("card,cuda,memory,to use,GB/s,PCIe GB/s,TFLOP/s f32,f16,bf16,f8", ',')};
    for (const Json& card : cards) {
        rows.push_back(cardRow(card));
    }
    std::printf("%s", aligned(rows, 1).c_str());
    for (const Json& card : cards) {
        if (const std::string problem = memberText(card, "problem"); !problem.empty()) {
            std::printf("%s\n", problem.c_str());
        }
    }
    return status;
}

}  // namespace lowtide::cli
