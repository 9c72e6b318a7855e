#include "tests/gpu/unet_loading.hpp"

#include "plugin/base/json.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/page_cache.hpp"
#include "tests/gpu/measured_rows.hpp"

#include <optional>

namespace lowtide::testing {

namespace {

/// The command as it makes one step, the weights on the device.
QStringList commandFor(const UnetCase& unet, const std::string& device) {
    QStringList arguments = {"run",
                             exampleGraph("text_to_image"),
                             "--events",
                             "--device",
                             QString::fromStdString(device)};
    const Json options = unetOptions(unet, {.name = "load"}, 1);
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
    const WatchedProgram run = watchProgram(program, arguments);
    for (const TimedLine& line : run.lines) {
        if (run.exitCode == 0 && endsTheStep(line.text)) {
            return {{"seconds", line.seconds}};
        }
    }
    return {{"refused", endOf(run.errors).toStdString()}};
}

}  // namespace

Json loadingRows(const UnetCase& unet, const std::string& device, bool hasGpu) {
    const QString checkpoint = QString::fromStdString(unet.checkpoint);
    const QStringList peer = {sourcePath("tests/gpu/unet_peer.py"),
                              checkpoint,
                              QString::number(unet.pixels),
                              "0",
                              "cuda"};
    Json rows = Json::array();
    const auto add = [&](const std::string& way, bool isReady, const auto& measure) {
        Json row = isReady ? measure() : Json{{"refused", "the system kept pages of the files"}};
        row.update({{"model", unet.name}, {"way", way}});
        addRow(rows, row);
    };
    for (const bool isCold : {true, false}) {
        const std::string way = isCold ? "load, cold" : "load, warm";
        const auto isReady = [&] { return !isCold || forgetPages(checkpoint); };
        add(way, isReady(), [&] {
            return rowOfProgram(buildPath("bin/lowtide"), commandFor(unet, device));
        });
        if (hasGpu && isCold) {
            add("PyTorch, " + way, isReady(), [&] { return rowOfProgram(peerPython(), peer); });
        }
    }
    return rows;
}

}  // namespace lowtide::testing
