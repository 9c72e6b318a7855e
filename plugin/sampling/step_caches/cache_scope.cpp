#include "plugin/sampling/step_caches/cache_scope.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::sampling {

namespace {

Message workName(StepWork work) {
    switch (work) {
        case StepWork::Full:
            return message("full");
        case StepWork::Partial:
            return message("partial");
        case StepWork::Predict:
            return message("predicted");
    }
    return {};
}

[[noreturn]] void refuseDifference(const Message& done, StepWork decided) {
    throw Error(ErrorKind::Internal,
                message("a step was decided as {} and was {}", workName(decided), done),
                message("report this with the graph"));
}

Bytes bytesOf(const std::vector<at::Tensor>& tensors) {
    std::set<const void*> seen;
    Bytes bytes = 0;
    for (const at::Tensor& tensor : tensors) {
        if (seen.insert(tensor.storage().unsafeGetStorageImpl()).second) {
            bytes += static_cast<Bytes>(tensor.storage().nbytes());
        }
    }
    return bytes;
}

}  // namespace

CacheScope::CacheScope(const StepCache* cache, const CachedRun& run)
    : sessions_(cache ? cache->begin(run) : CacheSessions{}), callCount_(run.callCount()) {}

StepWork CacheScope::scheduled(const StepInfo& step) const {
    return sessions_.inner && step.taken < callCount_ ? sessions_.inner->decide(step)
                                                      : StepWork::Full;
}

void CacheScope::decide(StepInfo& step, const at::Tensor& input, uint64_t prompts) {
    const bool promptsChanged = std::exchange(prompts_, prompts) != prompts && step.taken > 0;
    StepWork work = scheduled(step);
    if (sessions_.outer && sessions_.outer->predicts(step, input)) {
        work = StepWork::Predict;
    }
    if (promptsChanged) {
        forget();
    }
    if (promptsChanged && work != StepWork::Full) {
        ++counts_.misses["prompts"];
        work = StepWork::Full;
    }
    StepInfo following = step;
    ++following.taken;
    const bool isGated = sessions_.inner && sessions_.inner->isGated();
    step.decision = {.work = work,
                     .next = isGated ? StepWork::Full : scheduled(following),
                     .isOpen = isGated && work == StepWork::Partial,
                     .cache = sessions_.inner ? this : nullptr};
    call_ = {.decided = work};
}

at::Tensor CacheScope::predict(const StepInfo& step, const at::Tensor& input) {
    LOWTIDE_ASSERT(call_.decided == StepWork::Predict && sessions_.outer);
    return sessions_.outer->predict(step, input);
}

StepWork CacheScope::grant(const StepInfo& step, const CacheKey& key) {
    LOWTIDE_ASSERT(sessions_.inner && call_.decided != StepWork::Predict);
    const auto kept = entries_.find(step.slot);
    const auto difference = kept == entries_.end() ? std::optional<std::string_view>("cold")
                                                   : differenceOf(kept->second.key, key);
    if (call_.decided == StepWork::Partial) {
        if (!difference) {
            return StepWork::Partial;
        }
        ++counts_.misses[std::string(*difference)];
    }
    if (difference) {
        sessions_.inner->forget(step.slot);
    } else {
        sessions_.inner->makeSpace(step.slot);
    }
    entries_.erase(step.slot);
    return StepWork::Full;
}

void CacheScope::refuse(const StepInfo& step) {
    ++counts_.misses["gate"];
    sessions_.inner->makeSpace(step.slot);
    entries_.erase(step.slot);
}

void CacheScope::keep(const StepInfo& step,
                      const CacheKey& key,
                      const at::Tensor& probe,
                      const at::Tensor& value) {
    sessions_.inner->keep(step, probe, value);
    const Entry entry{.key = key,
                      .probeSizes = probe.sizes().vec(),
                      .valueSizes = value.sizes().vec(),
                      .options = value.options()};
    entries_[step.slot] = entry;
    if (std::none_of(shapes_.begin(), shapes_.end(), [&](const Entry& known) {
            return known.key.sizes == key.sizes;
        })) {
        shapes_.push_back(entry);
    }
    for (const at::Tensor& tensor : sessions_.inner->held()) {
        kept_.push_back(tensor.storage().getWeakStorageImpl());
    }
    noteBytes();
}

void CacheScope::note(StepWork granted, StepWork done) {
    if (granted != done) {
        refuseDifference(workName(done), granted);
    }
    ++call_.evaluations;
    call_.done = std::min(call_.done, done);
}

