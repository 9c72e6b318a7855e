#include "plugin/module/plugin.hpp"

#include "nodes/engine/stages.hpp"
#include "nodes/node_list.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/executor/sensitivity_store.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/host_api/runner.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/calls.hpp"
#include "plugin/module/cards.hpp"
#include "plugin/module/compute_thread.hpp"
#include "plugin/module/cuda_facts.hpp"
#include "plugin/module/device_calibrator.hpp"
#include "plugin/module/os.hpp"
#include "plugin/module/runner.hpp"
#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/operator_registry.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::module {

/// Why this module must not be used by a program with this ABI and toolchain, and next to the
/// LibTorch that the process has loaded; empty when it may. A host's own LibTorch is shared when it
/// has the version that this module was built with.
[[nodiscard]] std::string refusalFor(uint32_t abi, const char* toolchain);
/// The part of it that concerns every host, in whatever language.
[[nodiscard]] std::string refusalOfProcess();

/// Where this module keeps files between processes: what the host chose, else LOWTIDE_CACHE, both
/// seen from the current folder; else "lowtide" in XDG_CACHE_HOME, which the specification wants
/// absolute, or in .cache of the home folder. Empty where there is none. It may not exist yet.
[[nodiscard]] std::string cacheFolder(const std::optional<std::string>& chosen);

namespace {

struct AtExit {
    Runner* runner = nullptr;
    int64_t process = 0;
};

AtExit atExit;  // handlers of exit() take no argument

/// A child that was forked has none of the threads that a stop would wait for.
void stopRunner() {
    if (atExit.process == processId()) {
        atExit.runner->stop();
    }
}

struct StopFirst {
    bool isWanted = false;

    ~StopFirst() {
        if (isWanted) {
            stopRunner();
        }
    }
};

thread_local StopFirst stopFirst;

}  // namespace

void stopAtExit(Runner& runner) {
    atExit = {&runner, processId()};
    // OpenSSL takes its tables down in a handler of its own, made with the first hash. Handlers run
    // in the reverse order: that one must be there before.
    static_cast<void>(sha256Hex(""));
    std::atexit(&stopRunner);
    if (isMainThread()) {
        stopFirstAtExitOfThisThread();
    }
}

void stopFirstAtExitOfThisThread() {
    stopFirst.isWanted = true;
}

std::string refusalFor(uint32_t abi, const char* toolchain) {
    if (abi != kAbi) {
        return "the program was built for ABI " + std::to_string(abi) +
               " of Lowtide, this module has ABI " + std::to_string(kAbi) +
               "; rebuild the program with this module's headers";
    }
    const std::string theirs = toolchain ? toolchain : "";
    if (theirs != kHostToolchain) {
        return "the program's C++ toolchain is \"" + theirs + "\", this module's is \"" +
               kHostToolchain +
               "\"; build both with the same standard library, debug and ABI mode, or use the C "
               "API "
               "(lowtide.h), which takes any";
    }
    return refusalOfProcess();
}

std::string refusalOfProcess() {
    const std::vector<std::string> loaded = loadedLibraries("libtorch_cpu.so");
    if (loaded.size() > 1) {
        return "two LibTorch are loaded in this process, a process can hold one only: " +
               loaded[0] + " and " + loaded[1];
    }
    if (loadedTorchVersion() != torchVersion()) {
        return "the LibTorch of this process is " + loadedTorchVersion() +
               (loaded.empty() ? "" : " (" + loaded[0] + ")") + ", this module was built with " +
               torchVersion() + "; give both the same one";
    }
    return {};
}

namespace {

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text ? text : "";
}

/// A relative path would lead elsewhere when the host changes its folder.
std::string absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

std::string cacheFolder(const std::optional<std::string>& chosen) {
    if (chosen && !chosen->empty()) {
        return absolute(*chosen);
    }
    if (const std::string stated = variable("LOWTIDE_CACHE"); !stated.empty()) {
        return absolute(stated);
    }
    if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) {
        return caches + "/lowtide";
    }
    const std::string home = variable("HOME");
    return home.empty() ? home : home + "/.cache/lowtide";
}

