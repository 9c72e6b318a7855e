#pragma once

#include "plugin/base/units.hpp"

#include <string>

namespace lowtide::residency {

/// Memory of this machine, bounded by the control groups (version 1 and 2) that the process runs
/// in: the smallest limit of its own group and of those above it.
struct HostMemory {
    Bytes machine = 0;  ///< whatever the groups allow
    Bytes total = 0;
    Bytes available = 0;  ///< file pages that the kernel reclaims first are among it
};

/// `root`: the folder in which /proc and /sys are; only tests give one.
[[nodiscard]] HostMemory hostMemory(const std::string& root = {});

/// This process's memory as the system and the C allocator see it.
struct ProcessMemory {
    Bytes resident = 0;         ///< in RAM, mapped files included
    Bytes residentPrivate = 0;  ///< in RAM and not of a file
    Bytes heapUsed = 0;         ///< blocks in use inside the heap
    Bytes heapMapped = 0;       ///< blocks in use that have a map of their own
    Bytes heapFree = 0;         ///< free blocks of the heap, whether in RAM or not
};

[[nodiscard]] ProcessMemory processMemory();
/// residentPrivate of processMemory(), quick enough to ask for before every operator.
[[nodiscard]] Bytes residentPrivateNow() noexcept;
/// Fresh pages of a large block come two megabytes at a time where the system has such pages.
void expectLargeUse(void* block, Bytes bytes) noexcept;
/// Gives free pages of the heap back to the system.
void trimHeap() noexcept;

/// The processor's name, "CPU" when the system does not name it.
[[nodiscard]] std::string processorName();

}  // namespace lowtide::residency
