#include "plugin/sampling/step_caches/deepcache/deepcache_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/mask_gate.hpp"

#include <optional>

namespace lowtide::sampling {

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
                std::string("the ") + key + " of DeepCache is " + std::to_string(*value),
                "choose a number from 0 up, or -1: not given",
                key);
    return value;
}

int readInterval(const JsonReader& reader) {
    const auto own = reader.integer("interval");
    const auto other = given(reader, "cache_interval");
    const int64_t interval = other.value_or(own.value_or(DeepCacheSettings().interval));
    requireThat(interval >= 1 && interval < kMost,
                "the interval of DeepCache is " + std::to_string(interval),
                "choose 1 (every call is full) or more; 2 or 3 are usual",
                other ? "cache_interval" : "interval");
    return static_cast<int>(interval);
}

int readDepth(const JsonReader& reader) {
    const auto branch = given(reader, "cache_branch_id");
    const auto layer = given(reader, "cache_layer_id");
    const auto block = given(reader, "cache_block_id");
    requireThat(layer.has_value() == block.has_value(),
                "one of cache_layer_id and cache_block_id is given and the other is not",
                "give both, or the depth alone",
                layer ? "cache_block_id" : "cache_layer_id");
    requireThat(!branch || !layer,
                "both cache_branch_id and cache_layer_id say how deep the cache goes",
                "give one of them, or the depth alone",
                "cache_branch_id");
    const int64_t own = reader.integer("depth").value_or(DeepCacheSettings().depth);
    requireThat(own >= 0 && own < kMost,
                "the depth of DeepCache is " + std::to_string(own),
                "choose a number from 0 up",
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
                "DeepCache has no schedule \"" + name + "\"",
                "choose uniform, power_centre or mask",
                "schedule");
    return FullCalls::Uniform;
}

std::vector<bool> readMask(const JsonReader& reader) {
    return readFullCalls(reader) == FullCalls::Mask
               ? parseStepMask(reader.text("mask").value_or(""))
               : std::vector<bool>();
}

double readShare(const JsonReader& reader, const char* key, double missing) {
    const double share = reader.number(key).value_or(missing);
    requireThat(share >= 0 && share <= 1,
                std::string("the ") + key + " of DeepCache is " + formatNumber(share),
                "choose a share of the steps from 0 to 1",
                key);
    return share;
}

bool readStages(const JsonReader& reader) {
    const std::string name = reader.text("stages").value_or("calls");
    requireThat(name == "calls" || name == "first_full",
                "DeepCache cannot treat solver stages as \"" + name + "\"",
                "choose calls or first_full",
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
                           .start = readShare(reader, "start", missing.start),
                           .end = readShare(reader, "end", missing.end),
                           .isFirstStageFull = readStages(reader)};
    const int64_t centre = reader.integer("centre").value_or(missing.centre);
    const int64_t keepLast = reader.integer("keep_last").value_or(missing.keepLast);
    requireThat(read.power > 1 && read.power <= 10,
                "the power of DeepCache is " + formatNumber(read.power),
                "choose a number above 1; 1.4 is usual",
                "power");
    requireThat(centre >= 0 && centre < kMost,
                "the centre of DeepCache is " + std::to_string(centre),
                "choose the number of a call",
                "centre");
    requireThat(keepLast >= 0 && keepLast < kMost,
                "DeepCache shall keep the last " + std::to_string(keepLast) + " calls full",
                "choose a number from 0 up",
                "keep_last");
    requireThat(read.start < read.end,
                "DeepCache starts at " + formatNumber(read.start) + " and ends at " +
                    formatNumber(read.end),
                "let it end after it starts",
                "end");
    read.centre = static_cast<int>(centre);
    read.keepLast = static_cast<int>(keepLast);
    return read;
}

}  // namespace lowtide::sampling
