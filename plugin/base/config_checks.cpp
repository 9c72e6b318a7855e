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
                              const Message& wanted) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {} is {}, needs {}", reader.what(), key, value, wanted),
                kGetConfigHint);
}

int64_t checked(
    const JsonReader& reader, const char* key, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most) {
        refuseValue(reader, key, value, message("a number from {} to {}", least, most));
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
            const std::string stated = value->dump(-1, ' ', true).substr(0, kLongestShownSetting);
            throw Error(ErrorKind::Unsupported,
                        setting.only.is_null()
                            ? message("{}: {} is {}, which is not built", what, setting.key, stated)
                            : message("{}: {} is {}, only {} is built",
                                      what,
                                      setting.key,
                                      stated,
                                      setting.only.dump()),
                        message("choose another checkpoint"));
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
                    message("{} entries, one for each block", count));
    }
    for (const int64_t value : values) {
        checked(reader, key, value, least, most);
    }
    return values;
}

void requireDivisible(const JsonReader& reader, const char* key, int64_t number, int64_t divisor) {
    if (number % divisor != 0) {
        refuseValue(reader, key, divisor, message("a divisor of {}", number));
    }
}

void refuseConfig(const JsonReader& reader, const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                message("{}: {}", reader.what(), problem),
                message("choose another checkpoint"));
}

double numberAboveZero(const JsonReader& reader, const char* key, double otherwise) {
    const double number = reader.number(key).value_or(otherwise);
    if (!std::isfinite(number) || number <= 0) {
        throw Error(
            ErrorKind::Corrupt,
            message(
                "{}: {} is {}, needs a number above 0", reader.what(), key, formatNumber(number)),
            kGetConfigHint);
    }
    return number;
}

std::array<int64_t, 3> headAxes(const JsonReader& reader,
                                const char* key,
                                const std::array<int64_t, 3>& otherwise,
                                int64_t headWidth,
                                const Message& made) {
    std::array<int64_t, 3> axes = otherwise;
    if (reader.has(key)) {
        const std::vector<int64_t> stated =
            integersInRange(reader, key, 2, axes.size(), 2, kMostChannels);
        std::copy(stated.begin(), stated.end(), axes.begin());
    }
    const bool areEven =
        std::all_of(axes.begin(), axes.end(), [](int64_t n) { return n % 2 == 0; });
    if (!areEven || std::accumulate(axes.begin(), axes.end(), int64_t{0}) != headWidth) {
        refuseConfig(
            reader,
            message("{} are {}, only even ones that make {} are built", key, toText(axes), made));
    }
    return axes;
}

void requireClass(const JsonReader& reader, const std::string& expected) {
    const std::string seen = reader.text("_class_name").value_or(expected);
    if (seen != expected) {
        refuseConfig(reader,
                     message("the class is {}, only {} is built", quotedName(seen), expected));
    }
}

}  // namespace lowtide
