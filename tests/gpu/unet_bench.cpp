// UNets of the sizes of Stable Diffusion 1.5 and SDXL with random weights, through the module as a
// user runs it: a step and its memory under policies, presets and their errors, the time to the
// first step, each next to PyTorch's. Without a GPU (or with LOWTIDE_BENCH_SIZE=small) the mini
// model, there on the simulated GPU, so that the measuring itself is tested.
#include "plugin/base/json.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/gpu/measured_rows.hpp"
#include "tests/gpu/unet_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace unet_bench {

using namespace lowtide;
using testing::TimedLine;
using testing::UnetCase;
using testing::UnetFigures;
using testing::UnetWay;
using testing::WatchedProgram;

namespace {

/// The command as it makes one step, the weights on the device.
QStringList commandFor(const UnetCase& unet, const std::string& device) {
    QStringList arguments = {"run",
                             testing::exampleGraph("text_to_image"),
                             "--events",
                             "--device",
                             QString::fromStdString(device)};
    const Json options = testing::unetOptions(unet, {.name = "load"}, 1);
    for (const auto& [key, option] : {std::pair("until", "--until"),
                                      std::pair("set", "--set"),
                                      std::pair("policies", "--policy"),
                                      std::pair("precisions", "--precision")}) {
        for (const Json& value : options.at(key)) {
            arguments << option << QString::fromStdString(value.get<std::string>());
        }
    }
    return arguments;
}

/// The peer prints "step", the command has an event.
bool endsTheStep(const QByteArray& line) {
    const Json event = Json::parse(line.toStdString(), nullptr, false);
    return line == "step" || (event.is_object() && event.value("event", "") == "nodeFinished" &&
                              event.value("node", "") == "denoise");
}

Json rowOfProgram(const QString& program, const QStringList& arguments) {
    const WatchedProgram run = testing::watchProgram(program, arguments);
    for (const TimedLine& line : run.lines) {
        if (run.exitCode == 0 && endsTheStep(line.text)) {
            return {{"seconds", line.seconds}};
        }
    }
    return {{"refused", testing::endOf(run.errors).toStdString()}};
}

/// Seconds from the start of a program to the end of its denoiser's first step, as rows: the
/// command, cold (the system forgot the files' pages) and warm, and with a GPU the peer, cold; its
/// warm row is one of peerRows(). The command encodes the prompts too, the peer only loads its
/// network.
Json loadingRows(const UnetCase& unet, const std::string& device, bool hasGpu) {
    const QString checkpoint = QString::fromStdString(unet.checkpoint);
    const QStringList peer = {testing::sourcePath("tests/gpu/unet_peer.py"),
                              checkpoint,
                              QString::number(unet.pixels),
                              "0",
                              "cuda"};
    Json rows = Json::array();
    const auto add = [&](const std::string& way, bool isReady, const auto& measure) {
        Json row = isReady ? measure() : Json{{"refused", "the system kept pages of the files"}};
        row.update({{"model", unet.name}, {"way", way}});
        testing::addRow(rows, row);
    };
    for (const bool isCold : {true, false}) {
        const std::string way = isCold ? "load, cold" : "load, warm";
        const auto isReady = [&] { return !isCold || testing::forgetPages(checkpoint); };
        add(way, isReady(), [&] {
            return rowOfProgram(testing::buildPath("bin/lowtide"), commandFor(unet, device));
        });
        if (hasGpu && isCold) {
            add("PyTorch, " + way, isReady(), [&] {
                return rowOfProgram(testing::peerPython(), peer);
            });
        }
    }
    return rows;
}

/// A step must come this close to the bound; a shared machine may take ten times as long.
constexpr double kLeastEfficiency = 0.93 / 10;
constexpr int kNoLibraries = 3;  ///< exit status of big_checkpoint.py check
constexpr const char* kExact = "quality,storage=f32,compute=f32";

struct Policy {
    const char* name;
    const char* policy;
    double part;  ///< of the denoiser's weights that the budget holds; 0: all that the GPU has
};

constexpr Policy kPolicies[] = {{"resident", "none", 0},
                                {"leaf+stream", "leaf+stream", 0},
                                {"leaf+stream, 50 %", "leaf+stream", 0.5},
                                {"leaf+stream, 25 %", "leaf+stream", 0.25},
                                {"auto, 50 %", "auto", 0.5},
                                {"auto, 25 %", "auto", 0.25}};

struct Preset {
    const char* name;
    const char* precision;
    const char* eager;  ///< the way of the peer that computes in the same type
};

constexpr Preset kPresets[] = {{"f32", kExact, "PyTorch, resident, f32"},
                               {"quality", "quality", "PyTorch, resident"},
                               {"balanced", "balanced", "PyTorch, resident"},
                               {"speed", "speed", "PyTorch, resident"}};

/// What the rows of one model are compared with.
struct Known {
    UnetFigures resident{};
    double bandwidth = 0;  ///< bytes a second of the copy queue, when everything streams
    testing::FileTensor exact{};
    std::map<std::string, double> eager{};  ///< seconds of a step, by way
};

}  // namespace

