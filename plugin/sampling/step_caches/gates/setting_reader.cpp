#include "plugin/sampling/step_caches/gates/setting_reader.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/setting_check.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::sampling {

namespace {

constexpr double kMostSteps = 10'000;

[[noreturn]] void refuseMissing(const std::string& what, const char* key) {
    throw Error(ErrorKind::InvalidInput,
                what + ": " + key + " is missing",
                "set it on the step cache's node",
                key);
}

}  // namespace

std::string SettingReader::text(const char* key) const {
    auto value = reader_.text(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    return *std::move(value);
}

std::string SettingReader::choice(const char* key,
                                  std::initializer_list<const char*> choices) const {
    const std::vector<std::string> known(choices.begin(), choices.end());
    std::string value = text(key);
    if (std::find(known.begin(), known.end(), value) == known.end()) {
        throw Error(ErrorKind::InvalidInput,
                    std::string(key) + " of a step cache is " + quotedName(value),
                    "choose " + join(known, ", "),
                    key);
    }
    return value;
}

double SettingReader::number(const char* key) const {
    const auto value = reader_.number(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    return *value;
}

int SettingReader::count(const char* key) const {
    const auto value = reader_.integer(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    checkSetting(key, static_cast<double>(*value), 0, kMostSteps);
    return static_cast<int>(*value);
}

ReuseLimits SettingReader::limits() const {
    const int mostInARow = count("max_consecutive");
    ReuseLimits limits{.warmUp = count("warm_up"), .keepLast = count("keep_last")};
    if (mostInARow > 0) {
        limits.mostInARow = mostInARow;
    }
    return limits;
}

}  // namespace lowtide::sampling
