#include "service/graph_intake.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/interop/import.hpp"

#include <utility>

namespace lowtide::service {

namespace {

std::vector<std::string> textsOf(const Json& options, const char* key) {
    return JsonReader(options, "options").texts(key).value_or(std::vector<std::string>());
}

/// What names a file of the service's machine is the service's to choose.
void refuseFileOptions(const Json& options) {
    for (const char* key : {"out", "graphFolder", "dump", "teacher", "timeline"}) {
        if (options.contains(key)) {
            throw Error(ErrorKind::InvalidInput,
                        message("option \"{}\" names a file, which a request may not", key),
                        message("leave it out; the results are files of the run"),
                        key);
        }
    }
}

}  // namespace

GraphIntake::GraphIntake(Plugin& plugin, const ServiceFolders& folders)
    : plugin_(plugin),
      folders_(folders),
      catalog_({plugin.nodes().begin(), plugin.nodes().end()}) {}

Answer GraphIntake::imported(const std::string& text) const {
    Json request = {{"text", text}, {"imageFolders", {folders_.input}}};
    for (const std::string& folder : folders_.moreInputs) {
        request["imageFolders"].push_back(folder);
    }
    if (!folders_.models.empty()) {
        request["models"] = {"builtin:mini"};
        for (const auto& [kind, names] : modelNames(folders_)) {
            for (const std::string& name : names) {
                request["models"].push_back(name);
            }
        }
    }
    return call(plugin_, "importGraph", request);
}

TakenGraph GraphIntake::take(const Json& graph, const Json& options) const {
    TakenGraph taken{.graph = graph.is_string() ? graph.get<std::string>() : graph.dump(),
                     .options = options.is_null() ? Json::object() : options,
                     .imported = {},
                     .issues = {}};
    const JsonReader reader(taken.options, "options");
    refuseFileOptions(taken.options);
    if (interop::isForeign(taken.graph)) {
        Answer answer = imported(taken.graph);
        if (answer.status != Status::Ok) {
            const Json& issue = answer.result.at("issues").at(0);
            throw Error(
                ErrorKind::InvalidInput, messageIn(issue, "message"), messageIn(issue, "hint"));
        }
        taken.graph = answer.result.at("graph").dump();
        taken.imported = std::move(answer.result.at("report"));
        const bool isAll = taken.imported.at("missing").empty() || taken.options.contains("until");
        if (!isAll) {
            taken.options["until"] = taken.imported.at("runs");
        }
    }
    const graph::Document document =
        graph::applyOverrides(graph::parseDocument(taken.graph),
                              catalog_,
                              {.params = textsOf(taken.options, "set"),
                               .policies = textsOf(taken.options, "policies"),
                               .precisions = textsOf(taken.options, "precisions")});
    for (const char* applied : {"set", "policies", "precisions"}) {
        taken.options.erase(applied);
    }
    taken.graph = graph::toText(document);
    taken.issues = foreignPaths(document, catalog_, folders_);
    taken.options["graphFolder"] = folders_.input;
    taken.options["out"] = folders_.out;
    return taken;
}

}  // namespace lowtide::service
