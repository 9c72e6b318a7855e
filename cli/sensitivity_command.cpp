#include "cli/commands.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/lossy_choice.hpp"
#include "cli/os.hpp"
#include "cli/run_session.hpp"
#include "cli/sensitivity_table.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/graph/overrides.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// A call that did not end well; its issues were printed.
struct Ended {
    Status status;
};

/// The result of a call or a run that ended well; else prints the issues and throws Ended.
Json resultOf(CallAnswer answer) {
    if (answer.status != Status::Ok) {
        printIssues(answer.result.value("issues", Json::array()));
        throw Ended{answer.status};
    }
    return std::move(answer.result);
}

/// The entry of the node in the last repetition of a report.
const Json& entryOf(const Json& report, const std::string& node) {
    const Json& nodes = report.at("repetitions").back().at("nodes");
    const auto found = std::find_if(
        nodes.begin(), nodes.end(), [&](const Json& entry) { return entry.at("node") == node; });
    return *found;
}

/// "f16 in f16, sums in f16": what a choice was on the device that computed it.
constexpr const char* kFirstDenoiser = "denoiser";

std::string typesText(const Json& precision) {
    const bool sumsInHalf = precision.at("switches").at("matmul_half_accumulation") == "on";
    return precision.at("storage").get<std::string>() + " in " +
           precision.at("compute").get<std::string>() + (sumsInHalf ? ", sums in f16" : "");
}

/// A file that goes with the scope.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::filesystem::path& path) : path_(path.string()) {}

    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The network of one sampling node, measured along one exact run.
class Measuring {
public:
    /// Throws Ended when the graph cannot be run, or what is known cannot be read.
    Measuring(const CompareArguments& arguments, Plugin& plugin);

    /// All choices of which nothing is known; Ctrl-C ends between two of them. Throws Ended when
    /// the exact run fails, or what was measured cannot be kept.
    [[nodiscard]] Status measureAll();
    /// What is known now, and what could not be measured.
    [[nodiscard]] Json found() const;

private:
    [[nodiscard]] Json known() const;
    [[nodiscard]] EndedRun run(const graph::Document& document,
                               const char* key,
                               const std::string& value);
    void recordExactRun();
    [[nodiscard]] Status measure(const LossyChoice& choice);
    void keep(const LossyChoice& choice, const Json& report);

    const CompareArguments& arguments_;
    Plugin& plugin_;
    graph::Catalog catalog_;
    graph::Document document_;
    std::string node_;
    graph::Document exact_;
    Json options_;
    std::vector<LossyChoice> choices_;
    TemporaryFile recording_;
    PrintedIssues printed_;
    bool isRecorded_ = false;
    std::string weights_;
    std::string exactRun_;
    Json known_ = Json::array();      ///< before anything was measured
    Json measured_ = Json::object();  ///< calls by the name of the choice, of those measured now
    Json refused_ = Json::array();
};

std::vector<ui::Variation> variationsOf(const CompareArguments& arguments) {
    std::vector<ui::Variation> variations;
    for (const std::string& text : arguments.vary) {
        variations.push_back(ui::parseVariation(text));
    }
    return variations;
}

Json optionsFor(const CompareArguments& arguments, const std::string& node) {
    Json options = optionsOf(arguments);
    for (const char* applied : {"set", "policies", "precisions"}) {  // to the document
        options.erase(applied);
    }
    options["until"] = Json::array({node});
    return options;
}

/// The graph with the user's values and drawn texts.
graph::Document documentToMeasure(const CompareArguments& arguments, const Plugin& plugin) {
    DrawnPrompts prompts(arguments, plugin);
    graph::Document document =
        graph::applyOverrides(graph::parseDocument(readGraph(arguments.graph)),
                              prompts.catalog(),
                              {.params = arguments.set,
                               .policies = arguments.policies,
                               .precisions = arguments.precisions});
    if (!prompts.draw(document)) {
        throw Ended{Status::Invalid};
    }
    return document;
}

Measuring::Measuring(const CompareArguments& arguments, Plugin& plugin)
    : arguments_(arguments),
      plugin_(plugin),
      catalog_({plugin.nodes().begin(), plugin.nodes().end()}),
      document_(documentToMeasure(arguments, plugin)),
      node_(sampledNode(document_, catalog_, arguments.until)),
      exact_(exactUpTo(document_, catalog_, node_)),
      options_(optionsFor(arguments, node_)),
      choices_(arguments.vary.empty()
                   ? allLossyChoices(catalog_)
                   : variedChoices(document_, catalog_, node_, variationsOf(arguments))),
      recording_(std::filesystem::absolute(arguments.out) / "exact_pass.safetensors") {
    const Json identity = resultOf(
        call(plugin,
             "identify",
             {{"graph", graph::toText(exact_)}, {"options", options_.dump()}, {"node", node_}}));
    weights_ = identity.at("weights").get<std::string>();
    exactRun_ = identity.at("pass").get<std::string>();
    if (!arguments.again) {
        known_ = known().at("sensitivities");
    }
}

