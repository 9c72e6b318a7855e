#include "tests/golden/small_run.hpp"

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"

#include <QTemporaryDir>

namespace lowtide::testing {

QByteArray dumpOf(const SmallRun& run) {
    const QTemporaryDir folder;
    Json options = {
        {"set",
         {"load.checkpoint=" + run.checkpoint.toStdString(),
          "load.unet=" + run.unet.toStdString(),
          "latent.width=64",
          "latent.height=64",
          "denoise.steps=2",
          "denoise.sampler=euler_a"}},
        {"device", run.device},
        {"policies", {"encode=" + run.policy, "denoise=" + run.policy, "decode=" + run.policy}},
        {"out", folder.path().toStdString()},
        {"dump", folder.filePath("dump.safetensors").toStdString()}};
    if (!run.precision.empty()) {
        for (const char* stage : {"encode=", "denoise=", "decode="}) {
            options["precisions"].push_back(stage + run.precision);
        }
    }
    if (!run.lora.isEmpty()) {
        options["set"].push_back("lora.file=" + run.lora.toStdString());
        options["repeat"] = 2;
    }
    EventLog log;
    const ModuleRun ended =
        runModule(exampleText(run.lora.isEmpty() ? "text_to_image" : "lora"), options, log);
    openModule().runner()->release("all");
    return ended.status == Status::Ok ? ended.dump
                                      : QByteArray::fromStdString(ended.report.at("issues").dump());
}

QByteArray dumpOfExample(const char* example,
                         const QString& checkpoint,
                         const QStringList& options) {
    const QTemporaryDir folder;
    const QString dump = folder.filePath("dump.safetensors");
    const QStringList arguments = {"run",
                                   exampleGraph(example),
                                   "--out",
                                   folder.filePath("out"),
                                   "--dump",
                                   dump,
                                   "--set",
                                   "load.checkpoint=" + checkpoint,
                                   "--set",
                                   "denoise.steps=2"};
    const CommandResult run = runInProcess(arguments + options);
    return run.exitCode == 0 ? contentsOf(dump) : run.errors.toUtf8();
}

}  // namespace lowtide::testing
