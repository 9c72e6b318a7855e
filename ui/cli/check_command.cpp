#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/host_api/recogniser.hpp"
#include "ui/cli/commands.hpp"
#include "ui/cli/member_text.hpp"
#include "ui/cli/start_module.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// What the module is asked about: files of weights and folders. A graph is a file of text.
bool looksLikeWeights(const std::string& path) {
    constexpr std::string_view kEndings[] = {".safetensors", ".gguf", ".ckpt", ".pth", ".pt"};
    const std::string ending = toLower(std::filesystem::path(path).extension().string());
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored) ||
           std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

/// "q4_k 1.2 GiB, F16 3.1 MiB".
std::string storedText(const Json& shares) {
    std::vector<std::string> parts;
    for (const Json& share : shares) {
        parts.push_back(memberText(share, "storage") + " " +
                        formatBytes(share.at("bytes").get<Bytes>()));
    }
    return join(parts, ", ");
}

void printRecognised(const std::string& path, const Json& known) {
    const std::string kind = memberText(known, "kind");
    const std::string layout = memberText(known, "layout");
    const std::string family = memberText(known, "family");
    const std::string problem = memberText(known, "problem");
    std::printf("%s: %s%s%s, %s; %s\n",
                path.c_str(),
                kind.c_str(),
                family.empty() || family == kind ? "" : (" (" + family + ")").c_str(),
                layout.empty() ? "" : (" in the layout " + layout).c_str(),
                formatBytes(known.at("bytes").get<Bytes>()).c_str(),
                !problem.empty()               ? problem.c_str()
                : known.at("runs").get<bool>() ? "this version runs it"
                                               : "this version does not run it");
    const std::string stored = storedText(known.at("stored"));
    if (!stored.empty()) {
        std::printf("  %s\n", stored.c_str());
    }
}

int checkWeights(const GraphArguments& arguments) {
    Plugin& plugin = startModule(arguments);
    auto* recogniser = static_cast<Recogniser*>(plugin.extension(kRecogniser));
    if (!recogniser) {
        throw Error(ErrorKind::Unsupported,
                    "this module does not say what files hold",
                    "use the module of the same version as the command");
    }
    std::string text;
    const Status status = recogniser->recognise(arguments.graph, text);
    const Json result = Json::parse(text);
    printIssues(result.at("issues"));
    if (status != Status::Ok) {
        return static_cast<int>(status);
    }
    printRecognised(arguments.graph, result);
    return result.at("runs").get<bool>() ? 0 : static_cast<int>(Status::Invalid);
}

}  // namespace

int checkGraph(const GraphArguments& arguments) {
    if (looksLikeWeights(arguments.graph)) {
        return checkWeights(arguments);
    }
    const std::string graph = readGraph(arguments.graph);
    std::string result;
    const Status status =
        startModule(arguments).runner()->check(graph, optionsOf(arguments).dump(), result);
    printIssues(Json::parse(result).value("issues", Json::array()));
    if (status == Status::Ok) {
        std::printf("%s: valid\n", arguments.graph.c_str());
    }
    return static_cast<int>(status);
}

}  // namespace lowtide::cli
