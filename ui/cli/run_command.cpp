#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/cli/commands.hpp"
#include "ui/cli/drawn_prompts.hpp"
#include "ui/cli/os.hpp"
#include "ui/cli/run_session.hpp"
#include "ui/cli/start_module.hpp"

#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

std::string absolute(const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
}

/// A person sees the folder as it was typed, not where it lies.
std::string asTyped(const std::string& path, const std::string& folder) {
    const std::string full = absolute(folder) + "/";
    return path.starts_with(full)
               ? (std::filesystem::path(folder) / path.substr(full.size())).string()
               : path;
}

}  // namespace

int runGraph(const RunArguments& arguments) {
    const std::string graph = readGraph(arguments.graph);
    catchInterrupts();
    Plugin& plugin = startModule(arguments, arguments.log);
    Runner& runner = *plugin.runner();
    const Stopping stopping(runner);
    Json options = optionsOf(arguments);
    options["out"] = absolute(arguments.out);
    options["repeat"] = arguments.repeat;
    if (arguments.collectionThreshold) {
        options["gcThreshold"] = *arguments.collectionThreshold;
    }
    if (!arguments.lowMemory.empty()) {
        options["lowMemory"] = arguments.lowMemory;
    }
    if (!arguments.dump.empty()) {
        options["dump"] = absolute(arguments.dump);
    }
    if (!arguments.timeline.empty()) {
        options["timeline"] = absolute(arguments.timeline);
    }
    const std::optional<DrawnGraph> drawn = DrawnPrompts(arguments, plugin).drawn(graph, options);
    if (!drawn) {
        return static_cast<int>(Status::Invalid);
    }
    auto [status, report] = runToEnd(runner, drawn->text, drawn->options, arguments.events);
    printIssues(report.value("issues", Json::array()));
    if (!drawn->prompts.empty()) {
        report["prompts"] = drawn->prompts;
    }
    if (!arguments.report.empty() && report.contains("repetitions")) {
        files::writeFileAtomically(arguments.report, report.dump(2) + "\n");
    }
    if (!arguments.events) {
        for (const Json& file : report.value("files", Json::array())) {
            std::printf("%s\n", asTyped(file.at("path").get<std::string>(), arguments.out).c_str());
        }
    }
    return static_cast<int>(status);
}

}  // namespace lowtide::cli