namespace {

/// Each type with what other programs call nodes that do the same, as resources/foreign_nodes.json
/// lists it by ids. Error{Corrupt} names an id that no type has; the catalog refuses a name twice.
std::vector<executor::NodeType> withForeignNames(std::vector<executor::NodeType> types,
                                                 const std::string& path) {
    constexpr const char* kTable = "foreign_nodes.json";
    const Json table = parseJson(files::InputFile(path).readAll(kMiB), kTable);
    const JsonReader reader(table, kTable);
    for (const auto& entry : table.items()) {
        const auto type = std::find_if(types.begin(), types.end(), [&](const auto& each) {
            return each.desc.id == entry.key();
        });
        if (type == types.end()) {
            throw Error(
                ErrorKind::Corrupt,
                message(
                    "{} has names for {}, which is no node type", kTable, quotedName(entry.key())),
                message("write the id of a node type"));
        }
        type->desc.aliases = reader.texts(entry.key().c_str()).value_or(std::vector<std::string>{});
    }
    return types;
}

/// Everything that runs, made by start() in the order in which it depends on each other.
struct Engine {
    Engine(int threads,
           std::vector<std::string> modelFolders,
           const std::string& cacheFolder,
           const std::string& cudnnApi)
        : cuda(std::make_shared<const residency::CudaLibrary>(moduleFolder())),
          residency(residency::makeDeviceSource(moduleFolder(), cuda),
                    std::make_shared<models::AdapterMath>()),
          digests(std::make_shared<files::FileDigests>(cacheFolder)),
          stages(std::make_unique<nodes::Stages>(
              nodes::StagesSettings{.residency = residency,
                                    .resourcesFolder = moduleFolder() + "/lowtide/resources",
                                    .modelFolders = std::move(modelFolders),
                                    .recorder = [this] { return slot.recorder; },
                                    .teacher = [this] { return slot.teacher; },
                                    .previewPace = {},
                                    .digests = digests})),
          types(withForeignNames(nodes::makeNodeTypes(*stages),
                                 moduleFolder() + "/lowtide/resources/foreign_nodes.json")),
          runner(types,
                 residency,
                 slot,
                 threads,
                 cacheFolder.empty() ? "" : cacheFolder + "/results",
                 chooseCudnnApi(cudnnApi, cuda->problem().str()),
                 cudaFacts(*cuda, moduleFolder() + "/lowtide/resources/cuda/proven.json"),
                 knownCards(moduleFolder() + "/lowtide/resources/cards/cards.json"),
                 interop::readClassTable(moduleFolder() + "/lowtide/resources"),
                 digests),
          calibrator(residency, runner, cacheFolder, threads),
          sensitivities(cacheFolder) {
        if (cuda->problem().empty()) {
            tensor::setConvolutionQuestion(residency::remembered(
                [cards = cuda](const auto& shape) { return cards->askConvolution(shape); }));
        }
    }

    std::shared_ptr<const residency::CudaLibrary> cuda;  ///< first: before any tensor
    RecorderSlot slot;
    residency::Residency residency;
    std::shared_ptr<files::FileDigests> digests;
    std::unique_ptr<nodes::Stages> stages;
    executor::NodeTypes types;
    ModuleRunner runner;
    DeviceCalibrator calibrator;
    executor::SensitivityStore sensitivities;
};

constexpr int64_t kMostThreads = 1024;
constexpr std::string_view kSettings[] = {
    "threads", "modelFolders", "cacheFolder", "guardMaps", "log", "cudnnApi"};

Level logLevel(const std::string& name) {
    constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no log level \"{}\"", name),
                    message("choose debug, info, warning or error"));
    }
    return static_cast<Level>(found - kNames.begin());
}

std::unique_ptr<Engine> makeEngine(const JsonReader& settings) {
    const auto asked =
        static_cast<int>(integerWithin(settings, "threads", 0, kMostThreads).value_or(0));
    const int threads = asked > 0 ? asked : defaultThreads();
    if (settings.boolean("guardMaps").value_or(false)) {
        files::guardMaps();
    }
    setLogLevel(logLevel(settings.text("log").value_or("warning")));
    const std::string cache = cacheFolder(settings.text("cacheFolder"));
    tensor::setCpuPaths(storedCpuPaths(cache, machineText(threads)));
    return std::make_unique<Engine>(
        threads,
        settings.texts("modelFolders").value_or(std::vector<std::string>{}),
        cache,
        settings.text("cudnnApi").value_or("auto"));
}

