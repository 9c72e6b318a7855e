#include "plugin/module/compute_thread.hpp"

#include "plugin/residency/device/cpu/cpu_allocations.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/headeronly/version.h>

#include <optional>

extern "C" void MKL_Set_Dynamic(int enabled);  // exported by libtorch_cpu, whose MKL is linked in

namespace lowtide::module {

void becomeRunThread(int threads) {
    thread_local std::optional<c10::InferenceMode> inference;
    inference.emplace(true);
    // From the first tensor on: one that is made uncounted (a run on a card alone) and dies counted
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

std::string loadedTorchVersion() {
    constexpr std::string_view kKey = "TORCH_VERSION=";
    const std::string config = at::show_config();
    const size_t found = config.find(kKey);
    if (found == std::string::npos) {
        return "unknown";
    }
    const size_t begin = found + kKey.size();
    return config.substr(begin, config.find_first_of(", \n", begin) - begin);
}

}  // namespace lowtide::module
