#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/printed_text.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <span>

namespace lowtide::cli {

namespace {

/// Of how many files something is in the way.
using Counts = std::map<std::string, int>;

/// One file of a folder.
struct CoveredFile {
    std::string name;
    interop::ImportReport report;
    std::string problem;  ///< empty: it was read
};

bool isComplete(const CoveredFile& file) {
    return file.problem.empty() && file.report.missing.empty();
}

std::vector<std::filesystem::path> jsonFilesIn(const std::string& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> paths;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".json") {
            paths.push_back(entry->path());
        }
    }
    if (error) {
        throw Error(ErrorKind::NotFound,
                    message("the folder {} cannot be read", quotedName(folder)),
                    message("name a folder of workflows"));
    }
    std::ranges::sort(paths);
    return paths;
}

/// Nothing: it is no workflow.
std::optional<CoveredFile> covered(const std::filesystem::path& path, const ImportTables& tables) {
    CoveredFile file{.name = path.stem().string(), .report = {}, .problem = {}};
    try {
        const std::string text = readGraph(path.string());
        if (!interop::isForeign(text)) {
            return std::nullopt;
        }
        file.report = importedGraph(text, tables, knownFiles(path.string(), {})).report;
        std::erase_if(file.report.missing, [](const interop::ReportEntry& entry) {
            return entry.kind == "file";  // what a workflow begins with is not in the folder
        });
    } catch (const Error& error) {
        file.problem = error.message().str();
    }
    return file;
}

Json coverageJson(const CoveredFile& file) {
    Json json = interop::toJson(file.report);
    json["file"] = file.name;
    json["complete"] = isComplete(file);
    if (!file.problem.empty()) {
        json["problem"] = file.problem;
    }
    return json;
}

/// The reason why a file falls short, in a line.
std::string shortfallOf(const CoveredFile& file) {
    std::set<std::string> lacks;
    for (const interop::ReportEntry& entry : file.report.missing) {
        lacks.insert(entry.kind == "node" ? entry.name : entry.kind + " " + entry.name);
    }
    const std::vector<std::string> names(lacks.begin(), lacks.end());
    return file.problem.empty() ? listSome(names, 6).str() : file.problem;
}

void countMissing(const CoveredFile& file, Counts& classes, Counts& families) {
    std::set<std::string> seen;
    for (const interop::ReportEntry& entry : file.report.missing) {
        if ((entry.kind == "node" || entry.kind == "family") &&
            seen.insert(entry.kind + " " + entry.name).second) {
            ++(entry.kind == "family" ? families : classes)[entry.name];
        }
    }
}

void printCounts(const char* title, const Counts& counts) {
    std::vector<std::pair<int, std::string>> sorted;
    for (const auto& [name, count] : counts) {
        sorted.emplace_back(-count, name);
    }
    std::ranges::sort(sorted);
    std::printf("\n%s\n", title);
    for (const auto& [count, name] : sorted) {
        std::printf("  %4d  %s\n", -count, name.c_str());
    }
}

void printCoverage(const std::vector<CoveredFile>& files) {
    std::vector<Cells> rows = {split("workflow,exact,near,missing,what is missing", ',')};
    Counts classes, families;
    for (const CoveredFile& file : files) {
        rows.push_back({file.name,
                        std::to_string(file.report.exact.size()),
                        std::to_string(file.report.near.size()),
                        std::to_string(file.report.missing.size()),
                        isComplete(file) ? "" : shortfallOf(file)});
        countMissing(file, classes, families);
    }
    std::printf("%s", aligned(rows, rows[0].size()).c_str());
    printCounts("classes that nothing stands for, and in how many workflows", classes);
    printCounts("families that do not run, and in how many workflows", families);
    const auto complete = std::ranges::count_if(files, isComplete);
    std::printf("\n%td of %zu workflows have nothing missing (%.1f %%)\n",
                complete,
                files.size(),
                files.empty()
                    ? 0.0
                    : 100.0 * static_cast<double>(complete) / static_cast<double>(files.size()));
}

/// Error{InvalidInput}, {NotFound} or {Corrupt}: nothing can be made of the file.
interop::Imported importedFile(const ImportArguments& arguments, const ImportTables& tables) {
    if (arguments.file.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is nothing to import"),
                    message("name a workflow or an image, or a folder with --coverage"));
    }
    try {
        return importedGraph(
            readGraph(arguments.file), tables, knownFiles(arguments.file, arguments.modelFolders));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Unsupported) {  // an image of a format that is not read
            throw Error(ErrorKind::InvalidInput, error.message(), error.hint(), error.item());
        }
        throw;
    }
}

Status importOne(const ImportArguments& arguments, const ImportTables& tables) {
    const interop::Imported imported = importedFile(arguments, tables);
    if (!arguments.out.empty()) {
        files::writeFileAtomically(arguments.out, graph::toText(imported.document));
    }
    if (!arguments.report.empty()) {
        files::writeFileAtomically(arguments.report,
                                   interop::toJson(imported.report).dump(2) + "\n");
    }
    std::printf("%s", reportText(imported.report).c_str());
    return Status::Ok;
}

}  // namespace

Status importGraph(const ImportArguments& arguments) {
    const std::span<const NodeDesc> nodes = loader::startPlugin({}).nodes();
    const graph::Catalog catalog({nodes.begin(), nodes.end()});
    const ImportTables tables = importTables(catalog);
    if (arguments.coverage.empty()) {
        return importOne(arguments, tables);
    }
    std::vector<CoveredFile> files;
    for (const std::filesystem::path& path : jsonFilesIn(arguments.coverage)) {
        if (std::optional<CoveredFile> file = covered(path, tables)) {
            files.push_back(std::move(*file));
        }
    }
    if (!arguments.json) {
        printCoverage(files);
        return Status::Ok;
    }
    Json list = Json::array();
    for (const CoveredFile& file : files) {
        list.push_back(coverageJson(file));
    }
    printJson(list);
    return Status::Ok;
}

}  // namespace lowtide::cli
