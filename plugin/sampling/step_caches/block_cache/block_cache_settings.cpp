#include "plugin/sampling/step_caches/block_cache/block_cache_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/mask_gate.hpp"
#include "plugin/sampling/step_caches/gates/setting_check.hpp"
#include "plugin/sampling/step_caches/gates/setting_reader.hpp"

#include <limits>

namespace lowtide::sampling {

namespace {

/// Errors blame the parameter, whatever of the file is wrong.
MagCurve readCurve(const SettingReader& reader) {
    try {
        return parseMagCurve(reader.text("curve"), reader.text("curve_name"));
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), "curve");
    }
}

MagSettings readMag(const SettingReader& reader, const ReuseLimits& limits) {
    const MagSettings mag{.threshold = reader.number("curve_threshold"),
                          .mostSkips = limits.mostInARow.value_or(std::numeric_limits<int>::max()),
                          .keptShare = reader.number("kept_share")};
    checkSetting("curve_threshold", mag.threshold, 0);
    return mag;
}

}  // namespace

BlockCacheSettings readBlockCache(const Json& settings) {
    const SettingReader reader(settings, "the settings of the block cache");
    BlockCacheSettings read{.gate = reader.choice("gate", {"first_block", "mag", "mask"}),
                            .threshold = reader.number("threshold"),
                            .mask = {},
                            .predictor = reader.choice("predictor", {"reuse", "taylor"}),
                            .limits = reader.limits()};
    if (read.gate == "mag") {
        read.curve = readCurve(reader);
        read.mag = readMag(reader, read.limits);
    }
    if (read.gate == "mask") {
        const std::string file = reader.text("mask_file");
        read.mask =
            parseStepMask(file.empty() ? reader.text("mask")
                                       : stepMaskTextIn(file, reader.text("mask_file_name")));
    }
    return read;
}

}  // namespace lowtide::sampling
