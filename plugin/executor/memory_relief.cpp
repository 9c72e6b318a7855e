#include "plugin/executor/memory_relief.hpp"

#include "plugin/base/log.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/memory/plan_refusal.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lowtide::executor {

Collections::Collections(memory::Engine& engine,
                         ResultCache& cache,
                         CollectionHistory& history,
                         std::span<const memory::DeviceInfo> opened,
                         const memory::CollectionSettings& settings,
                         std::span<const std::string> liveKeys)
    : engine_(engine),
      cache_(cache),
      history_(history),
      opened_(opened),
      settings_(settings),
      liveKeys_(liveKeys.begin(), liveKeys.end()) {}

bool Collections::at(const CollectionPoint& point) {
    const memory::CollectionQuestion question = questionAt(point);
    const memory::CollectionDecision decision = memory::decideCollection(question);
    if (decision.run) {
        collect(point, question, decision);
    }
    skipped_ += decision.reason == memory::CollectionReason::NothingToFree ? 1 : 0;
    ++points_;
    return decision.run;
}

memory::DeviceInfo Collections::infoOf(const memory::DeviceSpec& device) const {
    const auto found =
        std::find_if(opened_.begin(), opened_.end(), [&](const memory::DeviceInfo& info) {
            return info.id == device.id();
        });
    return found == opened_.end() ? engine_.open(device) : *found;
}

memory::CollectionQuestion Collections::questionAt(const CollectionPoint& point) const {
    memory::CollectionQuestion question{.settings = settings_,
                                        .device = infoOf(point.device),
                                        .state = engine_.memoryState(point.device),
                                        .deadCaches = cache_.deadBytes(liveKeys_),
                                        .isForced = point.isForced};
    for (const memory::PinnedComponent& pinned : engine_.pinnedComponents()) {
        question.pinned += pinned.bytes;
    }
    if (point.threshold) {
        question.settings = {.threshold = *point.threshold, .lowMemory = memory::LowMemory::Off};
    }
    question.hasFailedAllocation = history_.isNew(point.device.id(), question.state.outOfMemory);
    return question;
}

void Collections::collect(const CollectionPoint& point,
                          const memory::CollectionQuestion& question,
                          const memory::CollectionDecision& decision) {
    const auto begin = std::chrono::steady_clock::now();
    memory::CollectionRecord record{.point = point.name,
                                    .node = point.node,
                                    .device = point.device.id(),
                                    .reason = decision.reason,
                                    .threshold = decision.threshold,
                                    .before = question.state};
    if (decision.dropsCaches()) {
        record.collected = cache_.dropDead(liveKeys_);
    }
    if (decision.unpins) {
        record.collected += unpinIdle(engine_).components;
    }
    engine_.collect(point.device);
    record.after = engine_.memoryState(point.device);
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    history_.answer(record.device, record.after.outOfMemory);
    engine_.ledger().event("collect", record.device, record.node, record.point, record.saved());
    notify(record);
    records_.push_back(std::move(record));
}

void Collections::notify(const memory::CollectionRecord& record) const {
    log(Level::Info, memory::toLine(record));
    log(Level::Debug, "GC details: " + memory::toJson(record).dump());
}

Json Collections::report() const {
    Json records = Json::array();
    double seconds = 0;
    for (const memory::CollectionRecord& record : records_) {
        records.push_back(memory::toJson(record));
        seconds += record.seconds;
    }
    return {{"records", records}, {"skipped", skipped_}, {"points", points_}, {"seconds", seconds}};
}

Unpinned unpinIdle(memory::Engine& engine) {
    Unpinned unpinned;
    for (const memory::PinnedComponent& pinned : engine.pinnedComponents()) {
        const Bytes bytes = engine.unpin(pinned);
        unpinned.components += bytes > 0 ? 1 : 0;
        unpinned.bytes += bytes;
    }
    return unpinned;
}

Recovery::Recovery(memory::PlanRequest request, memory::Engine& engine, ResultCache& cache)
    : request_(std::move(request)),
      engine_(engine),
      cache_(cache),
      devicesAtBegin_(request_.devices),
      keptAtBegin_(request_.kept),
      pinnedAtBegin_(std::exchange(request_.pinned, {})),
      cachedAtBegin_(cachedNow()),
      cachedLeft_(cachedAtBegin_) {}

std::optional<Message> Recovery::next(memory::NodeIndex node) {
    if (node_ != node) {
        node_ = node;
        rung_ = 0;
    }
    if (rung_++ == 0) {
        if (std::optional<Message> done = freeMemory()) {
            return done;
        }
    }
    return tighten(node);
}

std::optional<Message> Recovery::freeMemory() {
    const Bytes results = cache_.clear();
    cachedLeft_ = std::min(cachedLeft_, cachedNow());
    const Bytes weights = engine_.offload("all", false);
    const Bytes unpinned = unpinIdle(engine_).bytes;
    for (const memory::PlanDevice& device : request_.devices) {
        engine_.collect(device.spec);
    }
    if (results + weights + unpinned == 0) {
        return std::nullopt;
    }
    return message(
        "{} of kept results were dropped, {} of weights left the devices, and {} of pinned memory "
        "was given back",
        formatBytes(results),
        formatBytes(weights),
        formatBytes(unpinned));
}

Bytes Recovery::cachedNow() {
    return engine_.ledger().bytesOn(kHostDevice, memory::Tag::Cache);
}

/// What was on the devices when the run began, without the results and components that have gone
/// since. What the run itself brought is in the plan by other names.
void Recovery::renewHeld() {
    request_.kept = engine_.keptComponents();
    const auto isLeft = [&](const memory::KeptComponent& kept) {
        return std::any_of(request_.kept.begin(), request_.kept.end(), [&](const auto& now) {
            return now.tree == kept.tree && now.device == kept.device;
        });
    };
    request_.devices = devicesAtBegin_;
    for (memory::PlanDevice& device : request_.devices) {
        const std::string id = device.spec.id();
        device.held -= id == kHostDevice ? cachedAtBegin_ - cachedLeft_ : 0;
        device.droppable = 0;  // the first rung dropped it
        for (const memory::KeptComponent& kept : keptAtBegin_) {
            device.held -= kept.device == id && !isLeft(kept) ? kept.bytes : 0;
        }
        for (const memory::PinnedComponent& pinned : pinnedAtBegin_) {  // it went or is used
            device.held -= id == kHostDevice ? pinned.bytes : 0;
        }
    }
}

std::optional<Message> Recovery::tighten(memory::NodeIndex node) {
    memory::NodeWork& work = request_.nodes[node];
    if (work.components.empty()) {
        return std::nullopt;
    }
    renewHeld();
    for (size_t rung = memory::rungOf(work) + 1; rung < memory::kTighterPolicies.size(); ++rung) {
        work.policy = memory::tightened(std::move(work.policy), rung);
        auto decided = decidePlan(request_);
        if (auto* plan = std::get_if<memory::Plan>(&decided)) {
            plan_ = std::make_shared<const memory::Plan>(std::move(*plan));
            engine_.replan(plan_);
            return message("its memory policy is now {}", memory::kTighterPolicies[rung]);
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::executor
