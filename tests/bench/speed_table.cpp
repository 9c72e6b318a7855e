#include "tests/bench/speed_table.hpp"

#include "plugin/base/units.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/table_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace lowtide::testing {

namespace {

void addWhole(StageCosts& costs, const WatchedProgram& run) {
    costs["whole"].add(run, {}, run.lines.back());
}

const StageCost& costIn(const StageCosts& costs, const std::string& stage) {
    static const StageCost none;
    const auto found = costs.find(stage);
    return found == costs.end() ? none : found->second;
}

Json toJson(const StageCost& cost, double fractionOfPeak) {
    return {{"cpu_seconds", cost.cpuSeconds},
            {"seconds", cost.seconds},
            {"more_bytes", cost.moreBytes},
            {"share_of_peak", fractionOfPeak}};
}

}  // namespace

void StageCost::add(const WatchedProgram& run, const TimedLine& begin, const TimedLine& end) {
    cpuSeconds.push_back(end.cpuSeconds - begin.cpuSeconds);
    seconds.push_back(end.seconds - begin.seconds);
    qint64 most = begin.resident;
    for (const TimedLine& sample : run.samples) {
        const bool isWithin = sample.seconds >= begin.seconds && sample.seconds <= end.seconds;
        most = std::max(most, isWithin ? sample.resident : 0);
    }
    moreBytes.push_back(static_cast<double>(most - begin.resident));
}

void addPeerCosts(StageCosts& costs, const WatchedProgram& run) {
    std::map<std::string, TimedLine> begins;
    int steps = 0;
    for (const TimedLine& line : run.lines) {
        const QList<QByteArray> words = line.text.split(' ');
        const std::string stage = words.value(0).toStdString();
        if (words.value(1) == "begin") {
            begins[stage] = line;
        } else if (words.value(1) == "end" && (stage != "step" || ++steps > 1)) {
            // Loading counts from the start of the program: imports are a part of it.
            costs[stage].add(run, stage == "load" ? TimedLine() : begins[stage], line);
        }
    }
    addWhole(costs, run);
}

void addOurCosts(StageCosts& costs, const WatchedProgram& run) {
    std::map<std::string, TimedLine> begins;
    double steps = 0;
    for (const TimedLine& line : run.lines) {
        const Json event = Json::parse(line.text.toStdString(), nullptr, false);
        if (!event.is_object() || !event.contains("node")) {
            continue;
        }
        const auto node = event.at("node").get<std::string>();
        const auto what = event.at("event").get<std::string>();
        if (what == "nodeStarted") {
            begins[node] = line;
            if (node == "encode") {
                costs["load"].add(run, {}, line);
            }
        } else if (what == "nodeFinished" && node == "load") {
            costs["map"].add(run, begins["load"], line);
            costs["map"].seconds.back() = event.at("ms").get<double>() / 1000;
        } else if (what == "nodeFinished" && (node == "encode" || node == "decode")) {
            costs[node].add(run, begins[node], line);
        } else if (what == "nodeProgress" && node == "denoise" &&
                   event.at("done").get<double>() > steps) {
            if (steps > 0) {
                costs["step"].add(run, begins["step"], line);
            }
            steps = event.at("done").get<double>();
            begins["step"] = line;
        }
    }
    addWhole(costs, run);
}

WatchedProgram watchImage(const QStringList& settings, int steps, const QStringList& options) {
    const QTemporaryDir folder;
    QStringList arguments = {
        "run", exampleGraph("text_to_image"), "--events", "--out", folder.path()};
    for (const QString& setting : settings + QStringList{QString("denoise.steps=%1").arg(steps)}) {
        arguments << "--set" << setting;
    }
    return watchProgram(buildPath("bin/lowtide"), arguments + options);
}

void SpeedTable::begin(const QString& folder) {
    folder_ = folder;
    qputenv("OMP_WAIT_POLICY", "passive");  // for both: threads that wait cost no CPU time
    const QString measured =
        runReference({sourcePath("tests/bench/speed_peer.py"), "measure", folder});
    for (const QString& line : measured.split('\n')) {
        const QStringList words = line.split(' ');
        if (words.value(0) == "flops") {
            flops_[words.value(1).toStdString()] = words.value(2).toDouble();
        } else if (words.value(0) == "peak") {
            peak_ = words.value(1).toDouble();
        }
    }
    QVERIFY(peak_ > 0 && flops_.size() == 3);
}

