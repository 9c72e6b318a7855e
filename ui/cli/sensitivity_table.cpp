#include "ui/cli/sensitivity_table.hpp"

#include "plugin/base/text.hpp"
#include "ui/cli/aligned.hpp"

#include <array>
#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr size_t kShownDigits = 10;
/// The columns before stand at the left.
constexpr size_t kFirstNumber = 2;

std::string text(const Json& json, const char* key) {
    return json.at(key).get<std::string>();
}

/// Two digits; null was not finite.
std::string errorText(const Json& error) {
    if (error.is_null()) {
        return "not finite";
    }
    std::array<char, 32> digits{};
    static_cast<void>(std::snprintf(digits.data(), digits.size(), "%.2g", error.get<double>()));
    return digits.data();
}

}  // namespace

std::string sensitivityTable(const Json& found) {
    std::vector<Cells> rows = {{"choice", "types", "error", "worst", "", "measured"}};
    for (const Json& row : found.at("sensitivities")) {
        rows.push_back({text(row, "setting"),
                        text(row, "types"),
                        errorText(row.at("error")),
                        errorText(row.at("worst")),
                        text(row, "class"),
                        row.at("is_new").get<bool>() ? "now" : text(row, "measured_on")});
    }
    std::string table = "the network of " + text(found, "node") + ", weights " +
                        text(found, "weights").substr(0, kShownDigits) + "\n\n" +
                        aligned(rows, kFirstNumber) +
                        "\nerror: relative L2 of what the network predicts, mean of all calls, "
                        "each on the exact run's own latents; worst: of one call; sensitive from " +
                        formatNumber(found.at("sensitive_from").get<double>()) + "\n";
    for (const Json& refused : found.at("refused")) {
        table +=
            text(refused, "setting") + ": not possible here, " + text(refused, "reason") + "\n";
    }
    return table;
}

}  // namespace lowtide::cli
