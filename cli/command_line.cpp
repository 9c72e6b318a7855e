#include "cli/command_line.hpp"

#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/text.hpp"
#include "ui/loader/os.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

namespace lowtide::cli {

namespace {

constexpr int kInvalid = static_cast<int>(Status::Invalid);
constexpr size_t kLongestParse = 400;  ///< bytes of the parser's words that are shown
constexpr const char* kGraph =
    "Graph file (JSON), image from Lowtide, workflow of ComfyUI, or name of a preset";
constexpr const char* kDevice = "cpu (default), cuda:1, fake or fake:8GiB";

/// Becomes the studio, which lies next to this program; returns only by throwing Error{NotFound}.
Status openStudio(const std::string& graph) {
    const std::string path = loader::programFolder() + "/lowtide-studio";
    const std::vector<std::string> words(graph.empty() ? 0 : 1, graph);
    const std::string reason = becomeProgram(path, words);
    throw Error(
        ErrorKind::NotFound,
        message("lowtide-studio cannot be started: {}", reason),
        message(
            "it lies next to this command; build it (./dev build) or install the package again"));
}

void addThreadsOption(CLI::App& command, int& threads) {
    command
        .add_option(
            "--threads",
            threads,
            "Threads of the CPU's operators (default: OMP_NUM_THREADS, else physical cores)")
        ->check(CLI::Range(1, 1024));
}

/// An option that takes one value each time it is given.
template <class Value>  // texts, and seeds
CLI::Option* addRepeatable(CLI::App& command,
                           const char* name,
                           std::vector<Value>& values,
                           const char* text) {
    return command.add_option(name, values, text)->allow_extra_args(false);
}

void addGraphOptions(CLI::App& command, GraphArguments& arguments) {
    command.add_option("graph", arguments.graph, kGraph)->required();
    addRepeatable(
        command, "--set", arguments.set, "Set a parameter: node.param=value (repeatable)");
    addRepeatable(command,
                  "--policy",
                  arguments.policies,
                  "Set a memory policy: node[.component]=leaf+stream (repeatable)");
    addRepeatable(command,
                  "--precision",
                  arguments.precisions,
                  "Set a precision: node=quality|balanced|speed[,storage=bf16] (repeatable)");
    command.add_flag("--exact", arguments.exact, "Refuse every choice that changes the numbers");
    command.add_option("--device", arguments.device, kDevice);
    command.add_option("--memory-budget",
                       arguments.memoryBudget,
                       "Most bytes on the device: 6GiB, or on several: cuda:0=20GiB,cpu=8GiB "
                       "(default: what is free, less 5 %)");
    addRepeatable(command,
                  "--model-folder",
                  arguments.modelFolders,
                  "Folder with models, as ComfyUI and A1111 lay them out, or an "
                  "extra_model_paths.yaml: the graph names files in it (repeatable)");
    addThreadsOption(command, arguments.threads);
    command
        .add_option("--cudnn-api",
                    arguments.cudnnApi,
                    "Convolution API of cuDNN for this process: auto (default), v7 or v8")
        ->check(CLI::IsMember({"auto", "v7", "v8"}));
}

void addUntilOption(CLI::App& command, GraphArguments& arguments) {
    addRepeatable(command,
                  "--until",
                  arguments.until,
                  "End with this node instead of the output nodes (repeatable)");
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

/// The parser, everything that it fills, and the command that it found.
struct Invocation {
    CLI::App app{"Lowtide: image diffusion as a node graph, with a memory policy for every node",
                 "lowtide"};
    RunArguments run;
    GraphArguments graph;
    CompareArguments compare;
    CalibrateCacheArguments calibrateCache;
    ConvertArguments convert;
    ImportArguments foreign;
    ExportArguments exported;
    ServeArguments served;
    bool json = false;
    bool cards = false;
    std::string device;
    int threads = 0;
    std::string file;
    std::function<Status()> call;

    CLI::App& add(const char* name, const char* text, std::function<Status()> function) {
        CLI::App* command = app.add_subcommand(name, text);
        command->callback([this, function = std::move(function)] { call = function; });
        return *command;
    }
};

void addRun(Invocation& invocation) {
    RunArguments& arguments = invocation.run;
    CLI::App& run = invocation.add(
        "run", "Run a graph and write its images", [&] { return runGraph(arguments); });
    addGraphOptions(run, arguments);
    addPromptOptions(run, arguments);
    addUntilOption(run, arguments);
    run.add_option("--out", arguments.out, "Folder for the images (default: here)");
    run.add_option(
           "--repeat", arguments.repeat, "Run everything N times in one process and compare")
        ->check(CLI::Range(1, 100000));
    run.add_option(
        "--dump", arguments.dump, "Write every intermediate value to a .safetensors file");
    run.add_option("--report", arguments.report, "Write the run's report to a .json file");
    run.add_option("--timeline",
                   arguments.timeline,
                   "Write every event of the time line to a file, one JSON object a line");
    run.add_flag("--events", arguments.events, "Print events as JSON lines on standard output");
    run.add_option("--gc-threshold",
                   arguments.collectionThreshold,
                   "Collect memory between stages when it is this full, in percent (default 70)")
        ->check(CLI::Range(0, 100));
    run.add_option("--low-memory",
                   arguments.lowMemory,
                   "Treat the device as a small one: auto (default), on or off")
        ->check(CLI::IsMember({"auto", "on", "off"}));
    run.add_option("--log", arguments.log, "Log lines to show (default: warning)")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

/// Commands that only look at a graph.
void addCheckAndPlan(Invocation& invocation) {
    CLI::App& check = invocation.add(
        "check", "Validate a graph without running it, or identify a file of weights", [&] {
            return checkGraph(invocation.graph);
        });
    CLI::App& plan = invocation.add("plan",
                                    "Show what each stage would hold; reads no weights",
                                    [&] { return planGraph(invocation.graph, invocation.json); });
    for (CLI::App* command : {&check, &plan}) {
        addGraphOptions(*command, invocation.graph);
        addUntilOption(*command, invocation.graph);
    }
    plan.add_option("--as",
                    invocation.graph.as,
                    "Plan for a card that need not be there: \"RTX 4060\" (lowtide devices --cards "
                    "lists them) or cuda:8.9,12GiB");
    plan.add_flag("--json", invocation.json, "Print the plan as JSON");
}

void addLists(Invocation& invocation) {
    CLI::App& nodes = invocation.add("nodes", "List the nodes, their ports and parameters", [&] {
        return listNodes(invocation.json);
    });
    nodes.add_flag("--json", invocation.json, "Print the descriptions as JSON");
    CLI::App& devices = invocation.add("devices", "List the devices that were found", [&] {
        return invocation.cards ? listCards(invocation.json) : listDevices(invocation.json);
    });
    devices.add_flag("--cards", invocation.cards, "List the cards that plan --as knows instead");
    devices.add_flag("--json", invocation.json, "Print them as JSON");
    CLI::App& studio =
        invocation.add("studio", "Open the studio", [&] { return openStudio(invocation.file); });
    studio.add_option("graph", invocation.file, kGraph);
    CLI::App& presets = invocation.add("presets", "List the presets, built in and your own", [&] {
        return listPresets(invocation.json);
    });
    presets.add_flag("--json", invocation.json, "Print them as JSON");
}

void addCalibrations(Invocation& invocation) {
    CLI::App& device =
        invocation.add("calibrate", "Measure a device, so that plans predict its times", [&] {
            return calibrateDevice(invocation.device, invocation.threads, invocation.json);
        });
    device.add_option("--device", invocation.device, kDevice);
    addThreadsOption(device, invocation.threads);
    device.add_flag("--json", invocation.json, "Print the speeds as JSON");
    CalibrateCacheArguments& arguments = invocation.calibrateCache;
    CLI::App& cache = invocation.add(
        "calibrate-cache", "Measure a checkpoint's curve for the block cache's gate Curve", [&] {
            return calibrateCache(arguments);
        });
    addGraphOptions(cache, arguments);
    addPromptOptions(cache, arguments);
    cache.add_option("--node", arguments.node, "The denoiser, where the graph has several");
    addRepeatable(cache, "--seeds", arguments.seeds, "Seeds whose runs make the curve: 1,2,3")
        ->delimiter(',')
        ->required();
    addRepeatable(cache, "--held-out", arguments.heldOut, "Other seeds, that check it: 4,5")
        ->delimiter(',')
        ->required();
    cache
        .add_option("--tolerance",
                    arguments.tolerance,
                    "Most that a held-out step may differ from the curve, as a fraction (default "
                    "0.06)")
        ->check(CLI::Range(0.0, 1.0));
    cache.add_option("--out", arguments.out, "File for the curve (JSON)")->required();
    cache.add_flag("--json", arguments.json, "Print the curve");
}

void addCompare(Invocation& invocation) {
    CompareArguments& arguments = invocation.compare;
    CLI::App& compare =
        invocation.add("compare", "Run variants of a graph and measure how they differ", [&] {
            return arguments.sensitivity ? measureSensitivity(arguments)
                                         : compareVariants(arguments);
        });
    addGraphOptions(compare, arguments);
    addPromptOptions(compare, arguments);
    addUntilOption(compare, arguments);
    addRepeatable(compare,
                  "--vary",
                  arguments.vary,
                  "Values of a parameter, the first one is what others are compared with: "
                  "node.param=a,b,c (repeatable: every combination)");
    compare.add_option(
        "--out", arguments.out, "Folder for images and figures (default: comparison)");
    compare
        .add_option(
            "--repeat", arguments.repeat, "Run each variant N times; the fastest one counts")
        ->check(CLI::Range(1, 1000));
    compare.add_flag("--json", arguments.json, "Print the figures as JSON");
    CLI::Option* sensitivity =
        compare
            .add_flag("--sensitivity",
                      arguments.sensitivity,
                      "Measure what precisions and step caches do to the checkpoint's "
                      "predictions, and keep it")
            ->excludes("--exact")
            ->excludes("--repeat");
    compare
        .add_flag(
            "--again", arguments.again, "With --sensitivity: measure again what is known already")
        ->needs(sensitivity);
}

void addConvert(Invocation& invocation) {
    ConvertArguments& arguments = invocation.convert;
    CLI::App& convert = invocation.add("convert",
                                       "Write a checkpoint's weights again, smaller",
                                       [&] { return convertCheckpoint(arguments); });
    convert
        .add_option("checkpoint",
                    arguments.checkpoint,
                    "Checkpoint file, or folder in the diffusers layout, whose unet is written")
        ->required();
    convert
        .add_option("--storage",
                    arguments.storage,
                    "f16, f8 or int8 (a .safetensors file), q8_0 or q4_k (a .gguf file of the "
                    "denoiser)")
        ->required()
        ->check(CLI::IsMember({"f16", "f8", "int8", "q8_0", "q4_k"}));
    convert.add_option("--out", arguments.out, "The new file")->required();
    convert.add_flag("--json", arguments.json, "Print what was written as JSON");
}

void addImport(Invocation& invocation) {
    ImportArguments& arguments = invocation.foreign;
    CLI::App& command = invocation.add("import",
                                       "Make a graph of a workflow of ComfyUI, or of what A1111, "
                                       "Forge, InvokeAI, Fooocus or SwarmUI wrote into an image",
                                       [&] { return importGraph(arguments); });
    CLI::Option* file = command.add_option(
        "graph", arguments.file, "Workflow (JSON), or an image or a video that carries one");
    command.add_option("--out", arguments.out, "The new graph (JSON)");
    command.add_option("--report", arguments.report, "Write what became of each node (JSON)");
    addRepeatable(command,
                  "--model-folder",
                  arguments.modelFolders,
                  "Folder in which its models are looked for (repeatable)");
    CLI::Option* coverage = command.add_option(
        "--coverage", arguments.coverage, "Report instead on each workflow of a folder");
    command.add_flag("--json", arguments.json, "With --coverage: print it as JSON")
        ->needs(coverage);
    coverage->excludes(file);
}

void addExport(Invocation& invocation) {
    ExportArguments& arguments = invocation.exported;
    CLI::App& command = invocation.add(
        "export", "Write a graph as ComfyUI's", [&] { return exportGraph(arguments); });
    command
        .add_option(
            "graph", arguments.graph, "Graph file (JSON), image from Lowtide, or name of a preset")
        ->required();
    addRepeatable(
        command, "--set", arguments.set, "Set a parameter: node.param=value (repeatable)");
    command.add_option("--out", arguments.out, "The new file (JSON), in API format")->required();
    command.add_flag("--workflow", arguments.workflow, "Write what ComfyUI's editor opens instead");
}

void addServe(Invocation& invocation) {
    ServeArguments& arguments = invocation.served;
    CLI::App& command = invocation.add(
        "serve", "Let other programs run graphs over HTTP", [&] { return serve(arguments); });
    command.add_option(
        "--port", arguments.port, "TCP port (default 8197, with --socket none; 0: a free one)");
    command.add_option("--socket", arguments.socket, "Path of a Unix socket, for this user alone");
    command.add_option("--listen",
                       arguments.listen,
                       "Address of TCP: 127.0.0.1 (default); of others every request needs the "
                       "token");
    command.add_option(
        "--out", arguments.out, "Folder for images, with folders for what clients upload");
    command
        .add_option("--token",
                    arguments.token,
                    "What clients must send (default: a new one, which is printed)")
        ->envname("LOWTIDE_TOKEN");
    command.add_flag("--exit-with-parent",
                     arguments.exitWithParent,
                     "End when the program that started this one has ended");
    addRepeatable(command,
                  "--model-folder",
                  arguments.modelFolders,
                  "Folder with models, or an extra_model_paths.yaml: clients name files in it "
                  "(repeatable)");
    addThreadsOption(command, arguments.threads);
    command.add_option("--log", arguments.log, "Log lines to show (default: warning)")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void addCommands(Invocation& invocation) {
    addRun(invocation);
    addCheckAndPlan(invocation);
    addLists(invocation);
    addCalibrations(invocation);
    addCompare(invocation);
    addConvert(invocation);
    addImport(invocation);
    addExport(invocation);
    addServe(invocation);
    CLI::App& report = invocation.add("report", "Print a report that --report wrote", [&] {
        return printReport(invocation.file);
    });
    report.add_option("file", invocation.file, "Report file (JSON)")->required();
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
    constexpr std::string_view kNames[] = {"graph", "file", "--report", "--coverage"};
    return std::ranges::find(kNames, option) != std::end(kNames);
}

/// Error{InvalidInput} names the first argument that cannot be used since it is not UTF-8.
void refuseBytes(const CLI::App& app) {
    for (const CLI::App* command : app.get_subcommands()) {
        for (const CLI::Option* option : command->get_options()) {
            for (const std::string& value : option->results()) {
                if (!isValidUtf8(value) && !takesBytes(option->get_name())) {
                    throw Error(
                        ErrorKind::InvalidInput,
                        message("{} {} is not UTF-8", option->get_name(), quotedName(value)),
                        message("write it in UTF-8; rename a file or folder whose name is not"));
                }
            }
        }
    }
}

/// As the parser words it, which may quote any argument.
int refuseParse(const CLI::App& app, const CLI::ParseError& error) {
    const bool isHelp = error.get_exit_code() == 0;
    if (isHelp || isValidUtf8(error.what())) {
        app.exit(error);
        return isHelp ? 0 : kInvalid;
    }
    throw Error(
        ErrorKind::InvalidInput,
        message("the arguments cannot be read: {}", quotedName(error.what(), kLongestParse)),
        message("see lowtide --help"));
}

int parseAndRun(int count, char** arguments) {
    Invocation invocation;
    CLI::App& app = invocation.app;
    app.set_version_flag("--version", "lowtide " LOWTIDE_VERSION);
    app.require_subcommand(1);
    addCommands(invocation);
    if (count > 1 && !isKnown(app, arguments[1])) {
        return kInvalid;
    }
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        return refuseParse(app, error);
    }
    refuseBytes(app);
    return static_cast<int>(invocation.call());
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
    } catch (const Ended& ended) {
        return static_cast<int>(ended.status);
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
