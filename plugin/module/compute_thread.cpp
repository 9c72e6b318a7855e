#include "plugin/module/compute_thread.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/cache_table.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/headeronly/version.h>

#include <caffe2/core/common.h>
#include <optional>
#include <utility>

extern "C" void MKL_Set_Dynamic(int enabled);  // exported by libtorch_cpu, whose MKL is linked in

namespace lowtide::module {

void becomeRunThread(int threads) {
    thread_local std::optional<c10::InferenceMode> inference;
    inference.emplace(true);
    // From the first tensor on: one that is made uncounted (a run on a GPU alone) and dies counted
    // makes ATen warn of a "memory block of unknown size".
    residency::CpuAllocations::attachThread();
    at::set_num_threads(threads);
    MKL_Set_Dynamic(0);
}

namespace {

std::string buildText(int threads) {
    return "torch " + torchVersion() + ", " + at::get_cpu_capability() + ", " +
           std::to_string(threads) + " threads";
}

}  // namespace

std::string machineText(int threads) {
    return residency::processorName() + ", " + buildText(threads);
}

std::string numericsText(int threads) {
    return buildText(threads) + "; " + tensor::toText(tensor::cpuPaths());
}

std::string torchVersion() {
    return TORCH_VERSION;
}

// Not by at::show_config(): that asks whether there is a GPU, which LibTorch does once, and before
// liblowtide_cuda.so is open the answer is no for the rest of the process.
std::string loadedTorchVersion() {
    const auto& options = caffe2::GetBuildOptions();
    const auto version = options.find("TORCH_VERSION");
    return version == options.end() ? "unknown" : version->second;
}

namespace {

constexpr const char* kFileName = "cpu_class.json";
/// The format is raised when a path of the same name gives other bits.
constexpr files::CacheTable::Form kMachines = {
    .file = kFileName, .member = "machines", .format = 2, .largest = kMiB};
constexpr size_t kMostMachines = 64;

tensor::CpuPaths readPaths(const Json& machines, const std::string& machine) {
    const std::optional<std::string> text = JsonReader(machines, kFileName).text(machine.c_str());
    if (!text) {
        return tensor::defaultCpuPaths();
    }
    const std::optional<tensor::CpuPaths> paths = tensor::parseCpuPaths(*text);
    if (!paths || !tensor::canRun(*paths)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: this machine's entry names no operators of its CPU", kFileName),
                    message("measure again: lowtide calibrate"));
    }
    return *paths;
}

}  // namespace

tensor::CpuPaths storedCpuPaths(const std::string& cacheFolder, const std::string& machine) {
    try {
        const Json machines = files::CacheTable(cacheFolder, kMachines).entries();
        return machines.is_null() ? tensor::defaultCpuPaths() : readPaths(machines, machine);
    } catch (const Error& error) {
        log(Level::Warning,
            std::string(error.what()) +
                "; the default ones are used, measure again: lowtide calibrate");
        return tensor::defaultCpuPaths();
    }
}

void storeCpuPaths(const std::string& cacheFolder,
                   const std::string& machine,
                   const tensor::CpuPaths& paths,
                   const StopToken& stop) {
    files::CacheTable(cacheFolder, kMachines)
        .change(
            [&](Json& machines) {
                if (!machines.is_object() || machines.size() >= kMostMachines) {
                    machines = Json::object();
                }
                machines[machine] = tensor::toText(paths);
            },
            stop);
}

}  // namespace lowtide::module
