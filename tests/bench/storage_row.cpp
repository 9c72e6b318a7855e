#include "tests/bench/storage_row.hpp"

#include "plugin/base/json.hpp"
#include "tests/bench/median.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::testing {

namespace {

/// What the disk gave from the beginning of a node's second repetition to the end; 0 without one.
qint64 fromDiskSince(const WatchedProgram& run, const char* node) {
    for (const TimedLine& line : run.lines) {
        const Json event = Json::parse(line.text.toStdString(), nullptr, false);
        if (event.is_object() && event.value("event", "") == "nodeStarted" &&
            event.at("node") == node && event.at("repetition") == 2) {
            return run.samples.back().fromDisk - line.fromDisk;
        }
    }
    return 0;
}

const Json* findNamed(const Json& list, const char* key, const char* name) {
    const auto found = std::find_if(
        list.begin(), list.end(), [&](const Json& each) { return each.at(key) == name; });
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

StorageRow::StorageRow(const WatchedProgram& run, const QByteArray& report)
    : steps(ourSteps(run)),
      peakResident(run.peakResident),
      peakPrivate(run.peakResidentPrivate),
      peakFiles(run.peakResidentFiles) {
    if (run.exitCode != 0) {
        problem = run.errors.isEmpty() ? "it crashed" : run.errors;
        return;
    }
    const Json written = Json::parse(report.toStdString());
    const Json& plan = written.at("plan");
    const Json& last = written.at("repetitions").back();
    predicted = findNamed(plan.at("devices"), "device", "cpu")->at("peak").get<Bytes>();
    measured = last.at("ledger").at("cpu").at("peak").get<Bytes>();
    read = last.at("traffic").at("bytesRead").get<Bytes>();
    fromDiskAgain = fromDiskSince(run, "load");
    ofDenoiserAgain = fromDiskSince(run, "denoise");
    if (const Json* stage = findNamed(plan.at("stages"), "node", "denoise")) {
        needed = stage->at("needed").get<Bytes>();
    }
    if (const Json* residency = findNamed(plan.at("stays"), "role", "denoiser")) {
        streamed = residency->at("streamed_bytes_per_pass").get<Bytes>();
        ringBuffer = residency->at("ring_bytes").get<Bytes>();
    }
}

std::vector<Spent> StorageRow::laterSteps() const {
    std::vector<Spent> later;
    for (const DenoiseSteps& each : steps) {
        later.insert(later.end(), each.later.begin(), each.later.end());
    }
    return later;
}

double StorageRow::predictionError() const {
    return std::abs(static_cast<double>(predicted - measured)) / static_cast<double>(measured);
}

QString StorageRow::text() const {
    const auto mebibytes = [](Bytes bytes) { return static_cast<double>(bytes) / kMiB; };
    return QString(
               "step %1 s (%2 CPU s), first %3 s, resident %4 MiB (private %5, files %6), peak "
               "%7 MiB, predicted %8 MiB, streams %9 MiB a forward, read %10 of %11 MiB")
        .arg(median(clockSecondsOf(laterSteps())), 0, 'f', 2)
        .arg(median(cpuSecondsOf(laterSteps())), 0, 'f', 2)
        .arg(steps.at(0).first.seconds, 0, 'f', 2)
        .arg(peakResident / kMiB)
        .arg(peakPrivate / kMiB)
        .arg(peakFiles / kMiB)
        .arg(mebibytes(measured), 0, 'f', 1)
        .arg(mebibytes(predicted), 0, 'f', 1)
        .arg(mebibytes(streamed), 0, 'f', 1)
        .arg(mebibytes(read), 0, 'f', 1)
        .arg(mebibytes(needed), 0, 'f', 1);
}

Json StorageRow::toJson() const {
    return {{"first_seconds", steps.at(0).first.seconds},
            {"seconds", clockSecondsOf(laterSteps())},
            {"cpu_seconds", cpuSecondsOf(laterSteps())},
            {"peak_resident", peakResident},
            {"peak_private", peakPrivate},
            {"peak_files", peakFiles},
            {"predicted_peak", predicted},
            {"measured_peak", measured},
            {"streamed_per_pass", streamed},
            {"read", read},
            {"needed", needed},
            {"from_disk_again", fromDiskAgain},
            {"of_denoiser_again", ofDenoiserAgain}};
}

}  // namespace lowtide::testing