void CacheScope::finish(const StepInfo& step, const at::Tensor& input, const at::Tensor& output) {
    const bool isSeen = sessions_.inner && call_.decided != StepWork::Predict && !call_.isEmpty;
    if (isSeen && call_.evaluations == 0) {
        refuseDifference(message("not seen"), call_.decided);
    }
    const StepWork done = isSeen ? call_.done : call_.decided;
    (done == StepWork::Full      ? counts_.full
     : done == StepWork::Partial ? counts_.partial
                                 : counts_.predicted) += 1;
    if (sessions_.outer && done != StepWork::Predict) {
        sessions_.outer->observe(step, input, output);
        noteBytes();
    }
}

void CacheScope::forget() {
    for (const auto& [slot, entry] : entries_) {
        sessions_.inner->forget(slot);
    }
    entries_.clear();
    if (sessions_.outer) {
        sessions_.outer->forget();
    }
}

void CacheScope::noteBytes() {
    std::vector<at::Tensor> held;
    if (sessions_.inner) {
        held = sessions_.inner->held();
    }
    if (sessions_.outer) {
        const std::vector<at::Tensor> more = sessions_.outer->held();
        held.insert(held.end(), more.begin(), more.end());
    }
    counts_.mostBytes = std::max(counts_.mostBytes, bytesOf(held));
}

void CacheScope::skipForward(const StepInfo& step,
                             at::IntArrayRef sizes,
                             const std::function<void()>& work) {
    if (step.decision.work == StepWork::Partial && !step.decision.isOpen) {
        work();
        sessions_.inner->noteReused(step);
        note(StepWork::Partial, StepWork::Partial);
        return;
    }
    const auto like = std::find_if(shapes_.begin(), shapes_.end(), [&](const Entry& entry) {
        return sizes == entry.key.sizes;
    });
    LOWTIDE_ASSERT(like != shapes_.end());
    const Entry known = *like;
    const bool isRefused = grant(step, known.key) == StepWork::Partial;
    work();
    if (isRefused) {
        refuse(step);
    }
    keep(step,
         known.key,
         at::empty(known.probeSizes, known.options),
         at::empty(known.valueSizes, known.options));
    note(StepWork::Full, StepWork::Full);
}

size_t CacheScope::heldCount() const {
    return sessions_.inner ? sessions_.inner->held().size() : 0;
}

Json CacheScope::record() const {
    return sessions_.inner ? sessions_.inner->record() : Json();
}

StepCounts CacheScope::end() {
    sessions_ = {};
    entries_.clear();
    shapes_.clear();
    std::set<const c10::StorageImpl*> seen;
    for (const auto& kept : kept_) {
        const auto alive = kept.lock();
        if (alive && seen.insert(alive.get()).second) {
            counts_.bytesAfter += static_cast<Bytes>(alive->nbytes());
        }
    }
    return counts_;
}

CachedCall::CachedCall(const StepInfo& step, CacheKey key)
    : step_(step),
      key_(std::move(key)),
      cache_(step.decision.cache),
      granted_(cache_ ? cache_->grant(step_, key_) : StepWork::Full) {}

int CachedCall::depth() const {
    return cache_ ? cache_->inner()->depth() : -1;
}

void CachedCall::enter(const at::Tensor& input) {
    if (cache_) {
        cache_->inner()->enter(step_, input);
    }
}

bool CachedCall::isReused(const at::Tensor& probe) {
    if (granted_ != StepWork::Partial) {
        return false;
    }
    if (step_.decision.isOpen && !cache_->inner()->reuses(step_, probe)) {
        cache_->refuse(step_);
        granted_ = StepWork::Full;
        return false;
    }
    cache_->inner()->noteReused(step_);
    return true;
}

at::Tensor CachedCall::value(const at::Tensor& probe) const {
    return cache_->inner()->value(step_, probe);
}

void CachedCall::keep(const at::Tensor& probe, const at::Tensor& value) {
    if (cache_) {
        cache_->keep(step_, key_, probe, value);
    }
}

void CachedCall::finish(StepWork done) {
    if (cache_) {
        cache_->note(granted_, done);
    }
}

CacheKey CacheKey::of(const at::Tensor& input, std::string model) {
    return {.sizes = input.sizes().vec(),
            .type = input.scalar_type(),
            .device = input.device(),
            .model = std::move(model)};
}

std::optional<std::string_view> differenceOf(const CacheKey& kept, const CacheKey& wanted) {
    if (kept.model != wanted.model) {
        return "model";
    }
    if (kept.device != wanted.device) {
        return "device";
    }
    if (kept.type != wanted.type) {
        return "dtype";
    }
    if (kept.sizes != wanted.sizes) {
        return "shape";
    }
    return std::nullopt;
}

Json toJson(const StepCounts& counts) {
    return {{"full", counts.full},
            {"partial", counts.partial},
            {"predicted", counts.predicted},
            {"misses", Json(counts.misses)},
            {"bytes", counts.mostBytes},
            {"bytes_after", counts.bytesAfter}};
}

}  // namespace lowtide::sampling
