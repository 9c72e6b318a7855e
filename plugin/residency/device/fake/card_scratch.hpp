#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>

namespace lowtide::residency {

class FakeMemory;

/// While one lives, what its thread takes of ATen's host memory plays memory of a GPU's kernels:
/// the fake device counts it as scratch, and nobody counts it as the host's. What is left at the
/// end is the host's from then on.
class CardScratch {
public:
    explicit CardScratch(FakeMemory& memory);
    ~CardScratch();
    CardScratch(const CardScratch&) = delete;
    CardScratch& operator=(const CardScratch&) = delete;

private:
    class Reports;

    std::shared_ptr<Reports> reports_;
    c10::DebugInfoGuard guard_;
};

}  // namespace lowtide::residency
