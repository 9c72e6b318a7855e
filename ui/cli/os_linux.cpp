#include "ui/cli/os.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <malloc.h>
#include <unistd.h>

namespace lowtide::cli {

namespace {

constexpr int kThresholdBytes = 1 << 30;
constexpr const char* kSpins = "10000";  ///< as fast as libgomp's 300000 on an idle machine
std::atomic<int> interrupts = 0;

void onInterrupt(int) {
    interrupts.fetch_add(1);
}

}  // namespace

void keepBigBlocks() {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, kThresholdBytes);
    mallopt(M_TRIM_THRESHOLD, kThresholdBytes);
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

void catchInterrupts() {
    struct sigaction action {};

    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int interruptCount() {
    return interrupts.load();
}

bool errorIsTerminal() {
    return isatty(STDERR_FILENO) == 1;
}

OpenedLibrary openLibrary(const std::string& path) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        return {.handle = handle};
    }
    const char* reason = dlerror();
    return {.reason = reason ? reason : "unknown reason"};
}

void* symbolOf(void* library, const char* name) {
    return dlsym(library, name);
}

}  // namespace lowtide::cli
