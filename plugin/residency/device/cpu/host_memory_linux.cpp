#include "plugin/base/text.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace lowtide::residency {

namespace {

/// The text behind "key:" in a file of such lines.
std::string fieldOf(const char* path, std::string_view key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        const size_t colon = line.find(':');
        if (colon != std::string::npos && trim(line.substr(0, colon)) == key) {
            return trim(line.substr(colon + 1));
        }
    }
    return {};
}

Bytes memoryInfo(std::string_view key) {
    return parseBytes(fieldOf("/proc/meminfo", key)).value_or(0);
}

/// A number in a file of its own; empty when there is none ("max": no limit).
std::optional<Bytes> numberIn(const char* path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word.empty() || word == "max" ? std::nullopt : parseBytes(word);
}

}  // namespace

HostMemory hostMemory() {
    HostMemory memory{memoryInfo("MemTotal"), memoryInfo("MemAvailable")};
    const std::optional<Bytes> limit = numberIn("/sys/fs/cgroup/memory.max");
    if (limit && *limit < memory.total) {
        const Bytes used = numberIn("/sys/fs/cgroup/memory.current").value_or(0);
        memory.total = *limit;
        memory.available = std::clamp<Bytes>(*limit - used, 0, memory.available);
    }
    return memory;
}

ProcessMemory processMemory() {
    constexpr const char* kStatus = "/proc/self/status";
    const struct mallinfo2 heap = mallinfo2();
    return {.resident = parseBytes(fieldOf(kStatus, "VmRSS")).value_or(0),
            .residentPrivate = parseBytes(fieldOf(kStatus, "RssAnon")).value_or(0),
            .heapUsed = static_cast<Bytes>(heap.uordblks),
            .heapMapped = static_cast<Bytes>(heap.hblkhd),
            .heapFree = static_cast<Bytes>(heap.fordblks)};
}

Bytes residentPrivateNow() noexcept {
    // Pages: all that is mapped, resident, resident of files.
    std::ifstream file("/proc/self/statm");
    Bytes mapped = 0;
    Bytes resident = 0;
    Bytes shared = 0;
    file >> mapped >> resident >> shared;
    return (resident - shared) * ::sysconf(_SC_PAGESIZE);
}

void expectLargeUse(void* block, Bytes bytes) noexcept {
    constexpr Bytes kHugePage = 2 * kMiB;
    constexpr Bytes kWorthAsking = 8 * kMiB;
    if (bytes < kWorthAsking) {
        return;
    }
    const Bytes begin = alignUp(static_cast<Bytes>(reinterpret_cast<uintptr_t>(block)), kHugePage);
    const Bytes end = static_cast<Bytes>(reinterpret_cast<uintptr_t>(block)) + bytes;
    const Bytes whole = (end - begin) / kHugePage * kHugePage;
    static_cast<void>(::madvise(reinterpret_cast<void*>(static_cast<uintptr_t>(begin)),
                                static_cast<size_t>(whole),
                                MADV_HUGEPAGE));
}

void trimHeap() noexcept {
    malloc_trim(0);
}

std::string processorName() {
    const std::string name = fieldOf("/proc/cpuinfo", "model name");
    return name.empty() ? "CPU" : name;
}

}  // namespace lowtide::residency