/// The settings of a later start that are not those of the first: threads 4, log "debug".
std::string settingsOfNoUse(const Json& first, const Json& later) {
    std::string text;
    for (const auto& [key, value] : later.items()) {
        if (first.value(key, Json()) != value) {
            text += (text.empty() ? "" : ", ") + key + " " + value.dump();
        }
    }
    return text;
}

/// {"issues": [...]} of a start that failed.
std::string failedStart(const Message& problem) {
    const Issue issue{.code = "start_failed", .message = problem};
    return Json{{"issues", graph::toJson(Issues{issue})}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

class ModulePlugin final : public Plugin {
public:
    ModulePlugin()
        : info_(Json{{"id", "org.lowtide.plugin"},
                     {"name", "Lowtide"},
                     {"version", LOWTIDE_VERSION},
                     {"license", "Apache-2.0"},
                     {"torch", torchVersion()},
                     {"calls", callNames()}}
                    .dump()) {}

    std::string_view info() const noexcept override { return info_; }

    std::span<const NodeDesc> nodes() const noexcept override {
        const Engine* engine = engine_;
        return engine ? std::span<const NodeDesc>(engine->types.catalog().nodes())
                      : std::span<const NodeDesc>();
    }

    Status start(std::string_view settings, std::string& result) noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            const Json asked = parseJson(settings.empty() ? "{}" : settings, "settings");
            const JsonReader reader(asked, "settings");
            requireKnownKeys(asked, "settings", kSettings);
            Issues issues;
            if (!owned_) {
                owned_ = makeEngine(reader);
                settings_ = asked;
                engine_ = owned_.get();
                stopAtExit(owned_->runner);
            } else if (const std::string late = settingsOfNoUse(settings_, asked); !late.empty()) {
                issues.push_back(
                    {.severity = Severity::Warning,
                     .code = "already_started",
                     .message = message("the module was started before; not taken: {}", late)});
            }
            result = Json{{"issues", graph::toJson(issues)}}.dump();
            return Status::Ok;
        } catch (const Error& error) {
            result = failedStart(error.message());
        } catch (const std::exception& error) {
            result = failedStart(Message(error.what()));
        }
        return Status::Failed;
    }

    Runner* runner() noexcept override {
        Engine* engine = engine_;
        return engine ? &engine->runner : nullptr;
    }

    Status call(std::string_view name,
                std::string_view request,
                Watch* watch,
                std::string& result) noexcept override {
        return answer(result, [&] {
            Engine* const engine = engine_;
            if (!engine) {
                throw Error(ErrorKind::InvalidInput,
                            message("the engine was not started"),
                            message("call Plugin::start first, and read what it reports"));
            }
            const CallParts parts = {.engine = engine->residency,
                                     .runner = engine->runner,
                                     .stages = *engine->stages,
                                     .calibrator = engine->calibrator,
                                     .sensitivities = engine->sensitivities,
                                     .catalog = engine->types.catalog(),
                                     .resourcesFolder = moduleFolder() + "/lowtide/resources"};
            result = answerCall(parts, name, request, watch);
            return Status::Ok;
        });
    }

    LogSource* log() noexcept override { return &logSource(); }

private:
    std::string info_;
    std::mutex mutex_;  ///< of start(): hosts that share a process may start at the same time
    std::unique_ptr<Engine> owned_;
    Json settings_;                         ///< of the start that made the engine
    std::atomic<Engine*> engine_{nullptr};  ///< owned_ once it is whole; any thread reads it
};

/// Text of the last refusal; hosts ask for it on the thread that was refused.
thread_local std::string lastRefusal;

}  // namespace

Plugin* openPlugin(std::string& refusal) {
    refusal = refusalOfProcess();
    if (!refusal.empty()) {
        return nullptr;
    }
    try {
        tensor::registerOperators();
    } catch (const std::exception& error) {
        refusal = error.what();
        return nullptr;
    }
    // Never destroyed: LibTorch does not survive unloading, and hosts may hold the object until the
    // process ends.
    static auto* const plugin = new ModulePlugin();
    return plugin;
}

}  // namespace lowtide::module

lowtide::Plugin* lowtide_plugin(uint32_t abi, const char* toolchain) {
    std::string& refusal = lowtide::module::lastRefusal;
    refusal = lowtide::module::refusalFor(abi, toolchain);
    return refusal.empty() ? lowtide::module::openPlugin(refusal) : nullptr;
}

const char* lowtide_plugin_refusal() {
    return lowtide::module::lastRefusal.c_str();
}
