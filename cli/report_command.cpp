#include "cli/commands.hpp"
#include "cli/printed_text.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"

#include <cstdio>
#include <utility>

namespace lowtide::cli {

namespace {

constexpr Bytes kLargestReport = 256 * kMiB;

/// The stage of a node, in a plan or in measured traffic; null where there is none.
Json stageOf(const Json& stages, const std::string& node) {
    for (const Json& stage : stages.value("stages", Json::array())) {
        if (stage.at("node") == node) {
            return stage;
        }
    }
    return {};
}

/// Bytes that one pass of an access pattern moved, on average; empty where it has none.
std::string movedByOne(const Json& stage, int pattern) {
    for (const Json& each : stage.is_null() ? Json::array() : stage.at("patterns")) {
        const Bytes forwards = each.at("passes").get<Bytes>();
        if (each.at("pattern") == pattern && forwards > 0) {
            return formatBytes(each.at("moved").get<Bytes>() / forwards);
        }
    }
    return {};
}

/// What the plan gave a node on the device where it computed; empty where there is no such plan.
std::string predictedPeak(const Json& planned, const std::string& device) {
    const Json devices = planned.is_null() ? Json::object() : planned.at("devices");
    return devices.contains(device) ? memberBytes(devices.at(device), "total") : std::string();
}

std::string milliseconds(const Json& seconds) {
    return formatted("%.1f ms", 1000 * seconds.get<double>());
}

/// Prints how long each copy queue of a stage worked; words instead of figures where it has none.
void printCopyTimes(const Json& stage, const Json& planned) {
    const std::string node = memberText(stage, "node");
    const Json& timesByDevice = stage.at("lanes");
    if (timesByDevice.empty()) {
        std::printf("  %-16s %11s  copies: not applicable, nothing is copied to its device\n",
                    node.c_str(),
                    milliseconds(stage.at("compute")).c_str());
        return;
    }
    for (const auto& [device, times] : timesByDevice.items()) {
        std::printf("  %-16s %11s %11s %11s %11s %8.1f %% %11s %11s %6lld  %s\n",
                    node.c_str(),
                    milliseconds(stage.at("compute")).c_str(),
                    milliseconds(times.at("copy")).c_str(),
                    milliseconds(times.at("wait")).c_str(),
                    milliseconds(stage.at("bound")).c_str(),
                    100 * stage.at("efficiency").get<double>(),
                    memberBytes(stage, "moved").c_str(),
                    planned.is_null() ? "" : memberBytes(planned, "needed").c_str(),
                    static_cast<long long>(stage.at("misses").get<int64_t>()),
                    device.c_str());
    }
}

/// Of the stages that run networks.
void printStageCopyTimes(const Json& stages, const Json& plan) {
    std::printf(
        "  copy queues of       compute      copies      waited       bound   of bound "
        "      moved      needed   late  device\n");
    for (const Json& stage : stages) {
        const Json planned = stageOf(plan, memberText(stage, "node"));
        const bool hasNetworks = !planned.is_null() && planned.at("has_networks").get<bool>();
        if (hasNetworks || !stage.at("lanes").empty()) {
            printCopyTimes(stage, planned);
        }
    }
}

void printNodes(const Json& repetition, const Json& plan) {
    std::printf(
        "  node             type                        time     predicted           peak "
        "     predicted\n");
    for (const Json& node : repetition.at("nodes")) {
        const std::string id = memberText(node, "node");
        const Json planned = stageOf(plan, id);
        std::printf("  %-16s %-18s %10.1f ms %13s %14s %14s\n",
                    id.c_str(),
                    memberText(node, "type").c_str(),
                    node.at("ms").get<double>(),
                    planned.is_null() ? "" : milliseconds(planned.at("seconds")).c_str(),
                    memberBytes(node, "peakBytes").c_str(),
                    predictedPeak(planned, memberText(node, "device")).c_str());
    }
    for (const Json& node : repetition.at("cached")) {
        std::printf("  %-16s cached\n", node.get<std::string>().c_str());
    }
}

/// Of denoisers: steps by kind, and what one evaluation of the network moves in each kind.
void printSteps(const Json& repetition, const Json& plan) {
    bool isFirst = true;
    for (const Json& node : repetition.at("nodes")) {
        if (!node.contains("steps")) {
            continue;
        }
        if (std::exchange(isFirst, false)) {
            std::printf(
                "  steps of           full  partial  predicted  moved by full     planned "
                "    by partial     planned       cache\n");
        }
        const std::string id = memberText(node, "node");
        const Json& steps = node.at("steps");
        const Json measured = stageOf(repetition.at("traffic"), id);
        const Json planned = stageOf(plan, id);
        std::printf("  %-16s %6lld %8lld %10lld %14s %11s %14s %11s %11s\n",
                    id.c_str(),
                    static_cast<long long>(steps.at("full").get<int64_t>()),
                    static_cast<long long>(steps.at("partial").get<int64_t>()),
                    static_cast<long long>(steps.at("predicted").get<int64_t>()),
                    movedByOne(measured, 0).c_str(),
                    movedByOne(planned, 0).c_str(),
                    movedByOne(measured, 1).c_str(),
                    movedByOne(planned, 1).c_str(),
                    memberBytes(steps, "bytes").c_str());
    }
}

void printRepetition(const Json& repetition, const Json& plan) {
    printNodes(repetition, plan);
    printSteps(repetition, plan);
    const Json& traffic = repetition.at("traffic");
    printStageCopyTimes(traffic.at("stages"), plan);
    const Json devices = plan.value("devices", Json::array());
    if (!devices.empty() && devices.front().value("rehearsal", false)) {
        std::printf(
            "  predicted times are those of the simulated GPU, measured ones of this "
            "machine\n");
    } else if (!devices.empty() && devices.front().at("estimated").get<bool>()) {
        std::printf("  predicted times are estimates: the device was not measured\n");
    }
    Bytes planned = 0;
    for (const Json& stage : plan.value("stages", Json::array())) {
        planned += stage.at("moved").get<Bytes>();
    }
    std::printf("  %s of weights moved to devices, %s planned; %lld copies, %lld came late\n",
                memberBytes(repetition, "bytesToDevice").c_str(),
                formatBytes(planned).c_str(),
                static_cast<long long>(traffic.at("copies").get<int64_t>()),
                static_cast<long long>(traffic.at("misses").get<int64_t>()));
}

void printDevice(const std::string& id, const Json& device) {
    std::printf("%s: %s held now, %s at most\n",
                id.c_str(),
                memberBytes(device, "total").c_str(),
                memberBytes(device, "peak").c_str());
    for (const auto& [tag, bytes] : device.at("peak_tags").items()) {
        std::printf("  %-12s %12s at most\n", tag.c_str(), formatBytes(bytes.get<Bytes>()).c_str());
    }
}

void printCollections(const Json& collections) {
    Bytes saved = 0;
    for (const Json& record : collections.at("records")) {
        saved += record.at("gc").at("saved").get<Bytes>();
    }
    std::printf("collections: %zu at %d points, %d skipped, %s given back in %.3f s\n",
                collections.at("records").size(),
                collections.at("points").get<int>(),
                collections.at("skipped").get<int>(),
                formatBytes(saved).c_str(),
                collections.at("seconds").get<double>());
}

}  // namespace

Status printReport(const std::string& path) {
    const files::InputFile file(path);
    const Json report =
        parseJson(file.readAll(kLargestReport), file.name(), {.maxBytes = kLargestReport});
    try {
        std::printf("run %s, %.1f ms\n",
                    memberText(report, "status").c_str(),
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
                    message("{} is no report of this version", file.name()),
                    message("write one with: lowtide run GRAPH --report FILE.json"));
    }
    return Status::Ok;
}

}  // namespace lowtide::cli
