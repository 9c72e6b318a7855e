#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/os.hpp"
#include "cli/printed_text.hpp"
#include "cli/run_session.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"

#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

std::string absolute(const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
}

/// A user sees the folder as it was typed, not where it lies.
std::string asTyped(const std::string& path, const std::string& folder) {
    const std::string full = absolute(folder) + "/";
    return path.starts_with(full)
               ? (std::filesystem::path(folder) / path.substr(full.size())).string()
               : path;
}

void printFiles(const Json& report, const std::string& folder) {
    for (const Json& file : report.value("files", Json::array())) {
        std::printf("%s\n", asTyped(memberText(file, "path"), folder).c_str());
    }
    std::fflush(stdout);
}

bool isWritten(files::OutputFile& file, const Json& report) {
    try {
        file.write(report.dump(2) + "\n");
        file.commit();
        return true;
    } catch (const Error& error) {
        printError(error);
        return false;
    }
}

}  // namespace

Status runGraph(const RunArguments& arguments) {
    const std::string text = readGraph(arguments.graph);
    catchInterrupts();
    Plugin& plugin = startModule(arguments, arguments.log);
    Runner& runner = *plugin.runner();
    const RunnableGraph graph = runnableGraph(text, arguments, plugin);
    Json options = optionsOf(arguments);
    options["until"] = graph.until;
    options["out"] = modulePath(absolute(arguments.out), message("the folder for images"));
    options["repeat"] = arguments.repeat;
    if (arguments.collectionThreshold) {
        options["gcThreshold"] = *arguments.collectionThreshold;
    }
    if (!arguments.lowMemory.empty()) {
        options["lowMemory"] = arguments.lowMemory;
    }
    if (!arguments.dump.empty()) {
        options["dump"] = modulePath(absolute(arguments.dump), Message("--dump"));
    }
    if (!arguments.timeline.empty()) {
        options["timeline"] = modulePath(absolute(arguments.timeline), Message("--timeline"));
    }
    const std::optional<DrawnGraph> drawn =
        DrawnPrompts(arguments, plugin).drawn(graph.text, options);
    if (!drawn) {
        return Status::Invalid;
    }
    std::optional<files::OutputFile> reportFile;
    if (!arguments.report.empty()) {
        reportFile.emplace(arguments.report);  // refused before hours of work
    }
    PrintedIssues printed;
    auto [status, report] =
        runToEnd(runner, drawn->text, drawn->options, printed, arguments.events);
    printed.print(report.value("issues", Json::array()));
    if (!arguments.events) {
        printFiles(report, arguments.out);
    }
    if (!drawn->prompts.empty()) {
        report["prompts"] = drawn->prompts;
    }
    if (reportFile && report.contains("repetitions") && !isWritten(*reportFile, report)) {
        return Status::Failed;
    }
    return status;
}

}  // namespace lowtide::cli
