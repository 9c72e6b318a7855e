#include "plugin/sampling/step_caches/deepcache.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::sampling {

namespace {

constexpr double kPowerStep = 0.02;

/// One try: the calls that this power gives. Before the centre the roots are complex; numpy takes
/// the principal ones and drops the imaginary part at the end.
std::vector<int> callsOfPower(int total, int count, int centre, double power) {
    using Complex = std::complex<double>;
    const Complex from = std::pow(Complex(-centre, 0), 1 / power);
    const Complex to = std::pow(Complex(total - centre, 0), 1 / power);
    const Complex stride = (to - from) / static_cast<double>(count);
    std::set<int> offsets;
    for (int i = 0; i <= count; ++i) {
        const Complex point = i == count ? to : from + stride * static_cast<double>(i);
        offsets.insert(static_cast<int>(std::pow(point, power).real()));
    }
    std::vector<int> calls = {0};
    for (auto offset = offsets.begin(); offset != offsets.end(); ++offset) {
        const bool isInner = offset != offsets.begin() && std::next(offset) != offsets.end();
        if (isInner) {
            calls.push_back(*offset + centre);
        }
    }
    return calls;
}

std::vector<bool> uniformCalls(int interval, int count) {
    std::vector<bool> isFull(static_cast<size_t>(count), false);
    for (int call = 0; call < count; call += interval) {
        isFull[static_cast<size_t>(call)] = true;
    }
    return isFull;
}

std::vector<bool> powerCentreFlags(const DeepCacheSettings& settings, int count) {
    const int full = (count + settings.interval - 1) / settings.interval;
    std::vector<bool> isFull(static_cast<size_t>(count), settings.interval == 1);
    if (settings.interval == 1) {
        return isFull;
    }
    for (const int call : powerCentreCalls(count, full, settings.centre, settings.power)) {
        if (call >= 0 && call < count) {
            isFull[static_cast<size_t>(call)] = true;
        }
    }
    return isFull;
}

std::vector<bool> spreadCalls(const DeepCacheSettings& settings, int count) {
    switch (settings.spread) {
        case FullCalls::PowerCentre:
            return powerCentreFlags(settings, count);
        case FullCalls::Mask:
            checkStepMask(settings.mask, count);
            return settings.mask;
        case FullCalls::Uniform:
            break;
    }
    return uniformCalls(settings.interval, count);
}

}  // namespace

std::vector<int> powerCentreCalls(int total, int count, int centre, double power) {
    for (double tried = power; tried > 1; tried -= kPowerStep) {
        std::vector<int> calls = callsOfPower(total, count, centre, tried);
        if (calls.size() == static_cast<size_t>(count)) {
            return calls;
        }
    }
    throw Error(
        ErrorKind::InvalidInput,
        message("no power up to {} gives {} of {} calls around {}",
                formatNumber(power),
                count,
                total,
                centre),
        message(
            "choose another interval, a centre nearer to the first call, or the uniform spread"),
        "power");
}

std::vector<bool> fullCalls(const DeepCacheSettings& settings, const CachedRun& run) {
    const int count = run.callCount();
    const bool hasStages =
        std::any_of(run.stages.begin(), run.stages.end(), [](int stage) { return stage > 0; });
    std::vector<bool> isFull = spreadCalls(settings, count);
    for (int call = 0; call < count; ++call) {
        const double fraction = static_cast<double>(run.firstCall + call) / run.scheduleCalls;
        const bool isOutside = fraction < settings.start || fraction >= settings.end;
        const bool isFirstStage =
            settings.isFirstStageFull && hasStages && run.stages[static_cast<size_t>(call)] == 0;
        if (isOutside || isFirstStage || call >= count - settings.keepLast) {
            isFull[static_cast<size_t>(call)] = true;
        }
    }
    return isFull;
}

namespace {

constexpr int64_t kNotGiven = -1;
constexpr int64_t kCutsOfLevel = 3;  ///< of a level with two resnets, which all names count on
constexpr int64_t kMost = 1000000;

std::optional<int64_t> given(const JsonReader& reader, const char* key) {
    const auto value = reader.integer(key);
    if (!value || *value == kNotGiven) {
        return std::nullopt;
    }
    requireThat(*value >= 0 && *value < kMost,
                message("the {} of DeepCache is {}", key, *value),
                message("choose a number from 0 up, or -1: not given"),
                key);
    return value;
}

int readInterval(const JsonReader& reader) {
    const auto own = reader.integer("interval");
    const auto other = given(reader, "cache_interval");
    const int64_t interval = other.value_or(own.value_or(DeepCacheSettings().interval));
    requireThat(interval >= 1 && interval < kMost,
                message("the interval of DeepCache is {}", interval),
                message("choose 1 (every call is full) or more; 2 or 3 are usual"),
                other ? "cache_interval" : "interval");
    return static_cast<int>(interval);
}

int readDepth(const JsonReader& reader) {
    const auto branch = given(reader, "cache_branch_id");
    const auto layer = given(reader, "cache_layer_id");
    const auto block = given(reader, "cache_block_id");
    requireThat(layer.has_value() == block.has_value(),
                message("one of cache_layer_id and cache_block_id is given and the other is not"),
                message("give both, or the depth alone"),
                layer ? "cache_block_id" : "cache_layer_id");
    requireThat(!branch || !layer,
                message("both cache_branch_id and cache_layer_id set how deep the cache goes"),
                message("give one of them, or the depth alone"),
                "cache_branch_id");
    const int64_t own = reader.integer("depth").value_or(DeepCacheSettings().depth);
    requireThat(own >= 0 && own < kMost,
                message("the depth of DeepCache is {}", own),
                message("choose a number from 0 up"),
                "depth");
    const int64_t other = layer ? kCutsOfLevel * *layer + *block + 1 : branch.value_or(own);
    return static_cast<int>(other);
}

FullCalls readFullCalls(const JsonReader& reader) {
    const std::string name = reader.text("schedule").value_or("uniform");
    if (name == "power_centre") {
        return FullCalls::PowerCentre;
    }
    if (name == "mask") {
        return FullCalls::Mask;
    }
    requireThat(name == "uniform",
                message("DeepCache has no schedule \"{}\"", name),
                message("choose uniform, power_centre or mask"),
                "schedule");
    return FullCalls::Uniform;
}

std::vector<bool> readMask(const JsonReader& reader) {
    return readFullCalls(reader) == FullCalls::Mask
               ? parseStepMask(reader.text("mask").value_or(""))
               : std::vector<bool>();
}

double readFraction(const JsonReader& reader, const char* key, double missing) {
    const double fraction = reader.number(key).value_or(missing);
    requireThat(fraction >= 0 && fraction <= 1,
                message("the {} of DeepCache is {}", key, formatNumber(fraction)),
                message("choose a fraction of the steps from 0 to 1"),
                key);
    return fraction;
}

bool readStages(const JsonReader& reader) {
    const std::string name = reader.text("stages").value_or("calls");
    requireThat(name == "calls" || name == "first_full",
                message("DeepCache cannot treat solver stages as \"{}\"", name),
                message("choose calls or first_full"),
                "stages");
    return name == "first_full";
}

}  // namespace

