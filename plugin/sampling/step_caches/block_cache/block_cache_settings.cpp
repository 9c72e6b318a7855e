#include "plugin/sampling/step_caches/block_cache/block_cache_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/mask_gate.hpp"
#include "plugin/sampling/step_caches/gates/setting_check.hpp"
#include "plugin/sampling/step_caches/gates/setting_reader.hpp"

#include <limits>

namespace lowtide::sampling {

namespace {

/// Errors blame the parameter, whatever of its file is wrong.
template <class Read>
auto blamingFile(const char* item, const Read& read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), item);
    }
}

MagCurve readCurve(const SettingReader& reader) {
    return blamingFile(
        "curve", [&] { return parseMagCurve(reader.text("curve"), reader.text("curve_name")); });
}

/// As typed, or of a file in its place.
std::vector<bool> readBlockMask(const SettingReader& reader) {
    const std::string file = reader.text("mask_file");
    return file.empty() ? parseStepMask(reader.text("mask")) : blamingFile("mask_file", [&] {
        return parseStepMask(stepMaskTextIn(file, reader.text("mask_file_name")));
    });
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
        read.mask = readBlockMask(reader);
    }
    return read;
}

}  // namespace lowtide::sampling
