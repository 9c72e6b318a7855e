#include "plugin/base/config_checks.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lowtide {

namespace {

constexpr size_t kLongestShownSetting = 60;  ///< bytes of a setting in a message

[[noreturn]] void refuseValue(const JsonReader& reader,
                              const char* key,
                              int64_t value,
                              const std::string& wanted) {
    throw Error(ErrorKind::Corrupt,
                reader.what() + ": " + key + " is " + std::to_string(value) + ", needs " + wanted,
                kGetConfigHint);
}

int64_t checked(
    const JsonReader& reader, const char* key, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most) {
        refuseValue(reader,
                    key,
                    value,
                    "a number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

/// A list of equal values counts as that value: only_cross_attention may be [false, false].
bool equals(const Json& value, const Json& only) {
    if (!value.is_array()) {
        return value == only;
    }
    for (const Json& entry : value) {
        if (entry != only) {
            return false;
        }
    }
    return true;
}

}  // namespace

void refuseOtherSettings(const Json& config,
                         const std::string& what,
                         std::span<const FixedSetting> settings) {
    for (const FixedSetting& setting : settings) {
        const auto value = config.find(setting.key);
        if (value != config.end() && !value->is_null() && !equals(*value, setting.only)) {
            throw Error(
                ErrorKind::Unsupported,
                what + ": " + setting.key + " is " +
                    value->dump(-1, ' ', true).substr(0, kLongestShownSetting) +
                    (setting.only.is_null() ? ", which is not built"
                                            : ", only " + setting.only.dump() + " is built"),
                "choose another checkpoint");
        }
    }
}

int64_t integerInRange(
    const JsonReader& reader, const char* key, int64_t otherwise, int64_t least, int64_t most) {
    return checked(reader, key, reader.integer(key).value_or(otherwise), least, most);
}

std::vector<int64_t> integersInRange(const JsonReader& reader,
                                     const char* key,
                                     int64_t otherwise,
                                     size_t count,
                                     int64_t least,
                                     int64_t most) {
    std::vector<int64_t> values = reader.integers(key).value_or(std::vector<int64_t>{otherwise});
    if (values.size() == 1) {
        values.resize(count, values.front());
    }
    if (values.size() != count) {
        refuseValue(reader,
                    key,
                    static_cast<int64_t>(values.size()),
                    std::to_string(count) + " entries, one for each block");
    }
    for (const int64_t value : values) {
        checked(reader, key, value, least, most);
    }
    return values;
}

void requireDivisible(const JsonReader& reader, const char* key, int64_t number, int64_t divisor) {
    if (number % divisor != 0) {
        refuseValue(reader, key, divisor, "a divisor of " + std::to_string(number));
    }
}

void refuseConfig(const JsonReader& reader, const std::string& problem) {
    throw Error(
        ErrorKind::Unsupported, reader.what() + ": " + problem, "choose another checkpoint");
}

double numberAboveZero(const JsonReader& reader, const char* key, double otherwise) {
    const double number = reader.number(key).value_or(otherwise);
    if (!std::isfinite(number) || number <= 0) {
        throw Error(
            ErrorKind::Corrupt,
            reader.what() + ": " + key + " is " + formatNumber(number) + ", needs a number above 0",
            kGetConfigHint);
    }
    return number;
}

std::array<int64_t, 3> headAxes(const JsonReader& reader,
                                const char* key,
                                const std::array<int64_t, 3>& otherwise,
                                int64_t headWidth,
                                const std::string& made) {
    std::array<int64_t, 3> axes = otherwise;
    if (reader.has(key)) {
        const std::vector<int64_t> stated =
            integersInRange(reader, key, 2, axes.size(), 2, kMostChannels);
        std::copy(stated.begin(), stated.end(), axes.begin());
    }
    const bool areEven =
        std::all_of(axes.begin(), axes.end(), [](int64_t n) { return n % 2 == 0; });
    if (!areEven || std::accumulate(axes.begin(), axes.end(), int64_t{0}) != headWidth) {
        refuseConfig(reader,
                     std::string(key) + " are " + toText(axes) + ", only even ones that make " +
                         made + " are built");
    }
    return axes;
}

void requireClass(const JsonReader& reader, const std::string& expected) {
    const std::string seen = reader.text("_class_name").value_or(expected);
    if (seen != expected) {
        refuseConfig(reader,
                     "the class is " + quotedName(seen) + ", only " + expected + " is built");
    }
}

}  // namespace lowtide
