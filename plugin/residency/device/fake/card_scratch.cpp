#include "plugin/residency/device/fake/card_scratch.hpp"

#include "plugin/residency/device/fake/fake_memory.hpp"

#include <c10/core/Allocator.h>

#include <unordered_map>

namespace lowtide::residency {

namespace {

constexpr auto kMemoryReports = c10::DebugInfoKind::PROFILER_STATE;

}  // namespace

/// Passes on what is freed here and was taken before.
class CardScratch::Reports final : public c10::MemoryReportingInfoBase {
public:
    explicit Reports(FakeMemory& memory) : memory_(memory) {}

    void reportMemoryUsage(void* pointer,
                           int64_t size,
                           size_t totalAllocated,
                           size_t totalReserved,
                           c10::Device device) override {
        if (size > 0 && device.is_cpu()) {
            blocks_[pointer] = size;
            memory_.addScratch(size);
        } else if (const auto own = blocks_.find(pointer); own != blocks_.end()) {
            memory_.addScratch(-own->second);
            blocks_.erase(own);
        } else if (before_) {
            before_->reportMemoryUsage(pointer, size, totalAllocated, totalReserved, device);
        }
    }

    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

    /// Not as an allocation that could be refused: the memory is taken.
    void handOver() {
        constexpr size_t kIsMapped = 1;
        for (const auto& [pointer, size] : blocks_) {
            memory_.addScratch(-size);
            if (before_) {
                before_->reportMemoryUsage(pointer, size, 0, kIsMapped, c10::Device(c10::kCPU));
            }
        }
        blocks_.clear();
    }

private:
    FakeMemory& memory_;
    c10::MemoryReportingInfoBase* const before_ =
        static_cast<c10::MemoryReportingInfoBase*>(c10::ThreadLocalDebugInfo::get(kMemoryReports));
    std::unordered_map<void*, int64_t> blocks_;
};

CardScratch::CardScratch(FakeMemory& memory)
    : reports_(std::make_shared<Reports>(memory)), guard_(kMemoryReports, reports_) {}

CardScratch::~CardScratch() {
    reports_->handOver();
}

}  // namespace lowtide::residency
