#include "plugin/sampling/step_caches/block_cache/block_cache_settings.hpp"

#include "plugin/sampling/step_caches/gates/mask_gate.hpp"
#include "plugin/sampling/step_caches/gates/setting_reader.hpp"

namespace lowtide::sampling {

BlockCacheSettings readBlockCache(const Json& settings) {
    const SettingReader reader(settings, "the settings of the block cache");
    BlockCacheSettings read{.gate = reader.choice("gate", {"first_block", "mask"}),
                            .threshold = reader.number("threshold"),
                            .mask = {},
                            .predictor = reader.choice("predictor", {"reuse", "taylor"}),
                            .limits = reader.limits()};
    if (read.gate == "mask") {
        read.mask = parseStepMask(reader.text("mask"));
    }
    return read;
}

}  // namespace lowtide::sampling