DeepCacheSettings readDeepCache(const Json& settings) {
    const JsonReader reader(settings, "the settings of DeepCache");
    const DeepCacheSettings missing;
    DeepCacheSettings read{.interval = readInterval(reader),
                           .depth = readDepth(reader),
                           .spread = readFullCalls(reader),
                           .power = reader.number("power").value_or(missing.power),
                           .mask = readMask(reader),
                           .start = readFraction(reader, "start", missing.start),
                           .end = readFraction(reader, "end", missing.end),
                           .isFirstStageFull = readStages(reader)};
    const int64_t centre = reader.integer("centre").value_or(missing.centre);
    const int64_t keepLast = reader.integer("keep_last").value_or(missing.keepLast);
    requireThat(read.power > 1 && read.power <= 10,
                message("the power of DeepCache is {}", formatNumber(read.power)),
                message("choose a number above 1; 1.4 is usual"),
                "power");
    requireThat(centre >= 0 && centre < kMost,
                message("the centre of DeepCache is {}", centre),
                message("choose the number of a call"),
                "centre");
    requireThat(keepLast >= 0 && keepLast < kMost,
                message("DeepCache shall keep the last {} calls full", keepLast),
                message("choose a number from 0 up"),
                "keep_last");
    requireThat(read.start < read.end,
                message("DeepCache starts at {} and ends at {}",
                        formatNumber(read.start),
                        formatNumber(read.end)),
                message("let it end after it starts"),
                "end");
    read.centre = static_cast<int>(centre);
    read.keepLast = static_cast<int>(keepLast);
    return read;
}

namespace {

/// One tensor a slot: the feature map that enters the way up where a partial call begins.
class DeepCacheSession final : public InnerSession {
public:
    DeepCacheSession(std::vector<bool> isFull, int depth)
        : isFull_(std::move(isFull)), depth_(depth) {}

    [[nodiscard]] StepWork decide(const StepInfo& step) const override {
        return isFull_.at(static_cast<size_t>(step.taken)) ? StepWork::Full : StepWork::Partial;
    }

    [[nodiscard]] int depth() const override { return depth_; }

    void keep(const StepInfo& step, const at::Tensor&, const at::Tensor& value) override {
        kept_[step.slot] = value;
    }

    [[nodiscard]] at::Tensor value(const StepInfo& step, const at::Tensor&) const override {
        return kept_.at(step.slot);
    }

    void makeSpace(const CacheSlot& slot) override { kept_.erase(slot); }

    void forget(const CacheSlot& slot) override { kept_.erase(slot); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [slot, tensor] : kept_) {
            tensors.push_back(tensor);
        }
        return tensors;
    }

private:
    const std::vector<bool> isFull_;
    const int depth_;
    std::map<CacheSlot, at::Tensor> kept_;
};

/// Ma, Fang and Wang 2023 (arXiv 2312.00858); values: DeepCache 0.1.1, DeepCacheSDHelper.
class DeepCache final : public StepCache {
public:
    explicit DeepCache(DeepCacheSettings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] std::string label() const override {
        return "DeepCache, interval " + std::to_string(settings_.interval) + ", depth " +
               std::to_string(settings_.depth);
    }

    [[nodiscard]] memory::CacheNeed need() const override { return memory::CacheNeed::Cut; }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        checkNeed(*this, run.points);
        checkDepth(run.points);
        std::vector<bool> isFull = fullCalls(settings_, run);
        CacheSessions sessions;
        if (std::find(isFull.begin(), isFull.end(), false) != isFull.end()) {
            sessions.inner = std::make_unique<DeepCacheSession>(std::move(isFull), settings_.depth);
        }
        return sessions;
    }

private:
    void checkDepth(const CachePoints& points) const {
        if (settings_.depth > points.deepest) {
            throw Error(ErrorKind::InvalidInput,
                        message("the depth of DeepCache is {}, this denoiser goes down to {}",
                                settings_.depth,
                                points.deepest),
                        message("choose a depth from 0 to {}", points.deepest),
                        "depth");
        }
    }

    const DeepCacheSettings settings_;
};

}  // namespace

StepCacheType deepcache() {
    return {.name = "deepcache", .make = [](const Json& settings) {
                return std::make_shared<const DeepCache>(readDeepCache(settings));
            }};
}

}  // namespace lowtide::sampling