class UnetBench : public QObject {
    Q_OBJECT

    bool hasGpu_ = false;
    bool isLarge_ = false;  ///< real sizes, so that times mean something
    std::string device_;
    std::vector<UnetCase> cases_;
    std::map<std::string, Known> known_;  ///< by the case's name
    Json rows_ = Json::array();

    void addCases() {
        QTest::addColumn<size_t>("unet");
        for (size_t i = 0; i < cases_.size(); ++i) {
            QTest::newRow(cases_[i].name.c_str()) << i;
        }
    }

    /// A row for each case and each entry of a table.
    template <typename Entry, size_t count>
    void addRows(const Entry (&table)[count]) {
        QTest::addColumn<size_t>("unet");
        QTest::addColumn<size_t>("entry");
        for (size_t i = 0; i < cases_.size(); ++i) {
            for (size_t entry = 0; entry < count; ++entry) {
                QTest::addRow("%s: %s", cases_[i].name.c_str(), table[entry].name) << i << entry;
            }
        }
    }

private Q_SLOTS:

    void initTestCase() {
        hasGpu_ = testing::reasonToSkip().isEmpty();
        QVERIFY2(hasGpu_ || !qEnvironmentVariableIsSet("LOWTIDE_REQUIRE_CARD"),
                 qPrintable(testing::reasonToSkip()));
        device_ = hasGpu_ ? "cuda" : "fake:1GiB";
        isLarge_ = hasGpu_ && qEnvironmentVariable("LOWTIDE_BENCH_SIZE") != "small";
        if (isLarge_) {
            const auto made = [](const char* size) {
                return testing::bigCheckpoint(size, QString("bench-unet-") + size).toStdString();
            };
            try {
                cases_ = {{"SD 1.5", made("sd15-unet"), 512, 24},
                          {"SDXL size", made("large"), 1024, 6}};
            } catch (const std::exception& error) {
                QFAIL(error.what());
            }
        } else {
            cases_ = {
                {"mini", testing::sourcePath("resources/mini/model").toStdString(), 128, 4, 1}};
        }
    }

    /// What is measured has the names and shapes that real files have. Asking the libraries takes
    /// seconds, and is done once for what decides about the answer.
    void checkpointsHaveTheRealLayout() {
        const QString script = testing::sourcePath("tests/bench/big_checkpoint.py");
        const QString mini = testing::sourcePath("resources/mini/model");
        QFile proof(testing::cacheFolder() + "/real-layout-" +
                    testing::hashOfScript(script,
                                          {mini + "/text_encoder/config.json",
                                           testing::sourcePath("tests/golden/requirements.txt")}));
        if (proof.exists()) {
            return;
        }
        const testing::Ended check =
            testing::runProgram(testing::peerPython(), {script, "check", mini});
        if (hasGpu_ && check.exitCode == kNoLibraries) {
            qInfo("not compared: %s", qPrintable(check.errors.right(80).simplified()));
            return;
        }
        QVERIFY2(check.exitCode == 0, qPrintable(check.errors));
        QVERIFY(proof.open(QIODevice::WriteOnly));
    }

    void measuresEveryWay_data() { addRows(kPolicies); }

