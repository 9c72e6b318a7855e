#include "cli/commands.hpp"
#include "cli/printed_text.hpp"
#include "cli/start_module.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <array>
#include <cstdio>

namespace lowtide::cli {

namespace {

/// A line of the table: a speed, its unit, and the speed that holds for it where it is 0.
struct Line {
    const char* key;
    const char* text;
    double unit;
    const char* unitName;
    const char* otherwise;
};

constexpr std::array<Line, 7> kLines = {{
    {"copy_bytes_per_second", "copies", 1e9, "GB/s", nullptr},
    {"converted_bytes_per_second", "copies that convert", 1e9, "GB/s", "copy_bytes_per_second"},
    {"mapped_bytes_per_second", "mapped weights", 1e9, "GB/s", "copy_bytes_per_second"},
    {"pinned_bytes_per_second", "pinned copies", 1e9, "GB/s", "copy_bytes_per_second"},
    {"copy_overhead_seconds", "each copy", 1e-6, "us", nullptr},
    {"flops_per_second", "products", 1e9, "GFLOP/s", nullptr},
    {"leaf_overhead_seconds", "each layer", 1e-6, "us", nullptr},
}};

void printSpeeds(const Json& result) {
    std::printf("%-20s %14s %14s\n", "", "measured", "estimate");
    for (const Line& line : kLines) {
        const double measured = result.at("measured").at(line.key).get<double>();
        double estimate = result.at("estimated").at(line.key).get<double>();
        if (estimate == 0 && line.otherwise) {
            estimate = result.at("estimated").at(line.otherwise).get<double>();
        }
        if (measured == 0 && line.otherwise) {
            continue;  // this device has no such way
        }
        std::printf("%-20s %14.1f %14.1f %s, %.2f times the estimate\n",
                    line.text,
                    measured / line.unit,
                    estimate / line.unit,
                    line.unitName,
                    measured / estimate);
    }
}

}  // namespace

Status calibrateDevice(const std::string& device, int threads, bool json) {
    const Json request = device.empty() ? Json::object() : Json{{"device", device}};
    const Json result =
        resultOf(call(loader::startPlugin({.threads = threads}), "calibrate", request));
    if (json) {
        printJson(result);
        return Status::Ok;
    }
    std::printf("%s: %s, %s\n\n",
                memberText(result, "device").c_str(),
                memberText(result, "name").c_str(),
                memberText(result, "numerics").c_str());
    printSpeeds(result);
    if (result.at("stored").get<bool>()) {
        std::printf("\nstored: plans for %s now say \"times measured on %s\"\n",
                    memberText(result, "device").c_str(),
                    memberText(result, "measured_on").c_str());
    }
    for (const Json& note : result.at("notes")) {
        std::printf("\n%s\n", note.get<std::string>().c_str());
    }
    return Status::Ok;
}

}  // namespace lowtide::cli
