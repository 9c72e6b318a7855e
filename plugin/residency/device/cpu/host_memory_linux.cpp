#include "plugin/base/text.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace lowtide::residency {

namespace {

/// The text behind "key:" in a file of such lines.
std::string fieldOf(const std::string& path, std::string_view key) {
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

/// A number in a file of its own; empty when there is none ("max": no limit).
std::optional<Bytes> numberIn(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word.empty() || word == "max" ? std::nullopt : parseBytes(word);
}

/// The number behind "key " in a file of such lines; 0: there is none.
Bytes statIn(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    std::string name;
    std::string value;
    while (file >> name >> value) {
        if (name == key) {
            return parseBytes(value).value_or(0);
        }
    }
    return 0;
}

/// How a version of control groups names its files.
struct GroupFiles {
    const char* mount;
    const char* limit;
    const char* used;
    const char* reclaimable;  ///< key of memory.stat: file pages that the kernel drops first
};

constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory",
                                  "memory.limit_in_bytes",
                                  "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles kVersion2 = {
    "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

/// The folder of the process's own group below `files.mount`, from a line of /proc/self/cgroup:
/// "0::/user.slice" or "4:cpu,memory:/slurm/job_7"; empty for lines of other controllers.
std::string groupIn(const std::string& line, const GroupFiles& files) {
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) {
        return {};
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    bool isMeant = &files == &kVersion2 && controllers.empty();
    for (const std::string& controller : split(controllers, ',')) {
        isMeant = isMeant || (&files == &kVersion1 && controller == "memory");
    }
    return isMeant ? line.substr(second + 1) : std::string();
}

/// The smallest limit from the group to the top of what this process sees, and the least that is
/// left under any. A container may see its own group as the top: folders that are not there have
/// no files and no limit.
void boundBy(HostMemory& memory,
             const std::string& root,
             const GroupFiles& files,
             std::string group) {
    while (true) {
        const std::string folder = root + files.mount + group + "/";
        const std::optional<Bytes> limit = numberIn(folder + files.limit);
        if (limit && *limit < memory.machine) {
            const Bytes used = numberIn(folder + files.used).value_or(0) -
                               statIn(folder + "memory.stat", files.reclaimable);
            memory.total = std::min(memory.total, *limit);
            memory.available =
                std::clamp<Bytes>(*limit - std::max<Bytes>(0, used), 0, memory.available);
        }
        if (group.empty()) {
            return;
        }
        group.erase(std::min(group.rfind('/'), group.size()));
    }
}

}  // namespace

HostMemory hostMemory(const std::string& root) {
    const auto ofMachine = [&](std::string_view key) {
        return parseBytes(fieldOf(root + "/proc/meminfo", key)).value_or(0);
    };
    const Bytes machine = ofMachine("MemTotal");
    HostMemory memory{.machine = machine, .total = machine, .available = ofMachine("MemAvailable")};
    std::ifstream groups(root + "/proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) {
        for (const GroupFiles* files : {&kVersion1, &kVersion2}) {
            if (std::string group = groupIn(line, *files); !group.empty()) {
                boundBy(memory, root, *files, group == "/" ? "" : std::move(group));
            }
        }
    }
    return memory;
}

ProcessMemory processMemory() {
    const std::string kStatus = "/proc/self/status";
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
