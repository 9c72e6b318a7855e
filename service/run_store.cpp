#include "service/run_store.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace lowtide::service {

namespace {

/// Ended runs, the running one, waiting ones: the order of list().
class MemoryStore final : public RunStore {
public:
    explicit MemoryStore(size_t mostEnded) : mostEnded_(mostEnded) {}

    void put(const StoredRun& run) override {
        runs_.insert(std::ranges::find_if(runs_,
                                          [&](const StoredRun& other) {
                                              return other.state == RunState::Waiting &&
                                                     other.number > run.number;
                                          }),
                     run);
    }

    std::optional<StoredRun> takeNext() override {
        const auto next = std::ranges::find(runs_, RunState::Waiting, &StoredRun::state);
        if (next == runs_.end()) {
            return std::nullopt;
        }
        next->state = RunState::Running;
        return *next;
    }

    void update(const StoredRun& run) override {
        const auto known = std::ranges::find(runs_, run.id, &StoredRun::id);
        if (known == runs_.end()) {
            return;
        }
        if (!isEnded(run)) {
            *known = run;
            return;
        }
        runs_.erase(known);
        runs_.insert(std::ranges::find_if_not(runs_, isEnded), run);
        if (static_cast<size_t>(std::ranges::count_if(runs_, isEnded)) > mostEnded_) {
            runs_.pop_front();
        }
    }

    void remove(const std::string& id) override {
        std::erase_if(runs_, [&](const StoredRun& run) { return run.id == id; });
    }

    std::optional<StoredRun> find(const std::string& id) const override {
        const auto known = std::ranges::find(runs_, id, &StoredRun::id);
        return known == runs_.end() ? std::nullopt : std::optional(*known);
    }

    size_t remaining() const override {
        return runs_.size() - static_cast<size_t>(std::ranges::count_if(runs_, isEnded));
    }

    std::vector<StoredRun> list() const override { return {runs_.begin(), runs_.end()}; }

private:
    static bool isEnded(const StoredRun& run) {
        return run.state != RunState::Waiting && run.state != RunState::Running;
    }

    const size_t mostEnded_;
    std::deque<StoredRun> runs_;
};

}  // namespace

const char* nameOf(RunState state) {
    constexpr const char* kNames[] = {
        "waiting", "running", "finished", "refused", "failed", "cancelled"};
    return kNames[static_cast<size_t>(state)];
}

Json numberJson(double number) {
    constexpr double kExact = 1e15;
    const bool isInteger = std::abs(number) < kExact && number == std::trunc(number);
    return isInteger ? Json(static_cast<int64_t>(number)) : Json(number);
}

std::unique_ptr<RunStore> makeMemoryStore(size_t mostEnded) {
    return std::make_unique<MemoryStore>(mostEnded);
}

}  // namespace lowtide::service
