#include "plugin/host_api/runner.hpp"
#include "plugin/module/os.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sched.h>
#include <set>
#include <unistd.h>

namespace lowtide::module {

namespace {

/// The hyper-threads that share a core with `cpu`, as the kernel writes them ("0,4"); its own
/// number where unknown.
std::string coreOf(int cpu) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list");
    std::string text;
    return std::getline(file, text) ? text : std::to_string(cpu);
}

struct LibrarySearch {
    const std::string& fileName;
    std::set<std::string> paths;
};

int visitLibrary(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<LibrarySearch*>(data);
    const std::filesystem::path path = info->dlpi_name ? info->dlpi_name : "";
    if (path.filename() == search.fileName) {
        std::error_code failure;
        const std::filesystem::path real = std::filesystem::canonical(path, failure);
        search.paths.insert((failure ? path : real).string());
    }
    return 0;
}

}  // namespace

std::string moduleFolder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&lowtide_plugin), &info) == 0 || !info.dli_fname) {
        return ".";
    }
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::canonical(info.dli_fname, failure);
    return (failure ? std::filesystem::path(info.dli_fname) : real).parent_path().string();
}

int64_t processId() {
    return ::getpid();
}

bool isMainThread() {
    return ::gettid() == ::getpid();
}

int physicalCores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return 1;
    }
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            cores.insert(coreOf(cpu));
        }
    }
    return std::max(1, static_cast<int>(cores.size()));
}

int defaultThreads() {
    const char* asked = std::getenv("OMP_NUM_THREADS");
    const long threads = asked ? std::strtol(asked, nullptr, 10) : 0;
    return threads > 0 && threads <= CPU_SETSIZE ? static_cast<int>(threads) : physicalCores();
}

std::vector<std::string> loadedLibraries(const std::string& fileName) {
    LibrarySearch search{.fileName = fileName, .paths = {}};
    dl_iterate_phdr(visitLibrary, &search);
    return {search.paths.begin(), search.paths.end()};
}

void setEnvironment(const char* name, const char* value) {
    setenv(name, value, 1);
}

}  // namespace lowtide::module