Json Measuring::known() const {
    return resultOf(call(plugin_, "sensitivities", {{"weights", weights_}}));
}

EndedRun Measuring::run(const graph::Document& document,
                        const char* key,
                        const std::string& value) {
    Json options = options_;
    options[key] = value;
    EndedRun ended = runToEnd(*plugin_.runner(), graph::toText(document), options, printed_, false);
    if (ended.status == Status::Ok) {
        printed_.print(ended.report.at("issues"));
    }
    return ended;
}

void Measuring::recordExactRun() {
    if (isRecorded_) {
        return;
    }
    const EndedRun ended = run(exact_, "dump", recording_.path());
    static_cast<void>(resultOf({ended.status, ended.report}));
    isRecorded_ = true;
}

void Measuring::keep(const LossyChoice& choice, const Json& report) {
    const Json& forced = entryOf(report, node_).at("teacher_forced");
    // A node of several components has an entry for each: "denoise.denoiser".
    const Json& precisions = report.at("precision");
    const auto own = precisions.find(node_);
    const Json& precision =
        own == precisions.end() ? precisions.at(node_ + "." + kFirstDenoiser) : *own;
    const Json measured = {{"weights", weights_},
                           {"pass", exactRun_},
                           {"setting", choice.name},
                           {"types", typesText(precision)},
                           {"error", forced.at("mean")},
                           {"worst", forced.at("worst")}};
    static_cast<void>(resultOf(call(plugin_, "keepSensitivity", measured)));
    measured_[choice.name] = {{"errors", forced.at("errors")},
                              {"cosines", forced.at("cosines")},
                              {"steps", entryOf(report, node_).at("steps")}};
}

Status Measuring::measure(const LossyChoice& choice) {
    const graph::Document lossy = withChoice(exact_, catalog_, node_, choice);
    std::string result;
    if (plugin_.runner()->check(graph::toText(lossy), options_.dump(), result) == Status::Invalid) {
        const Json issues = Json::parse(result).at("issues");
        refused_.push_back({{"setting", choice.name}, {"reason", issues.at(0).at("message")}});
        return Status::Ok;
    }
    recordExactRun();
    if (errorIsTerminal()) {
        std::fprintf(stderr, "%s\n", choice.name.c_str());
    }
    const EndedRun ended = run(lossy, "teacher", recording_.path());
    if (ended.status != Status::Ok) {
        std::fprintf(stderr, "lowtide: %s failed\n", choice.name.c_str());
        printIssues(ended.report.value("issues", Json::array()));
        return ended.status;
    }
    keep(choice, ended.report);
    return Status::Ok;
}

Status Measuring::measureAll() {
    Status worst = Status::Ok;
    for (const LossyChoice& choice : choices_) {
        const bool isKnown = std::any_of(known_.begin(), known_.end(), [&](const Json& row) {
            return row.at("setting") == choice.name && row.at("pass") == exactRun_;
        });
        const Status status = isKnown ? Status::Ok : measure(choice);
        if (interruptCount() > 0) {
            return Status::Cancelled;
        }
        worst = status == Status::Ok ? worst : status;
    }
    return worst;
}

Json Measuring::found() const {
    Json found = known();
    for (Json& row : found.at("sensitivities")) {
        const auto calls = measured_.find(row.at("setting").get<std::string>());
        const bool isNew = calls != measured_.end() && row.at("pass") == exactRun_;
        row["is_new"] = isNew;
        row["calls"] = isNew ? *calls : Json();
    }
    found["graph"] = std::filesystem::path(arguments_.graph).filename().string();
    found["node"] = node_;
    found["weights"] = weights_;
    found["pass"] = exactRun_;
    found["refused"] = refused_;
    found["asked"] = Json::array();
    for (const LossyChoice& choice : choices_) {
        found["asked"].push_back(choice.name);
    }
    return found;
}

std::string pathOfFound(const CompareArguments& arguments) {
    return (std::filesystem::path(arguments.out) / "sensitivity.json").string();
}

void showSensitivities(const Json& found,
                       const CompareArguments& arguments,
                       files::OutputFile& file) {
    const std::string json = found.dump(2) + "\n";
    file.write(json);
    file.commit();
    if (arguments.json) {
        std::printf("%s", json.c_str());
        return;
    }
    std::printf("%s\n%s\n", sensitivityTable(found).c_str(), pathOfFound(arguments).c_str());
}

}  // namespace

int measureSensitivity(const CompareArguments& arguments) {
    catchInterrupts();
    Plugin& plugin = startModule(arguments);
    try {
        Measuring measuring(arguments, plugin);
        files::makeFolders(arguments.out);
        files::OutputFile file(pathOfFound(arguments));  // refused before hours of measuring
        const Status status = measuring.measureAll();
        if (status != Status::Cancelled) {
            showSensitivities(measuring.found(), arguments, file);
        }
        return static_cast<int>(status);
    } catch (const Ended& ended) {
        return static_cast<int>(ended.status);
    }
}

}  // namespace lowtide::cli
