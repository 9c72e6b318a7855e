#include "cli/commands.hpp"
#include "cli/comparison.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/measured_graph.hpp"
#include "cli/os.hpp"
#include "cli/printed_text.hpp"
#include "cli/run_session.hpp"
#include "cli/start_module.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// "f16 in f16, sums in f16": what a choice was on the device that computed it.
std::string typesText(const Json& precision) {
    const bool sumsInHalf = precision.at("switches").at("matmul_half_accumulation") == "on";
    return memberText(precision, "storage") + " in " + memberText(precision, "compute") +
           (sumsInHalf ? ", sums in f16" : "");
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

/// The graph with the user's values and drawn texts.
graph::Document documentToMeasure(const CompareArguments& arguments, const Plugin& plugin) {
    DrawnPrompts prompts(arguments, plugin);
    graph::Document document =
        documentOf(runnableGraph(readGraph(arguments.graph), arguments, plugin).text,
                   prompts.catalog(),
                   arguments);
    if (!prompts.draw(document)) {
        throw Ended{Status::Invalid};
    }
    return document;
}

/// The network of one sampling node, measured along one exact run.
class Measuring {
public:
    /// Throws Ended when the graph cannot be run, or what is known cannot be read.
    Measuring(const CompareArguments& arguments, Plugin& plugin)
        : arguments_(arguments),
          plugin_(plugin),
          catalog_({plugin.nodes().begin(), plugin.nodes().end()}),
          document_(documentToMeasure(arguments, plugin)),
          node_(sampledNode(document_, catalog_, arguments.until)),
          exact_(exactUpTo(document_, catalog_, node_)),
          options_(optionsUpTo(node_, arguments)),
          choices_(
              arguments.vary.empty()
                  ? allLossyChoices(catalog_)
                  : variedChoices(document_, catalog_, node_, ui::parseVariations(arguments.vary))),
          recording_(std::filesystem::absolute(arguments.out) / "exact_pass.safetensors") {
        const Json identity = resultOf(call(
            plugin,
            "identify",
            {{"graph", graph::toText(exact_)}, {"options", options_.dump()}, {"node", node_}}));
        weights_ = memberText(identity, "weights");
        exactRun_ = memberText(identity, "pass");
        if (!arguments.again) {
            known_ = known().at("sensitivities");
        }
    }

    /// All choices of which nothing is known; Ctrl-C ends between two of them. Throws Ended when
    /// the exact run fails, or what was measured cannot be kept.
    [[nodiscard]] Status measureAll() {
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

    /// What is known now, and what could not be measured.
    [[nodiscard]] Json found() const {
        Json found = known();
        for (Json& row : found.at("sensitivities")) {
            const auto calls = measured_.find(memberText(row, "setting"));
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

private:
    [[nodiscard]] Json known() const {
        return resultOf(call(plugin_, "sensitivities", {{"weights", weights_}}));
    }

    [[nodiscard]] Answer run(const graph::Document& document,
                             const char* key,
                             const std::string& value) {
        Json options = options_;
        options[key] = value;
        Answer ended =
            runToEnd(*plugin_.runner(), graph::toText(document), options, printed_, false);
        if (ended.status == Status::Ok) {
            printed_.print(ended.result.at("issues"));
        }
        return ended;
    }

    void recordExactRun() {
        if (!isRecorded_) {
            static_cast<void>(resultOf(run(exact_, "dump", recording_.path())));
            isRecorded_ = true;
        }
    }

    [[nodiscard]] Status measure(const LossyChoice& choice) {
        const graph::Document lossy = withChoice(exact_, catalog_, node_, choice);
        const Answer checked = answerOf([&](std::string& text) {
            return plugin_.runner()->check(graph::toText(lossy), options_.dump(), text);
        });
        if (checked.status == Status::Invalid) {
            const Json& reason = checked.result.at("issues").at(0).at("message");
            refused_.push_back({{"setting", choice.name}, {"reason", reason}});
            return Status::Ok;
        }
        recordExactRun();
        if (errorIsTerminal()) {
            std::fprintf(stderr, "%s\n", choice.name.c_str());
        }
        const Answer ended = run(lossy, "teacher", recording_.path());
        if (ended.status != Status::Ok) {
            std::fprintf(stderr, "lowtide: %s failed\n", choice.name.c_str());
            printIssues(ended.result.value("issues", Json::array()));
            return ended.status;
        }
        keep(choice, ended.result);
        return Status::Ok;
    }

    void keep(const LossyChoice& choice, const Json& report) {
        const Json& entry = nodeEntry(report, node_);
        const Json& forced = entry.at("teacher_forced");
        // A node of several components has an entry for each: "denoise.denoiser".
        const Json& precisions = report.at("precision");
        const auto own = precisions.find(node_);
        const Json& precision = own == precisions.end() ? precisions.at(node_ + ".denoiser") : *own;
        const Json measured = {{"weights", weights_},
                               {"pass", exactRun_},
                               {"setting", choice.name},
                               {"types", typesText(precision)},
                               {"error", forced.at("mean")},
                               {"worst", forced.at("worst")}};
        static_cast<void>(resultOf(call(plugin_, "keepSensitivity", measured)));
        measured_[choice.name] = {{"errors", forced.at("errors")},
                                  {"cosines", forced.at("cosines")},
                                  {"steps", entry.at("steps")}};
    }

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

Status measureSensitivity(const CompareArguments& arguments) {
    catchInterrupts();
    Plugin& plugin = startModule(arguments);
    Measuring measuring(arguments, plugin);
    files::makeFolders(arguments.out);
    files::OutputFile file(pathOfFound(arguments));  // refused before hours of measuring
    const Status status = measuring.measureAll();
    if (status != Status::Cancelled) {
        showSensitivities(measuring.found(), arguments, file);
    }
    return status;
}

}  // namespace lowtide::cli
