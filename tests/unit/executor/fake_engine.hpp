#pragma once
// A memory engine that moves nothing: it notes what it is asked, checks the order and throws on
// request.

#include "plugin/base/error.hpp"
#include "plugin/memory/engine.hpp"

#include <functional>
#include <mutex>
#include <optional>

namespace lowtide::executor {

class FakeEngine final : public memory::Engine {
public:
    Bytes capacity = 0;                                   ///< of every device; 0: without limit
    std::string deviceName = "test";                      ///< of every device
    std::string lost;                                     ///< why a device is lost; empty: none is
    memory::MemoryState state;                            ///< of every device
    std::function<void(memory::MemoryState&)> onCollect;  ///< what a collection changes
    /// Hears every call that may throw, and may do so.
    std::function<void(std::string_view call)> before;
    std::vector<memory::KeptComponent> kept;          ///< of earlier runs
    std::function<void()> onOffload;                  ///< what an offload changes
    std::function<void(std::string_view)> onRelease;  ///< what a release changes
    std::function<void(Bytes)> onUnpin;               ///< what unpinning so much changes

    memory::DeviceInfo open(const memory::DeviceSpec& spec) override {
        note("open " + spec.id());
        if (spec.kind == "cuda") {
            throw Error(ErrorKind::Device, Message("no driver answers"), Message("choose cpu"));
        }
        return {.id = spec.id(), .kind = spec.kind, .name = deviceName, .capacity = capacity};
    }

    memory::DeviceTraits traits(const memory::DeviceSpec&) override {
        notify("traits");
        return {false, capacity};
    }

    memory::DeviceProfile profile(const memory::DeviceSpec& spec) override {
        notify("profile");
        return memory::estimatedProfile(spec.kind);
    }

    std::vector<memory::DeviceInfo> devices() override {
        notify("devices");
        return {};
    }

    void begin(std::shared_ptr<const memory::Plan> plan, const StopToken&) override {
        note("begin");
        LOWTIDE_ASSERT(!plan_);
        plan_ = std::move(plan);
        traffic_ = {};
    }

    void enter(memory::NodeIndex node) override {
        note("enter " + nodeName(node));
        LOWTIDE_ASSERT(plan_ && !inside_);
        inside_ = node;
        traffic_.bytesToDevice += 100;
    }

    void confirm(memory::NodeIndex node) override {
        LOWTIDE_ASSERT(inside_ == node);
        notify("confirm " + nodeName(node));
    }

    void leave(memory::NodeIndex node) noexcept override {
        noteOnly("leave " + nodeName(node));
        LOWTIDE_ASSERT(inside_ == node);
        inside_.reset();
    }

    void requireDevices() override {
        notify("requireDevices");
        if (!lost.empty()) {
            throw Error(ErrorKind::Device, Message(lost));
        }
    }

    void replan(std::shared_ptr<const memory::Plan> plan) override {
        note("replan");
        LOWTIDE_ASSERT(plan_ && !inside_);
        plan_ = std::move(plan);
    }

    void end(memory::Outcome outcome) noexcept override {
        constexpr const char* kNames[] = {"finished", "failed", "cancelled"};
        noteOnly(std::string("end ") + kNames[static_cast<int>(outcome)]);
        LOWTIDE_ASSERT(plan_ && !inside_);
        plan_.reset();
    }

    Bytes release(std::string_view component) override {
        note("release " + std::string(component));
        if (onRelease) {
            onRelease(component);
        }
        return 1000;
    }

    memory::MemoryState memoryState(const memory::DeviceSpec&) override {
        notify("memoryState");
        return state;
    }

    Bytes collect(const memory::DeviceSpec& spec) override {
        note("collect " + spec.id());
        const Bytes held = state.deviceUsed;
        if (onCollect) {
            onCollect(state);
        }
        return held - state.deviceUsed;
    }

    Bytes offload(std::string_view component, bool dropHost) override {
        note((dropHost ? "drop " : "offload ") + std::string(component));
        if (onOffload) {
            onOffload();
        }
        return 1000;
    }

    std::vector<memory::KeptComponent> keptComponents() const override {
        notify("keptComponents");
        return kept;
    }

    std::vector<memory::PinnedComponent> pinnedComponents() const override {
        notify("pinnedComponents");
        const std::lock_guard lock(mutex_);
        return pinned_;
    }

    Bytes unpin(const memory::PinnedComponent& asked) override {
        note("unpin " + asked.tree);
        const std::lock_guard lock(mutex_);
        std::erase_if(pinned_, [&](const auto& each) { return each.tree == asked.tree; });
        if (onUnpin) {
            onUnpin(asked.bytes);
        }
        return asked.bytes;
    }

    /// As an earlier run leaves it.
    void pin(const memory::PinnedComponent& pinned) {
        const std::lock_guard lock(mutex_);
        pinned_.push_back(pinned);
    }

    memory::Ledger& ledger() noexcept override { return ledger_; }

    memory::Traffic traffic() const noexcept override { return traffic_; }

    Bytes allocatedOn(const memory::DeviceSpec&) const override {
        notify("allocatedOn");
        return 0;
    }

    std::optional<memory::RehearsalCounts> rehearsal(const memory::DeviceSpec&) const override {
        notify("rehearsal");
        return std::nullopt;
    }

    /// What was called since the last time, without "open".
    std::vector<std::string> takeCalls() {
        const std::lock_guard lock(mutex_);
        return std::exchange(calls_, {});
    }

private:
    std::string nodeName(memory::NodeIndex node) const { return plan_->stages.at(node).node; }

    void notify(const std::string& call) const {
        if (before) {
            before(call);
        }
    }

    void note(const std::string& call) {
        notify(call);
        if (!call.starts_with("open")) {
            noteOnly(call);
        }
    }

    void noteOnly(const std::string& call) noexcept {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
    }

    memory::Ledger ledger_;
    memory::Traffic traffic_;
    std::shared_ptr<const memory::Plan> plan_;
    std::optional<memory::NodeIndex> inside_;
    mutable std::mutex mutex_;
    std::vector<std::string> calls_;
    std::vector<memory::PinnedComponent> pinned_;
};

}  // namespace lowtide::executor
