#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/cli/commands.hpp"
#include "ui/cli/plugin_door.hpp"

#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

constexpr Bytes kLargestGraph = 64 * kMiB;

void printPlan(const Json& plan) {
    std::printf("%-14s %-22s %-8s %-8s %12s %12s\n",
                "component",
                "network",
                "device",
                "policy",
                "weights",
                "in file");
    for (const Json& component : plan.at("components")) {
        std::printf("%-14s %-22s %-8s %-8s %12s %12s\n",
                    component.at("role").get<std::string>().c_str(),
                    component.at("network").get<std::string>().c_str(),
                    component.at("device").get<std::string>().c_str(),
                    component.at("policy").get<std::string>().c_str(),
                    formatBytes(component.at("weights").get<Bytes>()).c_str(),
                    formatBytes(component.at("file_bytes").get<Bytes>()).c_str());
    }
    std::printf("\n%-14s %12s  %s\n", "node", "weights", "on the device while it runs");
    for (const Json& stage : plan.at("stages")) {
        std::string resident;
        for (const Json& role : stage.at("resident")) {
            resident += (resident.empty() ? "" : ", ") + role.get<std::string>();
        }
        std::printf("%-14s %12s  %s\n",
                    stage.at("node").get<std::string>().c_str(),
                    formatBytes(stage.at("weights").get<Bytes>()).c_str(),
                    resident.c_str());
    }
    for (const Json& device : plan.at("devices")) {
        std::printf("\n%s: at most %s of weights at once\n",
                    device.at("device").get<std::string>().c_str(),
                    formatBytes(device.at("peak_weights").get<Bytes>()).c_str());
    }
}

}  // namespace

std::string readGraph(const std::string& path) {
    return files::InputFile(path).readAll(kLargestGraph);
}

Json optionsOf(const GraphArguments& arguments) {
    const std::filesystem::path folder = std::filesystem::absolute(arguments.graph).parent_path();
    Json options = {
        {"graphFolder", folder.string()}, {"set", arguments.set}, {"policies", arguments.policies}};
    if (!arguments.device.empty()) {
        options["device"] = arguments.device;
    }
    return options;
}

void printIssues(const Json& issues) {
    for (const Json& issue : issues) {
        const std::string node = issue.value("node", std::string());
        const std::string item = issue.value("item", std::string());
        const std::string place =
            node.empty() ? "" : node + (item.empty() ? "" : "." + item) + ": ";
        const bool warning = issue.value("severity", std::string("error")) != "error";
        std::fprintf(stderr,
                     "lowtide: %s%s%s\n",
                     warning ? "warning: " : "",
                     place.c_str(),
                     issue.value("message", std::string()).c_str());
        if (const std::string hint = issue.value("hint", std::string()); !hint.empty()) {
            std::fprintf(stderr, "  %s\n", hint.c_str());
        }
    }
}

int checkGraph(const GraphArguments& arguments) {
    const std::string graph = readGraph(arguments.graph);
    std::string result;
    const Status status =
        startPlugin(arguments.threads).runner()->check(graph, optionsOf(arguments).dump(), result);
    printIssues(Json::parse(result).value("issues", Json::array()));
    if (status == Status::Ok) {
        std::printf("%s: valid\n", arguments.graph.c_str());
    }
    return static_cast<int>(status);
}

int planGraph(const GraphArguments& arguments, bool json) {
    const std::string graph = readGraph(arguments.graph);
    std::string text;
    const Status status =
        startPlugin(arguments.threads).runner()->plan(graph, optionsOf(arguments).dump(), text);
    const Json result = Json::parse(text);
    printIssues(result.value("issues", Json::array()));
    if (status == Status::Ok) {
        json ? static_cast<void>(std::printf("%s\n", result.at("plan").dump(2).c_str()))
             : printPlan(result.at("plan"));
    }
    return static_cast<int>(status);
}

}  // namespace lowtide::cli
