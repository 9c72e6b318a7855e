#include "tests/gpu/unet_run.hpp"

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"

#include <QTemporaryDir>

#include <algorithm>
#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kFewSteps = 4;       ///< a plan records forwards from four on
constexpr int kRecordedSteps = 4;  ///< random weights with guidance are chaotic after more
constexpr const char* kNode = "denoise";

ModuleRun runOn(const std::string& device, Json options) {
    options["device"] = device;
    options["forceExecution"] = true;
    EventLog log;
    ModuleRun ended = runModule(exampleText("text_to_image"), options, log);
    if (ended.status != Status::Ok) {
        throw std::runtime_error(ended.report.at("issues").dump());
    }
    return ended;
}

/// The entry of the denoiser in a list of nodes; the last one where it ran again.
const Json& denoiserIn(const Json& list) {
    const auto found = std::find_if(
        list.rbegin(), list.rend(), [](const Json& entry) { return entry.at("node") == kNode; });
    if (found == list.rend()) {
        throw std::runtime_error("the report does not know the node " + std::string(kNode));
    }
    return *found;
}

const Json& entryWith(const Json& list, const char* key, const std::string& value) {
    const auto found = std::find_if(
        list.begin(), list.end(), [&](const Json& entry) { return entry.at(key) == value; });
    if (found == list.end()) {
        throw std::runtime_error("the report has no " + std::string(key) + " " + value);
    }
    return *found;
}

/// The denoiser's stage of one run.
struct Stage {
    double seconds = 0;
    double copySeconds = 0;
    double planned = 0;
    Bytes moved = 0;
};

Stage stageIn(const Json& report) {
    const Json& stage = denoiserIn(report.at("repetitions").at(0).at("traffic").at("stages"));
    Stage read{.seconds = stage.at("seconds").get<double>(),
               .planned = denoiserIn(report.at("plan").at("stages")).at("seconds").get<double>(),
               .moved = stage.at("moved").get<Bytes>()};
    for (const Json& times : stage.at("lanes")) {
        read.copySeconds += times.at("copy").get<double>();
    }
    return read;
}

void readMemory(const Json& report, UnetFigures& figures) {
    const Json& repetition = report.at("repetitions").at(0);
    figures.device = denoiserIn(repetition.at("nodes")).at("device").get<std::string>();
    figures.peak = repetition.at("ledger").at(figures.device).at("peak").get<Bytes>();
    const Json& plan = report.at("plan");
    figures.weights =
        entryWith(plan.at("components"), "role", "denoiser").at("weights").get<Bytes>();
    const Json& planned = entryWith(plan.at("devices"), "device", figures.device);
    figures.extra = planned.at("peak").get<Bytes>() - planned.at("peak_weights").get<Bytes>();
}

void measure(const UnetCase& unet,
             const UnetWay& way,
             const std::string& device,
             UnetFigures& figures) {
    const QTemporaryDir folder;
    Json recorded = unetOptions(unet, way, kRecordedSteps);
    recorded["dump"] = folder.filePath("dump.safetensors").toStdString();
    figures.dump = runOn(device, recorded).dump;  // and everything is warm afterwards
    const auto quickest = [&](int steps) {
        Stage best;
        for (int round = 0; round < unet.rounds; ++round) {
            const Json report = runOn(device, unetOptions(unet, way, steps)).report;
            for (const Json& issue : report.at("issues")) {
                const auto code = issue.at("code").get<std::string>();
                figures.issues += (figures.issues.empty() ? "" : " ") + code;
            }
            readMemory(report, figures);
            const Stage stage = stageIn(report);
            best = round == 0 || stage.seconds < best.seconds ? stage : best;
        }
        return best;
    };
    const Stage few = quickest(kFewSteps);
    const Stage many = quickest(kFewSteps + unet.steps);
    figures.seconds = (many.seconds - few.seconds) / unet.steps;
    figures.copySeconds = (many.copySeconds - few.copySeconds) / unet.steps;
    figures.planned = (many.planned - few.planned) / unet.steps;
    figures.moved = (many.moved - few.moved) / unet.steps;
}

}  // namespace

Json unetOptions(const UnetCase& unet, const UnetWay& way, int steps) {
    const std::string pixels = std::to_string(unet.pixels);
    Json options = {{"until", {kNode}},
                    {"set",
                     {"load.checkpoint=" + unet.checkpoint,
                      "latent.width=" + pixels,
                      "latent.height=" + pixels,
                      "denoise.steps=" + std::to_string(steps)}},
                    {"policies", {kNode + ("=" + way.policy)}},
                    {"precisions", {kNode + ("=" + way.precision)}}};
    if (way.budget > 0) {
        options["memoryBudget"] = std::to_string(way.budget);
    }
    return options;
}

UnetFigures measureUnet(const UnetCase& unet, const UnetWay& way, const std::string& device) {
    UnetFigures figures;
    try {
        measure(unet, way, device, figures);
    } catch (const std::exception& error) {
        figures.problem = error.what();
    }
    return figures;
}

Json rowOf(const UnetCase& unet, const std::string& way, const UnetFigures& figures) {
    Json row = {{"model", unet.name}, {"way", way}};
    if (!figures.problem.empty()) {
        row["refused"] = figures.problem;
        return row;
    }
    row.update({{"seconds", figures.seconds},
                {"planned", figures.planned},
                {"moved", figures.moved},
                {"peak", figures.peak}});
    if (!figures.issues.empty()) {
        row["issues"] = figures.issues;
    }
    return row;
}

}  // namespace lowtide::testing
