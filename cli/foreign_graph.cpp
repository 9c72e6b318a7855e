#include "cli/foreign_graph.hpp"

#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "ui/loader/plugin_loader.hpp"
#include "ui/models/model_folders.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

namespace lowtide::cli {

namespace {

std::string lastPartOf(const std::string& name) {
    return name.substr(name.rfind('/') + 1);
}

std::string entryText(const interop::ReportEntry& entry) {
    std::vector<std::string> why;
    for (const Message& each : entry.why) {
        why.push_back(each.str());
    }
    const std::string node = entry.id.empty() ? "" : " (node " + entry.id + ")";
    const std::string kind = entry.kind == "node" ? "" : entry.kind + " ";
    return kind + entry.name + node + (why.empty() ? "" : ": " + join(why, "; "));
}

void appendEntries(std::string& text,
                   const char* what,
                   const std::vector<interop::ReportEntry>& entries) {
    for (const interop::ReportEntry& entry : entries) {
        text += std::string("  ") + what + entryText(entry) + "\n";
    }
}

}  // namespace

interop::KnownFiles knownFiles(const std::string& graphFile,
                               const std::vector<std::string>& modelFolders) {
    std::vector<std::filesystem::path> folders = {
        std::filesystem::absolute(graphFile).parent_path()};
    for (const std::string& folder : modelFolders) {
        folders.push_back(std::filesystem::path(folder) / "input");
        folders.push_back(std::filesystem::path(folder).parent_path() / "input");
    }
    if (modelFolders.empty()) {
        return {std::move(folders), std::nullopt};
    }
    std::vector<std::string> models;
    ui::ModelFinder finder(ui::hasWeightsEnding, [&](const ui::ModelPath& model) {
        models.push_back(model.relative);
        return true;
    });
    for (const std::string& folder : foldersNamed(modelFolders)) {
        finder.look(folder);
    }
    return {std::move(folders), std::move(models)};
}

ImportTables importTables(const graph::Catalog& catalog) {
    const std::string resources = loader::resourcesFolder();
    return {.catalog = catalog,
            .classes = interop::readClassTable(resources),
            .samplers = interop::readSamplerNames(resources)};
}

interop::Imported importedGraph(const std::string& text,
                                const ImportTables& tables,
                                const interop::KnownFiles& files) {
    return interop::importText(
        text,
        tables.samplers,
        {.catalog = tables.catalog,
         .table = tables.classes,
         .imageSize = [&](const std::string& name) { return files.sizeOf(name); },
         .findFile = [&](const std::string& name,
                         bool isModel) { return files.find(name, isModel); }});
}

RunnableGraph runnableGraph(const std::string& text,
                            const GraphArguments& arguments,
                            const Plugin& plugin) {
    if (!interop::isForeign(text)) {
        return {.text = text, .until = arguments.until};
    }
    const graph::Catalog catalog({plugin.nodes().begin(), plugin.nodes().end()});
    const interop::Imported imported = importedGraph(
        text, importTables(catalog), knownFiles(arguments.graph, arguments.modelFolders));
    const interop::ImportReport& report = imported.report;
    std::fprintf(stderr, "lowtide: %s", reportText(report).c_str());
    if (report.runs.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("no output of {} can be run: each needs something that is missing",
                            quotedName(lastPartOf(arguments.graph))),
                    message("lowtide import writes the graph with what is missing in it"));
    }
    const bool isAll = report.missing.empty() || !arguments.until.empty();
    return {.text = graph::toText(imported.document),
            .until = isAll ? arguments.until : report.runs};
}

std::string reportText(const interop::ImportReport& report) {
    std::string text = formatted("%s: %zu exact, %zu near, %zu missing, %zu left out\n",
                                 report.source.c_str(),
                                 report.exact.size(),
                                 report.near.size(),
                                 report.missing.size(),
                                 report.leftOut.size());
    appendEntries(text, "near: ", report.near);
    appendEntries(text, "missing: ", report.missing);
    appendEntries(text, "left out: ", report.leftOut);
    return text;
}

}  // namespace lowtide::cli
