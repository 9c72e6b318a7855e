#include "cli/commands.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/paths.hpp"
#include "ui/models/model_folders.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// What the module is asked about: files of weights, indexes of such files, and folders. A graph is
/// another file of text.
bool looksLikeWeights(const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    const bool isIndex = name.ends_with(".json") && name.find(".index.") != name.npos;
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored) || isIndex || ui::hasWeightsEnding(path);
}

/// "q4_k 1.2 GiB, F16 3.1 MiB".
std::string storedText(const Json& storages) {
    std::vector<std::string> parts;
    for (const Json& each : storages) {
        parts.push_back(memberText(each, "storage") + " " + memberBytes(each, "bytes"));
    }
    return join(parts, ", ");
}

/// What the state means for who has the file.
std::string verdictText(const Json& known) {
    const std::string state = memberText(known, "state");
    const std::string needs = memberText(known, "needs");
    return state == "runs"         ? "this version runs it"
           : state == "one_of_two" ? "one of two models: this version runs it with " + needs
           : state == "in_part"    ? "this version runs it with " + needs
           : state == "runs_with"  ? "this version runs it with " + needs + ", which it lacks"
           : state == "not_built"  ? "this version does not run it"
           : state == "refused"    ? memberText(known, "problem")
                                   : "what it is for is not known";
}

void printRecognised(const std::string& path, const Json& known) {
    const std::string kind = memberText(known, "kind");
    const std::string layout = memberText(known, "layout");
    const std::string family = memberText(known, "family");
    std::printf("%s: %s%s%s, %s; %s\n",
                path.c_str(),
                kind.c_str(),
                family.empty() || family == kind ? "" : (" (" + family + ")").c_str(),
                layout.empty() ? "" : (" in the layout " + layout).c_str(),
                memberBytes(known, "bytes").c_str(),
                verdictText(known).c_str());
    const std::string stored = storedText(known.at("stored"));
    if (!stored.empty()) {
        std::printf("  %s\n", stored.c_str());
    }
}

/// Asks, and prints what is wrong with the question; null: the answer is no more.
Json recognised(Plugin& plugin, const std::string& path) {
    Answer answer = call(plugin, "recognise", {{"path", files::pathText(path)}});
    printIssues(answer.result.at("issues"));
    return answer.status == Status::Ok ? std::move(answer.result) : Json();
}

/// A line for each model in a folder that is none itself; how many there are.
int checkFolder(Plugin& plugin, const std::string& folder) {
    int count = 0;
    ui::ModelFinder finder(ui::hasWeightsEnding, [&](const ui::ModelPath& model) {
        if (const Json known = recognised(plugin, model.path); !known.is_null()) {
            printRecognised(model.relative, known);
            ++count;
        }
        return true;
    });
    finder.look(folder);
    return count;
}

Status checkWeights(const GraphArguments& arguments) {
    Plugin& plugin = startModule(arguments);
    const Json known = recognised(plugin, modulePath(arguments.graph, message("the model")));
    if (known.is_null()) {
        return Status::Invalid;
    }
    if (memberText(known, "kind") == "folder" && checkFolder(plugin, arguments.graph) > 0) {
        return Status::Ok;
    }
    printRecognised(arguments.graph, known);
    return known.at("runs").get<bool>() ? Status::Ok : Status::Invalid;
}

}  // namespace

Status checkGraph(const GraphArguments& arguments) {
    if (looksLikeWeights(arguments.graph)) {
        return checkWeights(arguments);
    }
    const std::string text = readGraph(arguments.graph);
    Plugin& plugin = startModule(arguments);
    const RunnableGraph graph = runnableGraph(text, arguments, plugin);
    Json options = optionsOf(arguments);
    options["until"] = graph.until;
    const auto [status, result] = answerOf([&](std::string& answer) {
        return plugin.runner()->check(graph.text, options.dump(), answer);
    });
    printIssues(result.value("issues", Json::array()));
    if (status == Status::Ok) {
        std::printf("%s: valid\n", arguments.graph.c_str());
    }
    return status;
}

}  // namespace lowtide::cli
