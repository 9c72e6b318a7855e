#include "cli/commands.hpp"
#include "cli/comparison.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/fewer_steps.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/os.hpp"
#include "cli/printed_text.hpp"
#include "cli/run_session.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "ui/vary/variation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace lowtide::cli {

namespace {

constexpr Bytes kLargestImage = 1 * kGiB;
/// Runs of the reference that are not timed: the first one reads weights and chooses operators.
constexpr int kWarmUps = 1;

Image8 readImage(const std::string& path) {
    const files::InputFile file(path);
    const std::string bytes = file.readAll(kLargestImage);
    return image::decodeImage(std::as_bytes(std::span(bytes)), file.name()).image;
}

/// The most bytes that a repetition held on the run's device, which the plan names first.
Bytes peakOf(const Json& report, const Json& repetition) {
    const std::string device = memberText(report.at("plan").at("devices").at(0), "device");
    return repetition.at("ledger").at(device).at("peak").get<Bytes>();
}

/// Images of the last repetition; those of earlier ones, which are equal, are removed.
void takeImages(const Json& report,
                int last,
                const std::filesystem::path& folder,
                VariantRun& run) {
    for (const Json& file : report.at("files")) {
        const std::string path = memberText(file, "path");
        if (file.at("repetition").get<int>() == last) {
            run.files.push_back(
                std::filesystem::path(path).lexically_normal().lexically_relative(folder).string());
            run.images.push_back(readImage(path));
        } else {
            std::filesystem::remove(path);
        }
    }
}

/// Everything that the variants of one comparison share.
class Variants {
public:
    Variants(const CompareArguments& arguments, Plugin& plugin, std::string graph)
        : arguments_(arguments),
          runner_(*plugin.runner()),
          graph_(std::move(graph)),
          prompts_(arguments, plugin),
          catalog_(prompts_.catalog()) {}

    /// Refuses before the first run what the graph's check refuses, and prompts that cannot be
    /// drawn: for all variants, by the seed that the graph has before anything is varied.
    [[nodiscard]] Status check(const std::vector<ui::Variant>& variants) {
        for (const ui::Variant& variant : variants) {
            const std::optional<DrawnGraph> drawn =
                prompts_.drawn(graph_, optionsOf(argumentsWith(variant.settings)), &arguments_.set);
            if (!drawn) {
                return Status::Invalid;
            }
            const auto [status, result] = answerOf([&](std::string& text) {
                return runner_.check(drawn->text, drawn->options.dump(), text);
            });
            if (status != Status::Ok) {
                std::fprintf(stderr, "lowtide: %s cannot be run\n", variant.name().c_str());
                printIssues(result.value("issues", Json::array()));
                return status;
            }
        }
        return Status::Ok;
    }

    [[nodiscard]] VariantRun run(const std::string& folder,
                                 const std::string& name,
                                 const std::vector<std::string>& settings,
                                 int warmUps) {
        if (errorIsTerminal()) {
            std::fprintf(stderr, "%s\n", name.c_str());
        }
        VariantRun run{.name = name, .settings = settings};
        const auto path = std::filesystem::absolute(arguments_.out) / folder;
        files::makeFolders(modulePath(path, message("the folder for images")));
        const std::string dump = (path / "latents.safetensors").string();
        Json options = optionsOf(argumentsWith(settings));
        options["out"] = path.string();
        options["repeat"] = arguments_.repeat + warmUps;
        options["dump"] = dump;
        const DrawnGraph drawn = prompts_.drawn(graph_, options, &arguments_.set).value();
        const auto [status, report] = runToEnd(runner_, drawn.text, drawn.options, printed_, false);
        run.status = status;
        run.issues = report.value("issues", Json::array());
        if (status == Status::Ok) {
            printed_.print(run.issues);
            takeReport(report, warmUps, run);
            run.latents = readLatentSteps(dump);
            std::filesystem::remove(dump);
        }
        return run;
    }

    /// Adds the run of fewer steps in the time of `variant`, or why there is none.
    void addBaseline(ComparedVariant& variant, const ComparedVariant& reference) {
        const graph::Document start = documentWith(reference.own.settings);
        if (stepsDiffer(start, documentWith(variant.own.settings), catalog_)) {
            variant.noBaseline = "no baseline, it has another number of steps itself";
            return;
        }
        const double fraction =
            variant.own.samplingMilliseconds / reference.own.samplingMilliseconds;
        const std::vector<std::string> fewer =
            fraction < 1 ? fewerSteps(start, catalog_, fraction) : std::vector<std::string>();
        if (fewer.empty()) {
            variant.noBaseline = "no baseline, it is not faster than the reference by a step";
            return;
        }
        std::vector<std::string> settings = reference.own.settings;
        settings.insert(settings.end(), fewer.begin(), fewer.end());
        auto known = baselines_.find(settings);
        if (known == baselines_.end()) {
            const std::string folder = "fewer_steps_" + std::to_string(baselines_.size());
            VariantRun baseline = run(folder, join(fewer, " "), settings, 0);
            baseline.difference = compared(reference.own, baseline);
            known = baselines_.emplace(settings, std::move(baseline)).first;
        }
        variant.fewerSteps = known->second;
    }

private:
    [[nodiscard]] GraphArguments argumentsWith(const std::vector<std::string>& settings) const {
        GraphArguments all = arguments_;
        const ui::AppliedSettings applied = ui::appliedSettings(settings);
        std::ranges::copy(applied.params, std::back_inserter(all.set));
        std::ranges::copy(applied.precisions, std::back_inserter(all.precisions));
        std::ranges::copy(applied.policies, std::back_inserter(all.policies));
        return all;
    }

