#include "plugin/module/device_calibrator.hpp"

#include "nodes/engine/calibration.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/compute_thread.hpp"
#include "plugin/module/runner.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <vector>

namespace lowtide::module {

namespace {

constexpr Phrase kRehearsalNote = phrase(
    "this device rehearses a GPU in host memory: its plans keep the stated speeds of a GPU of "
    "the middle class, what was measured is not stored");

constexpr Phrase kOperatorsNote = phrase(
    "other operators are faster on this CPU: they are used from the next start on, and images "
    "change by less than an 8-bit level");

}  // namespace

DeviceCalibrator::DeviceCalibrator(residency::Residency& residency,
                                   ModuleRunner& runner,
                                   std::string cacheFolder,
                                   int threads)
    : residency_(residency),
      runner_(runner),
      cacheFolder_(std::move(cacheFolder)),
      threads_(threads),
      store_(cacheFolder_) {
    useKnown();
}

void DeviceCalibrator::useKnown() {
    residency_.setProfiles([this](const memory::DeviceInfo& device) {
        executor::FoundProfile found = store_.find(keyOf(device, runner_.numerics()));
        if (!found.problem.empty()) {
            log(Level::Warning, found.problem);
        }
        return found.profile.value_or(memory::estimatedProfile(device, runner_.knownCards()));
    });
}

memory::ProfileKey DeviceCalibrator::keyOf(const memory::DeviceInfo& device,
                                           const std::string& numerics) const {
    return {.device = device.id,
            .name = device.name,
            .processor = residency::processorName(),
            .numerics = numerics,
            .version = LOWTIDE_VERSION};
}

tensor::CpuPaths DeviceCalibrator::chooseOperators() const {
    const tensor::CpuPaths paths = tensor::measureCpuPaths();
    storeCpuPaths(cacheFolder_, machineText(threads_), paths, runner_.stopToken());
    return paths;
}

Json DeviceCalibrator::measure(const memory::DeviceSpec& device) {
    const memory::DeviceInfo info = residency_.open(device);
    const bool isStored = !residency_.traits(device).isRehearsal;
    store_.requireWritable();  // before the seconds of measuring
    const tensor::CpuPaths before = tensor::cpuPaths();
    const tensor::CpuPaths paths = info.kind == "cpu" ? chooseOperators() : before;
    const tensor::CpuPathsScope asAtTheNextStart(paths);
    memory::MeasuredProfile measured{
        .key = keyOf(info, numericsText(threads_)),
        .profile = nodes::measureDevice(residency_, device, cacheFolder_)};
    measured.profile.measuredOn = today();
    measured.profile.computeOfCopies = info.kind == "cpu" ? 1.0 / threads_ : 0;
    if (isStored) {
        store_.store(measured, runner_.stopToken());
        useKnown();
    }
    Json json = memory::toJson(measured);
    json["measured"] = std::move(json["speeds"]);
    json.erase("speeds");
    json["estimated"] = memory::toJson(memory::estimatedProfile(info, runner_.knownCards()));
    json["stored"] = isStored;
    std::vector<Message> notes;
    if (!isStored) {
        notes.push_back(kRehearsalNote);
    }
    if (!(paths == before)) {
        notes.push_back(kOperatorsNote);
    }
    putMessages(json, "notes", notes);
    return json;
}

Json DeviceCalibrator::calibrate(const memory::DeviceSpec& device) {
    Json measured;
    if (!runner_.callWhenIdle([&] { measured = measure(device); })) {
        throw Error(ErrorKind::Device,
                    message("a run is at work on the devices"),
                    message("measure again when it has finished"));
    }
    return measured;
}

}  // namespace lowtide::module
