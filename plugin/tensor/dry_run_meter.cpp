#include "plugin/tensor/dry_run_meter.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace lowtide::tensor {

namespace {

constexpr uint8_t kAboveTheDefault = 1;
constexpr auto kMemoryReports = c10::DebugInfoKind::PROFILER_STATE;

thread_local DryRunMeter* currentMeter = nullptr;
thread_local int pauses = 0;

}  // namespace

struct DryRunMeter::Balance {
    memory::StageDevice device;
    Imitated imitated = Imitated::Cpu;
    Bytes allocated = 0;
    Bytes peak = 0;

    void add(Bytes bytes) noexcept {
        allocated += bytes;
        peak = std::max(peak, allocated);
    }
};

/// ATen's allocator of the meta device: as the default one it gives no memory, but it counts where
/// a meter lives.
class DryRunMeter::Memory final : public c10::Allocator {
public:
    static void install() {
        static const bool installed = [] {
            static Memory memory;
            c10::SetAllocator(c10::kMeta, &memory, kAboveTheDefault);
            return true;
        }();
        static_cast<void>(installed);
    }

    c10::DataPtr allocate(size_t bytes) override {
        if (!currentMeter || pauses > 0 || bytes == 0) {
            return {nullptr, nullptr, &free, c10::kMeta};
        }
        auto block = std::make_unique<Block>(Block{currentMeter->balance_, Bytes(bytes)});
        if (block->balance->imitated != Imitated::Cpu) {
            block->bytes = alignUp(block->bytes, memory::kSlotAlignment);
        }
        block->balance->add(block->bytes);
        return {nullptr, block.release(), &free, c10::kMeta};
    }

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

    void copy_data(void*, const void*, size_t) const override {}

private:
    struct Block {
        std::shared_ptr<Balance> balance;
        Bytes bytes;
    };

    static void free(void* context) {
        if (const std::unique_ptr<Block> block(static_cast<Block*>(context)); block) {
            block->balance->add(-block->bytes);
        }
    }
};

/// Receives ATen's memory reports of this thread while it lives and forwards them to whoever
/// received them before.
class DryRunMeter::HostTensors {
public:
    explicit HostTensors(std::shared_ptr<Balance> balance)
        : guard_(kMemoryReports, std::make_shared<Reports>(std::move(balance))) {}

private:
    class Reports final : public c10::MemoryReportingInfoBase {
    public:
        explicit Reports(std::shared_ptr<Balance> balance) : balance_(std::move(balance)) {}

        void reportMemoryUsage(void* pointer,
                               int64_t size,
                               size_t totalAllocated,
                               size_t totalReserved,
                               c10::Device device) override {
            if (before_) {
                before_->reportMemoryUsage(pointer, size, totalAllocated, totalReserved, device);
            }
            const bool isOurs =
                size > 0 ? pauses == 0 && blocks_.insert(pointer).second : blocks_.erase(pointer);
            balance_->add(isOurs ? size : 0);
        }

        [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

    private:
        std::shared_ptr<Balance> balance_;
        c10::MemoryReportingInfoBase* const before_ = static_cast<c10::MemoryReportingInfoBase*>(
            c10::ThreadLocalDebugInfo::get(kMemoryReports));
        std::unordered_set<void*> blocks_;
    };

    c10::DebugInfoGuard guard_;
};

DryRunMeter::DryRunMeter(const memory::StageDevice& device)
    : own_(balanceOf(device)), host_(balanceOf({})), balance_(own_) {
    LOWTIDE_ASSERT(!currentMeter);
    Memory::install();
    currentMeter = this;
    hostTensors_ = std::make_unique<HostTensors>(host_);
}

DryRunMeter::~DryRunMeter() {
    currentMeter = nullptr;
}

bool DryRunMeter::isOnCuda() noexcept {
    return currentMeter && currentMeter->imitated() == Imitated::Cuda;
}

DryRunMeter& DryRunMeter::current() {
    LOWTIDE_ASSERT(currentMeter);
    return *currentMeter;
}

const std::shared_ptr<DryRunMeter::Balance>& DryRunMeter::balanceOf(
    const memory::StageDevice& device) {
    std::shared_ptr<Balance>& balance = balances_[device.spec.id()];
    if (!balance) {
        balance = std::make_shared<Balance>(
            Balance{.device = device, .imitated = memory::deviceKind(device.spec.kind).imitated});
    }
    return balance;
}

const memory::StageDevice& DryRunMeter::device() const noexcept {
    return balance_->device;
}

Imitated DryRunMeter::imitated() const noexcept {
    return balance_->imitated;
}

Bytes DryRunMeter::allocated() const noexcept {
    return balance_->allocated;
}

Bytes DryRunMeter::peak() const noexcept {
    return own_->peak;
}

std::map<std::string, Bytes, std::less<>> DryRunMeter::peaksElsewhere() const {
    std::map<std::string, Bytes, std::less<>> peaks;
    for (const auto& [device, balance] : balances_) {
        if (balance != own_ && balance->peak > 0) {
            peaks.emplace(device, balance->peak);
        }
    }
    return peaks;
}

void DryRunMeter::touch(Bytes bytes) noexcept {
    balance_->peak = std::max(balance_->peak, balance_->allocated + bytes);
}

void DryRunMeter::touchHost(Bytes bytes) noexcept {
    host_->peak = std::max(host_->peak, host_->allocated + bytes);
}

DryRunMeter::Pause::Pause() noexcept {
    ++pauses;
}

DryRunMeter::Pause::~Pause() {
    --pauses;
}

DryRunMeter::Elsewhere::Elsewhere(DryRunMeter& meter, const memory::StageDevice& device)
    : meter_(meter), before_(std::exchange(meter.balance_, meter.balanceOf(device))) {}

DryRunMeter::Elsewhere::~Elsewhere() {
    meter_.balance_ = std::move(before_);
}

DryRunMeter::Section::Section(DryRunMeter& meter) noexcept : part_(meter.balance_) {
    if (meter.host_ != meter.balance_) {
        host_.emplace(meter.host_);
    }
}

DryRunMeter::Section::~Section() = default;

Bytes DryRunMeter::Section::peak() const noexcept {
    return part_.peak();
}

Bytes DryRunMeter::Section::hostPeak() const noexcept {
    return host_ ? host_->peak() : 0;
}

DryRunMeter::Section::Part::Part(std::shared_ptr<Balance> of) noexcept
    : balance(std::move(of)),
      start(balance->allocated),
      peakBefore(std::exchange(balance->peak, start)) {}

DryRunMeter::Section::Part::~Part() {
    balance->peak = std::max(balance->peak, peakBefore);
}

Bytes DryRunMeter::Section::Part::peak() const noexcept {
    return balance->peak - start;
}

}  // namespace lowtide::tensor
