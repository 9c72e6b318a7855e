#include "cli/commands.hpp"
#include "cli/drawn_prompts.hpp"
#include "cli/foreign_graph.hpp"
#include "cli/measured_graph.hpp"
#include "cli/os.hpp"
#include "cli/printed_text.hpp"
#include "cli/run_session.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"

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

/// Runs the graph once for each seed, with the texts that it draws; the records as "makeCurve"
/// takes them. Throws Ended where a text cannot be drawn or a run does not end well.
Json record(const CalibrateCacheArguments& arguments,
            const RecordedGraph& graph,
            DrawnPrompts& prompts,
            Runner& runner) {
    Json records = {
        {"tolerance", arguments.tolerance}, {kRuns, Json::array()}, {kHeldOut, Json::array()}};
    Json options = optionsUpTo(graph.denoiser, arguments);
    options["forceExecution"] = true;
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
                throw Ended{Status::Invalid};
            }
            const auto [status, report] =
                runToEnd(runner, graph::toText(document), options, printed, false);
            printed.print(report.value("issues", Json::array()));
            if (status != Status::Ok) {
                throw Ended{status};
            }
            records[key].push_back(nodeEntry(report, graph.denoiser).at("cache_record"));
        }
    }
    return records;
}

void showCurve(const Json& curve, const CalibrateCacheArguments& arguments) {
    if (arguments.json) {
        printJson(curve);
        return;
    }
    const Json& check = curve.at("check");
    std::printf("%zu calls of %s, from %zu seeds\n",
                curve.at("ratios").size(),
                memberText(curve, "scheduler").c_str(),
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

Status calibrateCache(const CalibrateCacheArguments& arguments) {
    requireDifferentSeeds(arguments);
    const std::string text = readGraph(arguments.graph);
    files::OutputFile file(arguments.out);  // refused before minutes of recording
    catchInterrupts();
    Plugin& plugin = startModule(arguments);
    DrawnPrompts prompts(arguments, plugin);
    const RecordedGraph graph = recordedGraph(
        documentOf(runnableGraph(text, arguments, plugin).text, prompts.catalog(), arguments),
        prompts.catalog(),
        arguments.node);
    const Json records = record(arguments, graph, prompts, *plugin.runner());
    const Json curve = resultOf(call(plugin, "makeCurve", records)).at("curve");
    file.write(curve.dump(2) + "\n");
    file.commit();
    showCurve(curve, arguments);
    return Status::Ok;
}

}  // namespace lowtide::cli
