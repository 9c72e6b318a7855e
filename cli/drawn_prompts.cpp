#include "cli/drawn_prompts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/graph/overrides.hpp"
#include "ui/loader/os.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// The named one, else the studio's.
std::string wildcardFolder(const GraphArguments& arguments) {
    if (arguments.wildcards.empty()) {
        const std::string data = loader::studioDataFolder();
        return data.empty() ? data : data + "/wildcards";
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(arguments.wildcards, ignored)) {
        throw Error(ErrorKind::NotFound,
                    message("--wildcards: there is no folder \"{}\"", arguments.wildcards),
                    message("name the folder in which the .txt files of wildcards lie"));
    }
    return arguments.wildcards;
}

bool namesWildcards(const graph::Document& document, const std::vector<ui::PromptField>& fields) {
    return std::any_of(fields.begin(), fields.end(), [&](const ui::PromptField& field) {
        return !ui::PromptChoices(ui::textAt(document, field)).wildcards().empty();
    });
}

/// Reports after a refusal where files were looked for, and which were left out there.
void reportFolder(const std::string& folder, const std::vector<Message>& problems) {
    std::fprintf(stderr,
                 "  the folder of wildcards is %s; --wildcards names another one\n",
                 folder.empty() ? "not known" : folder.c_str());
    for (const Message& problem : problems) {
        std::fprintf(stderr, "  %s\n", problem.str().c_str());
    }
}

}  // namespace

DrawnPrompts::DrawnPrompts(const GraphArguments& arguments, const Plugin& plugin)
    : catalog_({plugin.nodes().begin(), plugin.nodes().end()}),
      folder_(wildcardFolder(arguments)),
      isLiteral_(arguments.literal) {}

bool DrawnPrompts::draw(graph::Document& document, std::optional<uint64_t> seed) {
    const std::vector<ui::PromptField> fields =
        isLiteral_ ? std::vector<ui::PromptField>() : ui::templateFields(document, catalog_);
    if (fields.empty()) {
        return true;
    }
    const bool hasWildcards = namesWildcards(document, fields);
    const ui::Wildcards none;
    const ui::Wildcards& lists = hasWildcards ? files().lists : none;
    const Issues undrawn = ui::resolvePrompts(document, catalog_, lists, seed);
    if (undrawn.empty()) {
        return true;
    }
    printIssues(graph::toJson(undrawn));
    if (hasWildcards) {
        reportFolder(folder_, files().problems);
    }
    return false;
}

std::optional<DrawnGraph> DrawnPrompts::drawn(const std::string& graph,
                                              const Json& options,
                                              const std::vector<std::string>* base) {
    DrawnGraph call{.text = graph, .options = options};
    if (isLiteral_) {
        return call;
    }
    const auto set = options.at("set").get<std::vector<std::string>>();
    graph::Document before;
    uint64_t seed = 0;
    try {
        before = written(graph, set);
        seed = ui::runSeed(base ? written(graph, *base) : before, catalog_);
    } catch (const Error&) {
        return call;
    }
    const std::vector<ui::PromptField> fields = ui::templateFields(before, catalog_);
    if (fields.empty()) {
        return call;
    }
    graph::Document document = before;
    if (!draw(document, seed)) {
        return std::nullopt;
    }
    for (const ui::PromptField& field : fields) {
        call.prompts.push_back({{"node", field.node},
                                {"item", field.param},
                                {"template", ui::textAt(before, field)},
                                {"text", ui::textAt(document, field)}});
    }
    call.text = graph::toText(document);
    call.options.erase("set");
    return call;
}

graph::Document DrawnPrompts::written(const std::string& graph,
                                      const std::vector<std::string>& set) const {
    return graph::applyOverrides(
        graph::parseDocument(graph), catalog_, {.params = set, .policies = {}});
}

const ui::WildcardFiles& DrawnPrompts::files() {
    if (!files_) {
        files_ = ui::readWildcards(folder_);
    }
    return *files_;
}

}  // namespace lowtide::cli
