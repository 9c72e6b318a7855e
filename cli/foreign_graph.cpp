#include "cli/foreign_graph.hpp"

#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/image_header.hpp"
#include "ui/loader/plugin_loader.hpp"
#include "ui/models/model_folders.hpp"

#include <cstdio>

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

ForeignFiles::ForeignFiles(const std::string& graphFile,
                           const std::vector<std::string>& modelFolders)
    : imageFolders_({std::filesystem::absolute(graphFile).parent_path()}),
      looksForModels_(!modelFolders.empty()) {
    for (const std::string& folder : modelFolders) {
        imageFolders_.push_back(std::filesystem::path(folder) / "input");
        imageFolders_.push_back(std::filesystem::path(folder).parent_path() / "input");
    }
    ui::ModelFinder finder(ui::hasWeightsEnding, [&](const ui::ModelPath& model) {
        const std::string last = lastPartOf(model.relative);
        models_[last].insert(model.relative);
        models_[std::filesystem::path(last).stem().string()].insert(model.relative);
        return true;
    });
    for (const std::string& folder : foldersNamed(modelFolders)) {
        finder.look(folder);
    }
}

std::optional<std::string> ForeignFiles::find(const std::string& name, bool isModel) const {
    if (!isModel) {
        return image(name);
    }
    std::error_code ignored;
    if (!looksForModels_ || std::filesystem::exists(imageFolders_[0] / name, ignored)) {
        return name;
    }
    const auto found = models_.find(lastPartOf(name));
    if (found == models_.end()) {
        return std::nullopt;
    }
    return found->second.contains(name) ? name : *found->second.begin();
}

std::optional<std::string> ForeignFiles::image(const std::string& name) const {
    for (const std::filesystem::path& folder : imageFolders_) {
        const std::filesystem::path path = folder / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) {
            return std::filesystem::absolute(path).lexically_normal().string();
        }
    }
    return std::nullopt;
}

std::optional<interop::PixelSize> ForeignFiles::sizeOf(const std::string& name) const {
    const std::optional<std::string> path =
        interop::leavesFolder(name) ? std::nullopt : image(name);
    if (!path) {
        return std::nullopt;
    }
    try {
        const files::InputFile file(*path);
        const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                       .read = [&](std::span<std::byte> target, uint64_t offset) {
                                           file.read(target, static_cast<Bytes>(offset));
                                       }};
        const image::ImageSize size = image::readImageHeader(source, file.name()).size;
        return interop::PixelSize{size.widthPixels, size.heightPixels};
    } catch (const Error&) {
        return std::nullopt;  // no image: the run reports it
    }
}

ImportTables importTables(const graph::Catalog& catalog) {
    const std::string resources = loader::resourcesFolder();
    return {.catalog = catalog,
            .classes = interop::readClassTable(resources),
            .samplers = interop::readSamplerNames(resources)};
}

interop::Imported importedGraph(const std::string& text,
                                const ImportTables& tables,
                                const ForeignFiles& files) {
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
        text, importTables(catalog), ForeignFiles(arguments.graph, arguments.modelFolders));
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
