#include "cli/commands.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/os.hpp"
#include "cli/recorded_graph.hpp"
#include "cli/run_session.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/graph/overrides.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace lowtide::cli {

namespace {

constexpr const char* kRuns = "runs";
constexpr const char* kHeldOut = "held_out";

void requireDifferentSeeds(const CalibrateCacheArguments& arguments) {
    std::set<uint64_t> seen;
    for (const auto* seeds : {&arguments.seeds, &arguments.heldOut}) {
        for (const uint64_t seed : *seeds) {
            if (!seen.insert(seed).second) {
                throw Error(ErrorKind::InvalidInput,
                            message("the seed {} is given twice", seed),
                            message("give other seeds after --held-out than after --seeds, each "
                                    "once: a curve is checked on images that did not make it"));
            }
        }
    }
}

RecordedGraph recordedGraphOf(const CalibrateCacheArguments& arguments,
                              const std::string& text,
                              const graph::Catalog& catalog) {
    return recordedGraph(graph::applyOverrides(graph::parseDocument(text),
                                               catalog,
                                               {.params = arguments.set,
                                                .policies = arguments.policies,
                                                .precisions = arguments.precisions}),
                         catalog,
                         arguments.node);
}

/// Of a run that ends with the denoiser; what was set is in the graph already.
Json recordingOptions(const CalibrateCacheArguments& arguments, const std::string& denoiser) {
    GraphArguments rest = arguments;
    rest.set.clear();
    rest.policies.clear();
    rest.precisions.clear();
    rest.until = {denoiser};
    Json options = optionsOf(rest);
    options["forceExecution"] = true;
    return options;
}

Json recordIn(const Json& report, const std::string& denoiser) {
    const Json& nodes = report.at("repetitions").at(0).at("nodes");
    const auto found = std::find_if(
        nodes.begin(), nodes.end(), [&](const Json& node) { return node.at("node") == denoiser; });
    LOWTIDE_ASSERT(found != nodes.end());
    return found->at("cache_record");
}

/// Runs the graph once for each seed, with the texts that it draws; the records as "makeCurve"
/// takes them grow in `records`.
Status record(const CalibrateCacheArguments& arguments,
              const RecordedGraph& graph,
              DrawnPrompts& prompts,
              Runner& runner,
              Json& records) {
    const Json options = recordingOptions(arguments, graph.denoiser);
    const size_t count = arguments.seeds.size() + arguments.heldOut.size();
    PrintedIssues printed;
    size_t number = 0;
    for (const auto& [key, seeds] :
         {std::pair(kRuns, &arguments.seeds), std::pair(kHeldOut, &arguments.heldOut)}) {
        for (const uint64_t seed : *seeds) {
            ++number;
            if (errorIsTerminal()) {
                std::fprintf(stderr,
                             "seed %llu, run %zu of %zu\n",
                             static_cast<unsigned long long>(seed),
                             number,
                             count);
            }
            graph::Document document = withSeed(graph, seed);
            if (!prompts.draw(document)) {
                return Status::Invalid;
            }
            const auto [status, report] =
                runToEnd(runner, graph::toText(document), options, printed, false);
            printed.print(report.value("issues", Json::array()));
            if (status != Status::Ok) {
                return status;
            }
            records[key].push_back(recordIn(report, graph.denoiser));
        }
    }
    return Status::Ok;
}

void showCurve(const Json& curve, const CalibrateCacheArguments& arguments) {
    if (arguments.json) {
        std::printf("%s\n", curve.dump(2).c_str());
        return;
    }
    const Json& check = curve.at("check");
    std::printf("%zu calls of %s, from %zu seeds\n",
                curve.at("ratios").size(),
                curve.at("scheduler").get<std::string>().c_str(),
                arguments.seeds.size());
    std::printf(
        "held-out seeds differ by %.3g on average, by %.3g at most (step %d, %.3g is allowed)\n",
        check.at("mean_deviation").get<double>(),
        check.at("worst_deviation").get<double>(),
        check.at("worst_step").get<int>(),
        arguments.tolerance);
    std::printf("%s\n", arguments.out.c_str());
}

}  // namespace

int calibrateCache(const CalibrateCacheArguments& arguments) {
    requireDifferentSeeds(arguments);
    const std::string text = readGraph(arguments.graph);
    files::OutputFile file(arguments.out);  // refused before minutes of recording
    catchInterrupts();
    Plugin& plugin = startModule(arguments);
    DrawnPrompts prompts(arguments, plugin);
    const RecordedGraph graph = recordedGraphOf(arguments, text, prompts.catalog());
    Json records = {
        {"tolerance", arguments.tolerance}, {kRuns, Json::array()}, {kHeldOut, Json::array()}};
    if (const Status status = record(arguments, graph, prompts, *plugin.runner(), records);
        status != Status::Ok) {
        return static_cast<int>(status);
    }
    const auto [status, made] = call(plugin, "makeCurve", records);
    printIssues(made.at("issues"));
    if (status == Status::Ok) {
        file.write(made.at("curve").dump(2) + "\n");
        file.commit();
        showCurve(made.at("curve"), arguments);
    }
    return static_cast<int>(status);
}

}  // namespace lowtide::cli