    void measuresEveryWay() {
        QFETCH(size_t, unet);
        QFETCH(size_t, entry);
        const Policy& policy = kPolicies[entry];
        Known& known = known_[cases_[unet].name];
        UnetWay way{.name = policy.name, .policy = policy.policy};
        if (policy.part > 0) {
            QVERIFY(known.resident.weights > 0);
            way.budget =
                known.resident.extra +
                static_cast<Bytes>(policy.part * static_cast<double>(known.resident.weights));
        }
        const UnetFigures figures = testing::measureUnet(cases_[unet], way, device_);
        const bool isResident = entry == 0;
        known.resident = isResident ? figures : known.resident;
        const double copy = figures.moved > 0 ? figures.copySeconds : 0;
        if (known.bandwidth == 0 && copy > 0) {
            known.bandwidth = static_cast<double>(figures.moved) / copy;
        }
        const double bound = std::max(known.resident.seconds, copy);
        Json row = testing::rowOf(cases_[unet], way.name, figures);
        if (figures.problem.empty()) {
            row.update({{"bound", bound}, {"efficiency", bound / figures.seconds}});
        }
        if (way.budget > 0) {
            row["budget"] = way.budget;
        }
        testing::addRow(rows_, row);
        QVERIFY2(figures.problem.empty(), figures.problem.c_str());
        QVERIFY(!figures.dump.isEmpty());
        QVERIFY(figures.dump == known.resident.dump);  // whatever moves
        QCOMPARE(figures.moved > 0, !isResident);
        QVERIFY(way.budget == 0 || figures.peak <= way.budget);
        QVERIFY(isResident || figures.peak < known.resident.peak);
        QVERIFY(!isLarge_ || bound / figures.seconds > kLeastEfficiency);
    }

    /// The same UNet with diffusers; without a GPU the check that the peer runs at all.
    void measuresThePeers_data() { addCases(); }

    void measuresThePeers() {
        QFETCH(size_t, unet);
        Known& known = known_[cases_[unet].name];
        const Json peers = testing::peerRows("unet_peer.py",
                                             {QString::fromStdString(cases_[unet].checkpoint),
                                              QString::number(cases_[unet].pixels),
                                              QString::number(cases_[unet].steps),
                                              hasGpu_ ? "cuda" : "cpu"});
        for (Json row : peers) {
            row["model"] = cases_[unet].name;
            if (row.contains("seconds")) {
                const auto way = row.at("way").get<std::string>();
                const double seconds = row.at("seconds").get<double>();
                known.eager[way] = seconds;
                if (row.value("moved", Bytes{0}) > 0 && known.bandwidth > 0) {
                    row["bound"] = std::max(known.eager["PyTorch, resident"],
                                            row.at("moved").get<double>() / known.bandwidth);
                    row["efficiency"] = row.at("bound").get<double>() / seconds;
                }
            }
            testing::addRow(rows_, row);
            QVERIFY(hasGpu_ || !row.contains("refused"));
        }
        QVERIFY(hasGpu_ || known.eager.contains("PyTorch, load, warm"));
    }

    /// Resident, so that only the numbers differ. The error is that of the final latents after a
    /// few steps compared with f32; the simulated GPU computes every preset in f32.
    void measuresPresets_data() { addRows(kPresets); }

    void measuresPresets() {
        QFETCH(size_t, unet);
        QFETCH(size_t, entry);
        const Preset& preset = kPresets[entry];
        Known& known = known_[cases_[unet].name];
        const UnetFigures figures = testing::measureUnet(
            cases_[unet], {.name = preset.name, .precision = preset.precision}, device_);
        Json row = testing::rowOf(cases_[unet], std::string("preset ") + preset.name, figures);
        if (!figures.problem.empty()) {
            testing::addRow(rows_, row);
            QVERIFY2(figures.isTooLarge(), figures.problem.c_str());
            return;
        }
        const testing::FileTensor latents = testing::tensorsIn(figures.dump).at("latents.final");
        known.exact = entry == 0 ? latents : known.exact;
        const bool isComparable = !known.exact.bytes.empty();  // f32 may not fit
        const double error = isComparable ? testing::relativeL2(known.exact, latents) : 0;
        row["error"] = isComparable ? Json(error) : Json();
        if (const auto eager = known.eager.find(preset.eager); eager != known.eager.end()) {
            row["times_as_fast_as_eager"] = eager->second / figures.seconds;
        }
        testing::addRow(rows_, row);
        QVERIFY(std::isfinite(error));
        QVERIFY(hasGpu_ || error == 0);
    }

    void measuresLoading_data() { addCases(); }

    void measuresLoading() {
        QFETCH(size_t, unet);
        const Json rows = loadingRows(cases_[unet], device_, hasGpu_);
        rows_.insert(rows_.end(), rows.begin(), rows.end());
        for (const Json& row : rows) {
            const bool isCold = row.at("way").get<std::string>().ends_with("cold");
            QVERIFY(hasGpu_ || isCold || row.contains("seconds"));
        }
    }

    void cleanupTestCase() { QVERIFY(testing::writeRows("unets", rows_)); }
};

LOWTIDE_TEST(UnetBench)

}  // namespace unet_bench

#include "unet_bench.moc"
