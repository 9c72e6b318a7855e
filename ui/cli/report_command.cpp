#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/cli/commands.hpp"

#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr Bytes kLargestReport = 256 * kMiB;

void printRepetition(const Json& repetition) {
    for (const Json& node : repetition.at("nodes")) {
        std::printf("  %-16s %-18s %10.1f ms %12s peak\n",
                    node.at("node").get<std::string>().c_str(),
                    node.at("type").get<std::string>().c_str(),
                    node.at("ms").get<double>(),
                    formatBytes(node.at("peakBytes").get<Bytes>()).c_str());
    }
    for (const Json& node : repetition.at("cached")) {
        std::printf("  %-16s cached\n", node.get<std::string>().c_str());
    }
    std::printf("  %s moved to the device\n",
                formatBytes(repetition.at("bytesToDevice").get<Bytes>()).c_str());
}

void printDevice(const std::string& id, const Json& device) {
    std::printf("%s: %s held now, %s at most\n",
                id.c_str(),
                formatBytes(device.at("total").get<Bytes>()).c_str(),
                formatBytes(device.at("peak").get<Bytes>()).c_str());
    for (const auto& [tag, bytes] : device.at("peak_tags").items()) {
        std::printf("  %-12s %12s at most\n", tag.c_str(), formatBytes(bytes.get<Bytes>()).c_str());
    }
}

void printCollections(const Json& collections) {
    Bytes saved = 0;
    for (const Json& record : collections.at("records")) {
        saved += record.at("gc").at("saved").get<Bytes>();
    }
    std::printf(
        "collections: %zu at %d points, %d skipped, %s given back in %.3f s; best threshold "
        "%d %%\n",
        collections.at("records").size(),
        collections.at("points").get<int>(),
        collections.at("skipped").get<int>(),
        formatBytes(saved).c_str(),
        collections.at("seconds").get<double>(),
        collections.at("replay").at("best").get<int>());
}

}  // namespace

int printReport(const std::string& path) {
    const files::InputFile file(path);
    const Json report =
        parseJson(file.readAll(kLargestReport), file.name(), {.maxBytes = kLargestReport});
    try {
        std::printf("run %s, %.1f ms\n",
                    report.at("status").get<std::string>().c_str(),
                    report.at("ms").get<double>());
        int number = 1;
        for (const Json& repetition : report.at("repetitions")) {
            std::printf("repetition %d\n", number++);
            printRepetition(repetition);
        }
        for (const auto& [id, device] : report.at("repetitions").back().at("ledger").items()) {
            printDevice(id, device);
        }
        if (!report.at("collections").is_null()) {
            printCollections(report.at("collections"));
        }
        printIssues(report.at("issues"));
    } catch (const Json::exception&) {
        throw Error(ErrorKind::Corrupt,
                    file.name() + " is no report of this version",
                    "write one with: lowtide run GRAPH --report FILE.json");
    }
    return 0;
}

}  // namespace lowtide::cli
