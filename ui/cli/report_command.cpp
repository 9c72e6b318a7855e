#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/cli/commands.hpp"

#include <algorithm>
#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr Bytes kLargestReport = 256 * kMiB;

/// The most that the plan gave a node on any device; empty where there was no plan.
std::string predictedPeak(const Json& plan, const std::string& node) {
    for (const Json& stage : plan.value("stages", Json::array())) {
        Bytes most = 0;
        for (const auto& [device, own] : stage.at("devices").items()) {
            most = std::max(most, own.at("total").get<Bytes>());
        }
        if (stage.at("node") == node) {
            return formatBytes(most);
        }
    }
    return {};
}

void printRepetition(const Json& repetition, const Json& plan) {
    std::printf("  %-16s %-18s %13s %14s %14s\n",
                "node",
                "type",
                "time",
                "predicted peak",
                "measured peak");
    for (const Json& node : repetition.at("nodes")) {
        const auto id = node.at("node").get<std::string>();
        std::printf("  %-16s %-18s %10.1f ms %14s %14s\n",
                    id.c_str(),
                    node.at("type").get<std::string>().c_str(),
                    node.at("ms").get<double>(),
                    predictedPeak(plan, id).c_str(),
                    formatBytes(node.at("peakBytes").get<Bytes>()).c_str());
    }
    for (const Json& node : repetition.at("cached")) {
        std::printf("  %-16s cached\n", node.get<std::string>().c_str());
    }
    Bytes planned = 0;
    for (const Json& stage : plan.value("stages", Json::array())) {
        planned += stage.at("moved").get<Bytes>();
    }
    const Json& traffic = repetition.at("traffic");
    std::printf("  %s of weights moved to devices, %s planned; %lld copies, %lld came late\n",
                formatBytes(repetition.at("bytesToDevice").get<Bytes>()).c_str(),
                formatBytes(planned).c_str(),
                static_cast<long long>(traffic.at("copies").get<int64_t>()),
                static_cast<long long>(traffic.at("misses").get<int64_t>()));
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
            printRepetition(repetition,
                            report.at("plan").is_null() ? Json::object() : report.at("plan"));
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
