#include "plugin/executor/collections.hpp"

#include "plugin/base/log.hpp"
#include "plugin/executor/unpin_idle.hpp"

#include <algorithm>
#include <chrono>

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
    tell(record);
    records_.push_back(std::move(record));
}

void Collections::tell(const memory::CollectionRecord& record) const {
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

}  // namespace lowtide::executor
