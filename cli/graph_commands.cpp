#include "cli/commands.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/overrides.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

void printStages(const Json& plan) {
    std::printf(
        "node         device     weights activations "
        "     values       total       moved    seconds\n");
    for (const Json& stage : plan.at("stages")) {
        for (const auto& [device, own] : stage.at("devices").items()) {
            const Bytes values = own.at("wires").get<Bytes>() + own.at("held").get<Bytes>() +
                                 own.at("staging").get<Bytes>();
            std::printf("%-12s %-6s %11s %11s %11s %11s %11s %10.3f\n",
                        memberText(stage, "node").c_str(),
                        device.c_str(),
                        memberBytes(own, "weights").c_str(),
                        memberBytes(own, "activations").c_str(),
                        formatBytes(values).c_str(),
                        memberBytes(own, "total").c_str(),
                        memberBytes(stage, "moved").c_str(),
                        stage.at("seconds").get<double>());
        }
    }
}

void printResidencies(const Json& plan) {
    std::printf(
        "\ncomponent      policy      from - to             "
        "      resident ring buffer streams per pass\n");
    for (const Json& residency : plan.at("stays")) {
        const auto from = memberText(residency, "from");
        const auto to = memberText(residency, "to");
        std::printf("%-14s %-11s %-22s %13s %11s %16s\n",
                    memberText(residency, "role").c_str(),
                    memberText(residency, "policy").c_str(),
                    (from == to ? from : from + " - " + to).c_str(),
                    memberBytes(residency, "resident_bytes").c_str(),
                    memberBytes(residency, "ring_bytes").c_str(),
                    memberBytes(residency, "streamed_bytes_per_pass").c_str());
    }
}

std::string listed(const Cells& texts, const char* otherwise) {
    return texts.empty() ? otherwise : join(texts, "; ");
}

/// Switches that are on, or off though they could be on; those without effect here are left out.
std::string switchesText(const Json& switches) {
    Cells set;
    for (const auto& [name, state] : switches.items()) {
        if (state == "on" || state == "off") {
            set.push_back(name + " " + state.get<std::string>());
        }
    }
    return listed(set, "none");
}

void printPrecisions(const Json& plan) {
    int width = 12;  // "denoise.denoiser_2" where a node has several
    for (const auto& [node, precision] : plan.at("precision").items()) {
        width = std::max(width, static_cast<int>(node.size()));
    }
    std::printf("\n%-*s component      precision storage  compute  lossy\n", width, "node");
    for (const auto& [node, precision] : plan.at("precision").items()) {
        std::printf("%-*s %-14s %-9s %-8s %-8s %s\n",
                    width,
                    node.c_str(),
                    memberText(precision, "component").c_str(),
                    memberText(precision, "preset").c_str(),
                    memberText(precision, "storage").c_str(),
                    memberText(precision, "compute").c_str(),
                    listed(precision.at("lossy"), "no").c_str());
        std::printf("%-*s %s\n", width, "", switchesText(precision.at("switches")).c_str());
        for (const Json& note : precision.at("notes")) {
            std::printf("%-*s %s\n", width, "", note.get<std::string>().c_str());
        }
    }
}

/// "fake", or "cuda:0, planned for RTX 4060".
std::string deviceName(const Json& device) {
    const std::string card = memberText(device, "planned_for");
    return memberText(device, "device") + (card.empty() ? "" : ", planned for " + card);
}

std::string timesNote(const Json& device, const Json& plan) {
    if (!memberText(device, "planned_for").empty()) {
        return "estimates: " + listed(plan.at("card").at("estimates"), "none");
    }
    return device.at("rehearsal").get<bool>() ? "times are those of such a card, not of this run"
           : device.at("estimated").get<bool>()
               ? "times are estimates"
               : "times measured on " + memberText(device, "measured_on");
}

void printPlan(const Json& plan) {
    printStages(plan);
    printResidencies(plan);
    printPrecisions(plan);
    for (const Json& device : plan.at("devices")) {
        std::printf("\n%s: %s at most, of %s; these policies need at least %s (%lld bytes); %s\n",
                    deviceName(device).c_str(),
                    memberBytes(device, "peak").c_str(),
                    memberBytes(device, "capacity").c_str(),
                    memberBytes(device, "minimum").c_str(),
                    static_cast<long long>(device.at("minimum").get<Bytes>()),
                    timesNote(device, plan).c_str());
    }
}

}  // namespace

std::string readGraph(const std::string& path) {
    return interop::readAnyGraphText(files::InputFile(graphFileOf(path)));
}

std::string modulePath(const std::filesystem::path& path, const Message& what) {
    if (!isValidUtf8(path.string())) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} {} is not UTF-8", what, quotedName(path.string())),
                    message("write it in UTF-8; rename a file or folder whose name is not"));
    }
    return path.string();
}

Json optionsOf(const GraphArguments& arguments) {
    const std::filesystem::path file = std::filesystem::absolute(graphFileOf(arguments.graph));
    Json options = {
        {"graphFolder", modulePath(file.parent_path(), message("the folder of the graph"))},
        {"set", arguments.set},
        {"policies", arguments.policies},
        {"precisions", arguments.precisions},
        {"exact", arguments.exact},
        {"until", arguments.until}};
    if (!arguments.device.empty()) {
        options["device"] = arguments.device;
    }
    if (!arguments.as.empty()) {
        options["as"] = arguments.as;
    }
    if (!arguments.memoryBudget.empty()) {
        options["memoryBudget"] = arguments.memoryBudget;
    }
    return options;
}

Json optionsUpTo(const std::string& node, const GraphArguments& arguments) {
    Json options = optionsOf(arguments);
    for (const char* applied : {"set", "policies", "precisions"}) {  // to the document
        options.erase(applied);
    }
    options["until"] = Json::array({node});
    return options;
}

graph::Document documentOf(const std::string& text,
                           const graph::Catalog& catalog,
                           const GraphArguments& arguments) {
    return graph::applyOverrides(graph::parseDocument(text),
                                 catalog,
                                 {.params = arguments.set,
                                  .policies = arguments.policies,
                                  .precisions = arguments.precisions});
}

void printIssues(const Json& issues) {
    for (const Json& issue : issues) {
        const std::string node = issue.value("node", std::string());
        const std::string item = issue.value("item", std::string());
        const std::string where =
            node.empty() ? "" : node + (item.empty() ? "" : "." + item) + ": ";
        const std::string severity = issue.value("severity", std::string("error"));
        std::fprintf(stderr,
                     "lowtide: %s%s%s\n",
                     severity == "warning" ? "warning: "
                     : severity == "info"  ? "note: "
                                           : "",
                     where.c_str(),
                     issue.value("message", std::string()).c_str());
        if (const std::string hint = issue.value("hint", std::string()); !hint.empty()) {
            std::fprintf(stderr, "  %s\n", hint.c_str());
        }
    }
}

Status planGraph(const GraphArguments& arguments, bool json) {
    const std::string text = readGraph(arguments.graph);
    Plugin& plugin = startModule(arguments);
    const RunnableGraph graph = runnableGraph(text, arguments, plugin);
    Json options = optionsOf(arguments);
    options["until"] = graph.until;
    const auto [status, result] = answerOf([&](std::string& answer) {
        return plugin.runner()->plan(graph.text, options.dump(), answer);
    });
    printIssues(result.value("issues", Json::array()));
    if (json) {
        printJson(status == Status::Ok ? result.at("plan") : result);
    } else if (status == Status::Ok) {
        printPlan(result.at("plan"));
    }
    return status;
}

}  // namespace lowtide::cli