QString SpeedTable::runOurs(const QStringList& settings, int steps) {
    const WatchedProgram run = watchImage(settings, steps);
    if (run.exitCode != 0) {
        return run.errors;
    }
    peakResident_[0] = std::max(peakResident_[0], run.peakResident);
    addOurCosts(ours_, run);
    return {};
}

QString SpeedTable::runPeer(int steps) {
    const WatchedProgram run =
        watchProgram(referencePython(),
                     {sourcePath("tests/bench/speed_peer.py"), folder_, QString::number(steps)});
    if (run.exitCode != 0) {
        return run.errors;
    }
    peakResident_[1] = std::max(peakResident_[1], run.peakResident);
    addPeerCosts(peers_, run);
    return {};
}

void SpeedTable::print(std::span<const StageGoal> stages, const QString& name) const {
    qInfo("a matrix product does %.1f GFLOP in a second of CPU time", peak_ / 1e9);
    qInfo("%-8s %10s %10s %7s %6s %10s %10s %9s %9s",
          "stage",
          "CPU s",
          "diffusers",
          "ratio",
          "goal",
          "seconds",
          "diffusers",
          "of peak",
          "diffusers");
    Json rows = Json::array();
    for (const StageGoal& stage : stages) {
        rows.push_back(rowOf(stage));
    }
    qInfo("the checkpoint is open after %.4f s; %.1f MiB more in RAM",
          median(ours("map").seconds),
          median(ours("map").moreBytes) / kMiB);
    qInfo("most resident: %lld MiB, diffusers %lld MiB: %.2f",
          peakResident_[0] / kMiB,
          peakResident_[1] / kMiB,
          residentRatio());
    const Json table = {
        {"peak_flops_per_cpu_second", peak_},
        {"stages", rows},
        {"map_seconds", ours("map").seconds},
        {"peak_resident", {{"ours", peakResident_[0]}, {"diffusers", peakResident_[1]}}}};
    writeTable(name, table);
}

double SpeedTable::timeRatio(const std::string& stage) const {
    return median(ours(stage).cpuSeconds) / median(peers(stage).cpuSeconds);
}

double SpeedTable::residentRatio() const {
    return static_cast<double>(peakResident_[0]) / static_cast<double>(peakResident_[1]);
}

const StageCost& SpeedTable::ours(const std::string& stage) const {
    return costIn(ours_, stage);
}

const StageCost& SpeedTable::peers(const std::string& stage) const {
    return costIn(peers_, stage);
}

double SpeedTable::fractionOfPeak(const std::string& stage, const StageCost& cost) const {
    const auto found = flops_.find(stage);
    const double seconds = median(cost.cpuSeconds);
    return found == flops_.end() || seconds <= 0 ? 0 : found->second / seconds / peak_;
}

Json SpeedTable::rowOf(const StageGoal& stage) const {
    const StageCost& our = ours(stage.name);
    const StageCost& peer = peers(stage.name);
    qInfo("%-8s %10.2f %10.2f %7.2f %6.2f %10.2f %10.2f %8.0f%% %8.0f%%",
          stage.name,
          median(our.cpuSeconds),
          median(peer.cpuSeconds),
          timeRatio(stage.name),
          stage.time,
          median(our.seconds),
          median(peer.seconds),
          100 * fractionOfPeak(stage.name, our),
          100 * fractionOfPeak(stage.name, peer));
    if (stage.memory > 0) {
        qInfo("  more in RAM: %.0f MiB, diffusers %.0f MiB: %.2f, goal %.2f",
              median(our.moreBytes) / kMiB,
              median(peer.moreBytes) / kMiB,
              median(our.moreBytes) / median(peer.moreBytes),
              stage.memory);
    }
    return {{"stage", stage.name},
            {"ours", toJson(our, fractionOfPeak(stage.name, our))},
            {"diffusers", toJson(peer, fractionOfPeak(stage.name, peer))},
            {"ratio", timeRatio(stage.name)},
            {"goal", stage.time}};
}

}  // namespace lowtide::testing
