#include "nodes/node_list.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/models/make_stages.hpp"
#include "plugin/module/cache_folder.hpp"
#include "plugin/module/checkpoint_sensitivities.hpp"
#include "plugin/module/component_control.hpp"
#include "plugin/module/compute_thread.hpp"
#include "plugin/module/cpu_class.hpp"
#include "plugin/module/cudnn_api.hpp"
#include "plugin/module/device_calibrator.hpp"
#include "plugin/module/mag_curve_maker.hpp"
#include "plugin/module/os.hpp"
#include "plugin/module/refusal.hpp"
#include "plugin/module/runner.hpp"
#include "plugin/residency/device/device_source.hpp"

#include <algorithm>
#include <array>

namespace lowtide::module {

namespace {

/// Everything that runs, made by start() in the order in which it depends on each other.
struct Engine {
    Engine(int threads,
           std::vector<std::string> modelFolders,
           const std::string& cacheFolder,
           const std::string& cudnnApi)
        : residency(residency::makeDeviceSource(moduleFolder())),
          stages(models::makeStages({.residency = residency,
                                     .resourcesFolder = moduleFolder() + "/lowtide/resources",
                                     .modelFolders = std::move(modelFolders),
                                     .recorder = [this] { return slot.recorder; },
                                     .teacher = [this] { return slot.teacher; }})),
          types(nodes::makeNodeTypes(*stages)),
          runner(types,
                 residency,
                 slot,
                 threads,
                 cacheFolder.empty() ? "" : cacheFolder + "/results",
                 cudnnApi),
          calibrator(residency, runner, cacheFolder, threads),
          sensitivities(runner, cacheFolder),
          residencyControl(residency, runner) {}

    RecorderSlot slot;
    residency::Residency residency;
    std::unique_ptr<models::Stages> stages;
    executor::NodeTypes types;
    ModuleRunner runner;
    DeviceCalibrator calibrator;
    MagCurveMaker curveMaker;
    CheckpointSensitivities sensitivities;
    ComponentControl residencyControl;
};

Level logLevel(const std::string& name) {
    constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no log level \"" + name + "\"",
                    "choose debug, info, warning or error");
    }
    return static_cast<Level>(found - kNames.begin());
}

class ModulePlugin final : public Plugin {
public:
    ModulePlugin()
        : info_(Json{{"id", "org.lowtide.plugin"},
                     {"name", "Lowtide"},
                     {"version", LOWTIDE_VERSION},
                     {"license", "Apache-2.0"},
                     {"torch", torchVersion()}}
                    .dump()) {}

    std::string_view info() const noexcept override { return info_; }

    std::span<const NodeDesc> nodes() const noexcept override {
        return engine_ ? std::span<const NodeDesc>(engine_->types.catalog().nodes())
                       : std::span<const NodeDesc>();
    }

    Status start(std::string_view settings, std::string& result) noexcept override {
        try {
            result = R"({"issues": []})";
            if (!engine_) {
                const Json json = parseJson(settings.empty() ? "{}" : settings, "settings");
                const JsonReader reader(json, "settings");
                const int64_t asked = reader.integer("threads").value_or(0);
                const int threads = asked > 0 ? static_cast<int>(asked) : physicalCores();
                if (reader.boolean("guardMaps").value_or(false)) {
                    files::guardMaps();
                }
                setLogLevel(logLevel(reader.text("log").value_or("warning")));
                const std::string cache = cacheFolder(reader.text("cacheFolder"));
                tensor::setCpuPaths(storedCpuPaths(cache, machineText(threads)));
                engine_ = std::make_unique<Engine>(
                    threads,
                    reader.texts("modelFolders").value_or(std::vector<std::string>{}),
                    cache,
                    chooseCudnnApi(reader.text("cudnnApi").value_or("auto")));
            }
            return Status::Ok;
        } catch (const std::exception& error) {
            result = Json{{"issues",
                           {{{"severity", "error"},
                             {"code", "start_failed"},
                             {"message", error.what()}}}}}
                         .dump(-1, ' ', false, Json::error_handler_t::replace);
            return Status::Failed;
        }
    }

    Runner* runner() noexcept override { return engine_ ? &engine_->runner : nullptr; }

    void* extension(std::string_view id) noexcept override {
        if (!engine_) {
            return nullptr;
        }
        Calibrator* const calibrator = &engine_->calibrator;
        CurveMaker* const curveMaker = &engine_->curveMaker;
        Sensitivities* const sensitivities = &engine_->sensitivities;
        ResidencyControl* const residencyControl = &engine_->residencyControl;
        return id == kCalibrator         ? static_cast<void*>(calibrator)
               : id == kCurveMaker       ? static_cast<void*>(curveMaker)
               : id == kSensitivities    ? static_cast<void*>(sensitivities)
               : id == kResidencyControl ? static_cast<void*>(residencyControl)
                                         : nullptr;
    }

private:
    std::string info_;
    std::unique_ptr<Engine> engine_;
};

/// Text of the last refusal; hosts ask for it on the thread that was refused.
thread_local std::string lastRefusal;

}  // namespace

}  // namespace lowtide::module

lowtide::Plugin* lowtide_plugin(uint32_t abi, const char* toolchain) {
    lowtide::module::lastRefusal = lowtide::module::refusalFor(abi, toolchain);
    if (!lowtide::module::lastRefusal.empty()) {
        return nullptr;
    }
    // Never destroyed: LibTorch does not survive unloading, and hosts may hold the object until the
    // process ends.
    static auto* const plugin = new lowtide::module::ModulePlugin();
    return plugin;
}

const char* lowtide_plugin_refusal() {
    return lowtide::module::lastRefusal.c_str();
}