    [[nodiscard]] graph::Document documentWith(const std::vector<std::string>& settings) const {
        return documentOf(graph_, catalog_, argumentsWith(settings));
    }

    void takeReport(const Json& report, int warmUps, VariantRun& run) const {
        const Json& repetitions = report.at("repetitions");
        const auto timed = std::min_element(
            repetitions.begin() + warmUps,
            repetitions.end(),
            [](const Json& first, const Json& second) { return first.at("ms") < second.at("ms"); });
        run.milliseconds = timed->at("ms").get<double>();
        run.samplingMilliseconds = samplingMilliseconds(*timed, catalog_);
        run.peak = peakOf(report, *timed);
        run.steps = stepsOf(*timed);
        takeImages(report,
                   static_cast<int>(repetitions.size()),
                   std::filesystem::absolute(arguments_.out).lexically_normal(),
                   run);
    }

    const CompareArguments& arguments_;
    Runner& runner_;
    std::string graph_;
    DrawnPrompts prompts_;
    PrintedIssues printed_;
    const graph::Catalog& catalog_;
    std::map<std::vector<std::string>, VariantRun> baselines_;  ///< by their settings
};

size_t columnsFor(const std::vector<ui::Variation>& variations, size_t count) {
    constexpr size_t kOneRow = 4;
    const auto several =
        std::count_if(variations.begin(), variations.end(), [](const ui::Variation& each) {
            return each.values.size() > 1;
        });
    if (several > 1) {
        return variations.back().values.size();
    }
    return count <= kOneRow ? count
                            : static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
}

/// The files of a comparison, opened before hours of runs.
class ComparisonFiles {
public:
    explicit ComparisonFiles(const std::string& folder) {
        files::makeFolders(folder);
        for (const char* name : {"contact_sheet.png", "heat_map.png", "comparison.json"}) {
            paths_.push_back((std::filesystem::path(folder) / name).string());
            files_.push_back(std::make_unique<files::OutputFile>(paths_.back()));
        }
    }

    void write(const Comparison& comparison, const std::string& json) {
        const std::vector<std::string> contents = {
            image::encodePng(image::drawContactSheet(contactSheetOf(comparison)), {}),
            image::encodePng(image::drawContactSheet(heatMapsOf(comparison)), {}),
            json};
        for (size_t i = 0; i < files_.size(); ++i) {
            files_[i]->write(contents[i]);
            files_[i]->commit();
        }
    }

    [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

private:
    std::vector<std::string> paths_;
    std::vector<std::unique_ptr<files::OutputFile>> files_;
};

/// Table or JSON, and the files.
void showComparison(const Comparison& comparison, ComparisonFiles& files, bool asJson) {
    const std::string json = toJson(comparison).dump(2) + "\n";
    files.write(comparison, json);
    if (asJson) {
        std::printf("%s", json.c_str());
        return;
    }
    std::printf("%s\n", tableOf(comparison).c_str());
    for (const std::string& path : files.paths()) {
        std::printf("%s\n", path.c_str());
    }
}

/// Runs it, and what fewer steps give in its time.
Status addVariant(Variants& variants, const ui::Variant& variant, Comparison& comparison) {
    const size_t number = comparison.variants.size();
    ComparedVariant entry;
    VariantRun& run = entry.own;
    run = variants.run("variant_" + std::to_string(number),
                       variant.name(),
                       variant.settings,
                       number == 0 ? kWarmUps : 0);
    if (run.status != Status::Ok) {
        std::fprintf(stderr, "lowtide: %s failed\n", variant.name().c_str());
        printIssues(run.issues);
    } else if (number == 0 && run.images.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("the graph writes no image, so there is nothing to compare"),
                    message("end it with save.image"));
    } else if (number > 0) {
        const ComparedVariant& reference = comparison.variants.front();
        run.difference = compared(reference.own, run);
        variants.addBaseline(entry, reference);
    }
    const Status status = run.status;
    comparison.variants.push_back(std::move(entry));
    return status;
}

}  // namespace

Status compareVariants(const CompareArguments& arguments) {
    const std::vector<ui::Variation> variations = ui::parseVariations(arguments.vary);
    const std::vector<ui::Variant> all = ui::combinationsOf(variations);
    const std::string text = readGraph(arguments.graph);
    catchInterrupts();
    Plugin& plugin = startModule(arguments);
    const std::string graph = runnableGraph(text, arguments, plugin).text;
    Variants variants(arguments, plugin, graph);
    if (const Status status = variants.check(all); status != Status::Ok) {
        return status;
    }
    ComparisonFiles files(arguments.out);
    Comparison comparison{.graph = std::filesystem::path(arguments.graph).filename().string(),
                          .variants = {},
                          .columns = columnsFor(variations, all.size())};
    Status worst = Status::Ok;
    for (const ui::Variant& variant : all) {
        const Status status = addVariant(variants, variant, comparison);
        const bool isReference = comparison.variants.size() == 1;
        if (interruptCount() > 0 || (isReference && status != Status::Ok)) {
            return interruptCount() > 0 ? Status::Cancelled : status;
        }
        worst = status == Status::Ok ? worst : status;
    }
    showComparison(comparison, files, arguments.json);
    return worst;
}

}  // namespace lowtide::cli
