#include "cli/command_line.hpp"

#include "cli/commands.hpp"
#include "plugin/base/text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

namespace lowtide::cli {

namespace {

constexpr int kInvalid = static_cast<int>(Status::Invalid);
constexpr size_t kLongestParse = 400;  ///< bytes of the parser's words that are shown

void addThreadsOption(CLI::App& command, int& threads) {
    command
        .add_option(
            "--threads",
            threads,
            "Threads of the CPU's operators (default: OMP_NUM_THREADS, else physical cores)")
        ->check(CLI::Range(1, 1024));
}

void addGraphOptions(CLI::App& command, GraphArguments& arguments) {
    command
        .add_option(
            "graph", arguments.graph, "Graph file (JSON), image from Lowtide, or name of a preset")
        ->required();
    command.add_option("--set", arguments.set, "Set a parameter: node.param=value (repeatable)")
        ->allow_extra_args(false);
    command
        .add_option("--policy",
                    arguments.policies,
                    "Set a memory policy: node[.component]=leaf+stream (repeatable)")
        ->allow_extra_args(false);
    command
        .add_option("--precision",
                    arguments.precisions,
                    "Set a precision: node=quality|balanced|speed[,storage=bf16] (repeatable)")
        ->allow_extra_args(false);
    command.add_flag("--exact", arguments.exact, "Refuse every choice that changes the numbers");
    command.add_option("--device", arguments.device, "cpu (default), cuda:1, fake or fake:8GiB");
    command.add_option("--memory-budget",
                       arguments.memoryBudget,
                       "Most bytes on the device: 6GiB, or on several: cuda:0=20GiB,cpu=8GiB "
                       "(default: what is free, less 5 %)");
    command
        .add_option("--model-folder",
                    arguments.modelFolders,
                    "Folder with models, as ComfyUI and A1111 lay them out, or an "
                    "extra_model_paths.yaml: the graph names files in it (repeatable)")
        ->allow_extra_args(false);
    addThreadsOption(command, arguments.threads);
    command
        .add_option("--cudnn-api",
                    arguments.cudnnApi,
                    "Convolution API of cuDNN for this process: auto (default), v7 or v8")
        ->check(CLI::IsMember({"auto", "v7", "v8"}));
}

void addUntilOption(CLI::App& command, GraphArguments& arguments) {
    command
        .add_option("--until",
                    arguments.until,
                    "End with this node instead of the output nodes (repeatable)")
        ->allow_extra_args(false);
}

/// Of commands that run a graph.
void addPromptOptions(CLI::App& command, GraphArguments& arguments) {
    CLI::Option* folder = command.add_option(
        "--wildcards",
        arguments.wildcards,
        "Folder with the .txt files of __name__ in prompts (default: the studio's)");
    command
        .add_flag("--literal",
                  arguments.literal,
                  "Take prompts as they stand: alternatives {a|b} and wildcards are not drawn")
        ->excludes(folder);
}

/// Everything that the parser fills and the call that follows.
struct Invocation {
    RunArguments run;
    GraphArguments check;
    GraphArguments plan;
    CompareArguments compare;
    CalibrateCacheArguments calibrateCache;
    ConvertArguments convert;
    bool json = false;
    bool cards = false;
    std::string device;
    int threads = 0;
    std::string report;
    std::string studioGraph;
    std::function<int()> call;
};

void addCalibrate(CLI::App& app, Invocation& invocation) {
    CLI::App* calibrate =
        app.add_subcommand("calibrate", "Measure a device, so that plans predict its times");
    calibrate->add_option(
        "--device", invocation.device, "cpu (default), cuda:1, fake or fake:8GiB");
    addThreadsOption(*calibrate, invocation.threads);
    calibrate->add_flag("--json", invocation.json, "Print the speeds as JSON");
    calibrate->callback([&] {
        invocation.call = [&] {
            return calibrateDevice(invocation.device, invocation.threads, invocation.json);
        };
    });
}

void addCalibrateCache(CLI::App& app,
                       CalibrateCacheArguments& arguments,
                       std::function<int()>& call) {
    CLI::App* calibrate = app.add_subcommand(
        "calibrate-cache", "Measure a checkpoint's curve for the block cache's gate Curve");
    addGraphOptions(*calibrate, arguments);
    addPromptOptions(*calibrate, arguments);
    calibrate->add_option("--node", arguments.node, "The denoiser, where the graph has several");
    const auto addSeeds = [&](const char* name, std::vector<uint64_t>& seeds, const char* text) {
        calibrate->add_option(name, seeds, text)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->required();
    };
    addSeeds("--seeds", arguments.seeds, "Seeds whose runs make the curve: 1,2,3");
    addSeeds("--held-out", arguments.heldOut, "Other seeds, that check it: 4,5");
    calibrate
        ->add_option("--tolerance",
                     arguments.tolerance,
                     "Most that a held-out step may differ from the curve, as a fraction (default "
                     "0.06)")
        ->check(CLI::Range(0.0, 1.0));
    calibrate->add_option("--out", arguments.out, "File for the curve (JSON)")->required();
    calibrate->add_flag("--json", arguments.json, "Print the curve");
    calibrate->callback([&] { call = [&] { return calibrateCache(arguments); }; });
}

void addCompare(CLI::App& app, CompareArguments& arguments, std::function<int()>& call) {
    CLI::App* compare =
        app.add_subcommand("compare", "Run variants of a graph and measure how they differ");
    addGraphOptions(*compare, arguments);
    addPromptOptions(*compare, arguments);
    addUntilOption(*compare, arguments);
    compare
        ->add_option("--vary",
                     arguments.vary,
                     "Values of a parameter, the first one is what others are compared with: "
                     "node.param=a,b,c (repeatable: every combination)")
        ->allow_extra_args(false);
    compare->add_option(
        "--out", arguments.out, "Folder for images and figures (default: comparison)");
    compare
        ->add_option(
            "--repeat", arguments.repeat, "Run each variant N times; the fastest one counts")
        ->check(CLI::Range(1, 1000));
    compare->add_flag("--json", arguments.json, "Print the figures as JSON");
    CLI::Option* sensitivity =
        compare
            ->add_flag("--sensitivity",
                       arguments.sensitivity,
                       "Measure what precisions and step caches do to the checkpoint's "
                       "predictions, and keep it")
            ->excludes("--exact")
            ->excludes("--repeat");
    compare
        ->add_flag(
            "--again", arguments.again, "With --sensitivity: measure again what is known already")
        ->needs(sensitivity);
    compare->callback([&] {
        call = [&] {
            return arguments.sensitivity ? measureSensitivity(arguments)
                                         : compareVariants(arguments);
        };
    });
}

void addConvert(CLI::App& app, ConvertArguments& arguments, std::function<int()>& call) {
    CLI::App* convert =
        app.add_subcommand("convert", "Write a checkpoint's weights again, smaller");
    convert
        ->add_option("checkpoint",
                     arguments.checkpoint,
                     "Checkpoint file, or folder in the diffusers layout, whose unet is written")
        ->required();
    convert
        ->add_option("--storage",
                     arguments.storage,
                     "f16, f8 or int8 (a .safetensors file), q8_0 or q4_k (a .gguf file of the "
                     "denoiser)")
        ->required()
        ->check(CLI::IsMember({"f16", "f8", "int8", "q8_0", "q4_k"}));
    convert->add_option("--out", arguments.out, "The new file")->required();
    convert->add_flag("--json", arguments.json, "Print what was written as JSON");
    convert->callback([&] { call = [&] { return convertCheckpoint(arguments); }; });
}

void addCommands(CLI::App& app, Invocation& invocation) {
    CLI::App* run = app.add_subcommand("run", "Run a graph and write its images");
    addGraphOptions(*run, invocation.run);
    addPromptOptions(*run, invocation.run);
    addUntilOption(*run, invocation.run);
    run->add_option("--out", invocation.run.out, "Folder for the images (default: here)");
    run->add_option(
           "--repeat", invocation.run.repeat, "Run everything N times in one process and compare")
        ->check(CLI::Range(1, 100000));
    run->add_option(
        "--dump", invocation.run.dump, "Write every intermediate value to a .safetensors file");
    run->add_option("--report", invocation.run.report, "Write the run's report to a .json file");
    run->add_option("--timeline",
                    invocation.run.timeline,
                    "Write every event of the time line to a file, one JSON object a line");
    run->add_flag(
        "--events", invocation.run.events, "Print events as JSON lines on standard output");
    run->add_option("--gc-threshold",
                    invocation.run.collectionThreshold,
                    "Collect memory between stages when it is this full, in percent (default 70)")
        ->check(CLI::Range(0, 100));
    run->add_option("--low-memory",
                    invocation.run.lowMemory,
                    "Treat the device as a small one: auto (default), on or off")
        ->check(CLI::IsMember({"auto", "on", "off"}));
    run->add_option("--log", invocation.run.log, "Log lines to show (default: warning)")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    run->callback([&] { invocation.call = [&] { return runGraph(invocation.run); }; });

    CLI::App* check = app.add_subcommand(
        "check", "Validate a graph without running it, or identify a file of weights");
    addGraphOptions(*check, invocation.check);
    addUntilOption(*check, invocation.check);
    check->callback([&] { invocation.call = [&] { return checkGraph(invocation.check); }; });

    CLI::App* plan =
        app.add_subcommand("plan", "Show what each stage would hold; reads no weights");
    addGraphOptions(*plan, invocation.plan);
    addUntilOption(*plan, invocation.plan);
    plan->add_option(
        "--as",
        invocation.plan.as,
        "Plan for a card that need not be there: \"RTX 4060\" (lowtide devices --cards "
        "lists them) or cuda:8.9,12GiB");
    plan->add_flag("--json", invocation.json, "Print the plan as JSON");
    plan->callback(
        [&] { invocation.call = [&] { return planGraph(invocation.plan, invocation.json); }; });

    CLI::App* nodes = app.add_subcommand("nodes", "List the nodes, their ports and parameters");
    nodes->add_flag("--json", invocation.json, "Print the descriptions as JSON");
    nodes->callback([&] { invocation.call = [&] { return listNodes(invocation.json); }; });

    CLI::App* devices = app.add_subcommand("devices", "List the devices that were found");
    devices->add_flag("--cards", invocation.cards, "List the cards that plan --as knows instead");
    devices->add_flag("--json", invocation.json, "Print them as JSON");
    devices->callback([&] {
        invocation.call = [&] {
            return invocation.cards ? listCards(invocation.json) : listDevices(invocation.json);
        };
    });

    CLI::App* studio = app.add_subcommand("studio", "Open the studio");
    studio->add_option("graph",
                       invocation.studioGraph,
                       "Graph file (JSON), image from Lowtide, or name of a preset");
    studio->callback([&] { invocation.call = [&] { return openStudio(invocation.studioGraph); }; });

    CLI::App* presets = app.add_subcommand("presets", "List the presets, built in and your own");
    presets->add_flag("--json", invocation.json, "Print them as JSON");
    presets->callback([&] { invocation.call = [&] { return listPresets(invocation.json); }; });

    addCalibrate(app, invocation);
    addCalibrateCache(app, invocation.calibrateCache, invocation.call);
    addCompare(app, invocation.compare, invocation.call);
    addConvert(app, invocation.convert, invocation.call);

    CLI::App* report = app.add_subcommand("report", "Print a report that --report wrote");
    report->add_option("file", invocation.report, "Report file (JSON)")->required();
    report->callback([&] { invocation.call = [&] { return printReport(invocation.report); }; });
}

/// Whether the first word is an option or a command of this version; reports it if not.
bool isKnown(const CLI::App& app, const std::string& word) {
    const auto commands =
        app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
    if (word.starts_with('-') || !commands.empty()) {
        return true;
    }
    std::fprintf(stderr,
                 "lowtide: there is no command %s\n  see lowtide --help\n",
                 quotedName(word).c_str());
    return false;
}

/// Files that are opened here, by whatever bytes name them. Everything else goes to the module as
/// JSON, which is UTF-8.
bool takesBytes(const std::string& option) {
    constexpr std::string_view kNames[] = {"graph", "file", "--report"};
    return std::ranges::find(kNames, option) != std::end(kNames);
}

/// The refusal of the first argument that cannot be used since it is not UTF-8.
std::optional<Error> refusedBytes(const CLI::App& app) {
    for (const CLI::App* command : app.get_subcommands()) {
        for (const CLI::Option* option : command->get_options()) {
            for (const std::string& value : option->results()) {
                if (!isValidUtf8(value) && !takesBytes(option->get_name())) {
                    return Error(
                        ErrorKind::InvalidInput,
                        message("{} {} is not UTF-8", option->get_name(), quotedName(value)),
                        message("write it in UTF-8; rename a file or folder whose name is not"));
                }
            }
        }
    }
    return std::nullopt;
}

/// As the parser words it, which may quote any argument.
int refuseParse(const CLI::App& app, const CLI::ParseError& error) {
    const bool isHelp = error.get_exit_code() == 0;
    if (isHelp || isValidUtf8(error.what())) {
        app.exit(error);
        return isHelp ? 0 : kInvalid;
    }
    printError(
        Error(ErrorKind::InvalidInput,
              message("the arguments cannot be read: {}", quotedName(error.what(), kLongestParse)),
              message("see lowtide --help")));
    return kInvalid;
}

int parseAndRun(int count, char** arguments) {
    CLI::App app("Lowtide: image diffusion as a node graph, with a memory policy for every node",
                 "lowtide");
    app.set_version_flag("--version", "lowtide " LOWTIDE_VERSION);
    app.require_subcommand(1);
    Invocation invocation;
    addCommands(app, invocation);
    if (count > 1 && !isKnown(app, arguments[1])) {
        return kInvalid;
    }
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        return refuseParse(app, error);
    }
    if (const std::optional<Error> refusal = refusedBytes(app)) {
        printError(*refusal);
        return kInvalid;
    }
    return invocation.call();
}

int exitCodeOf(const Error& error) {
    switch (error.kind()) {
        case ErrorKind::InvalidInput:
        case ErrorKind::NotFound:
        case ErrorKind::Corrupt:
            return kInvalid;
        case ErrorKind::Cancelled:
            return static_cast<int>(Status::Cancelled);
        default:
            return static_cast<int>(Status::Failed);
    }
}

}  // namespace

int runCommandLine(int count, char** arguments) {
    try {
        return parseAndRun(count, arguments);
    } catch (const Error& error) {
        printError(error);
        return exitCodeOf(error);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lowtide: %s\n", error.what());
        return static_cast<int>(Status::Failed);
    }
}

void printError(const Error& error) {
    std::fprintf(stderr, "lowtide: %s\n", error.message().str().c_str());
    if (!error.hint().empty()) {
        std::fprintf(stderr, "  %s\n", error.hint().str().c_str());
    }
}

}  // namespace lowtide::cli
