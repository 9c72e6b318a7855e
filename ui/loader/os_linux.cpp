#include "ui/loader/os.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <unistd.h>

namespace lowtide::loader {

namespace {

constexpr int kKeptBytes = 1 << 30;
constexpr int kReturnedBytes = 1 << 25;
constexpr const char* kSpins = "10000";  ///< as fast as libgomp's 300000 on an idle machine

void setThresholds(int bytes) {
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, bytes);
}

}  // namespace

void keepBigBlocks() {
    mallopt(M_ARENA_MAX, 1);
    setThresholds(kKeptBytes);
}

void returnBigBlocks() {
    setThresholds(kReturnedBytes);
    malloc_trim(0);
}

void shortenSpins() {
    if (!std::getenv("OMP_WAIT_POLICY")) {
        setenv("GOMP_SPINCOUNT", kSpins, 0);
    }
}

std::string programFolder() {
    std::error_code failure;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
    return failure ? "." : program.parent_path().string();
}

std::string folderOf(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || !info.dli_fname) {
        return ".";
    }
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::canonical(info.dli_fname, failure);
    return (failure ? std::filesystem::path(info.dli_fname) : real).parent_path().string();
}

std::string userDataFolder() {
    if (const char* stated = std::getenv("XDG_DATA_HOME"); stated && *stated == '/') {
        return std::string(stated) + "/lowtide";
    }
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.local/share/lowtide" : std::string();
}

std::string studioDataFolder() {
    const char* own = std::getenv("LOWTIDE_STUDIO_DATA");
    return own && *own ? own : userDataFolder();
}

std::string processorName() {
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        if (const size_t colon = line.find(": ");
            line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return {};
}

int64_t machineMemory() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? int64_t{pages} * size : 0;
}

OpenedLibrary openLibrary(const std::string& path) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        return {.handle = handle};
    }
    const char* reason = dlerror();
    return {.reason = reason ? Message(reason) : message("unknown reason")};
}

void* symbolOf(void* library, const char* name) {
    return dlsym(library, name);
}

}  // namespace lowtide::loader
