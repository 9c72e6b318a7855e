#include "cli/sensitivity_table.hpp"

#include "cli/aligned.hpp"
#include "cli/member_text.hpp"
#include "plugin/base/text.hpp"

#include <array>
#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr size_t kShownDigits = 10;
/// The columns before stand at the left.
constexpr size_t kFirstErrorColumn = 2;

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
        rows.push_back({memberText(row, "setting"),
                        memberText(row, "types"),
                        errorText(row.at("error")),
                        errorText(row.at("worst")),
                        memberText(row, "class"),
                        row.at("is_new").get<bool>() ? "now" : memberText(row, "measured_on")});
    }
    std::string table = "the network of " + memberText(found, "node") + ", weights " +
                        memberText(found, "weights").substr(0, kShownDigits) + "\n\n" +
                        aligned(rows, kFirstErrorColumn) +
                        "\nerror: relative L2 of what the network predicts, mean of all calls, "
                        "each on the exact run's own latents; worst: of one call; sensitive from " +
                        formatNumber(found.at("sensitive_from").get<double>()) + "\n";
    for (const Json& refused : found.at("refused")) {
        table += memberText(refused, "setting") + ": not possible here, " +
                 memberText(refused, "reason") + "\n";
    }
    return table;
}

}  // namespace lowtide::cli
