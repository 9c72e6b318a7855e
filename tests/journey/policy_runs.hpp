#pragma once
// What journeys through families under every policy have in common.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

namespace lowtide::testing {

inline constexpr const char* kEveryPolicy[] = {"none",
                                               "model",
                                               "model+stream",
                                               "sequential",
                                               "block:1",
                                               "block:1+stream",
                                               "leaf",
                                               "leaf+stream",
                                               "auto"};
/// Components that leave, blocks and leaves that are copied ahead, and what the plan decides. The
/// matrix runs every policy with each family.
inline constexpr const char* kPolicyKinds[] = {"model", "block:1+stream", "leaf+stream", "auto"};
/// Fewer are no dump of a run.
inline constexpr qsizetype kFewestDumped = 100'000;

/// One policy of each kind, or every one in the whole test.
[[nodiscard]] inline std::span<const char* const> testedPolicies() {
    return isFullTest() ? std::span<const char* const>(kEveryPolicy) : kPolicyKinds;
}

inline void addPolicyRows(std::span<const char* const> policies = testedPolicies()) {
    QTest::addColumn<QString>("policy");
    for (const char* policy : policies) {
        QTest::newRow(policy) << policy;
    }
}

/// "encode=leaf", ...: the same of each.
[[nodiscard]] inline Json ofStages(std::initializer_list<const char*> stages,
                                   const std::string& choice) {
    Json all = Json::array();
    for (const char* stage : stages) {
        all.push_back(std::string(stage) + "=" + choice);
    }
    return all;
}

/// A run whose every value is kept.
[[nodiscard]] inline ModuleRun runDumping(const std::string& graph,
                                          Json options,
                                          const QTemporaryDir& folder) {
    options["dump"] = folder.filePath("dump.safetensors").toStdString();
    return runModule(graph, options);
}

/// What a run that is to be compared with gives; one that fails is reported.
[[nodiscard]] inline QByteArray dumpToCompare(const ModuleRun& plain) {
    [&] {
        QVERIFY2(plain.status == Status::Ok, plain.report.dump().c_str());
        QVERIFY(plain.dump.size() > kFewestDumped);
    }();
    return plain.dump;
}

/// It has these bits, and leaves nothing on the GPU after any repetition.
inline void checkBits(const ModuleRun& ended, const QByteArray& expected) {
    QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
    QVERIFY(ended.dump == expected);
    for (const Json& repetition : ended.report.at("repetitions")) {
        QCOMPARE(repetition.at("ledger").at("fake").at("total"), Json(0));
    }
}

/// No repetition holds more than was planned, nor `mostOff` of it less.
inline void checkPeaks(const ModuleRun& ended, double mostOff = 0.01) {
    const auto planned = ended.report.at("plan").at("devices").at(0).at("peak").get<double>();
    for (const Json& repetition : ended.report.at("repetitions")) {
        const auto measured = repetition.at("ledger").at("fake").at("peak").get<double>();
        QVERIFY2(measured <= planned && measured >= planned * (1 - mostOff),
                 qPrintable(QString("%1 of %2").arg(measured).arg(planned)));
    }
}

/// Rows of a policy and a stage: each policy with one of the stages, and with all of them where
/// there is time.
inline void addStageRows(std::span<const char* const> stages) {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("node");
    for (size_t policy = 0; policy < std::size(kEveryPolicy); ++policy) {
        for (size_t stage = 0; stage < stages.size(); ++stage) {
            if (isFullTest() || policy % stages.size() == stage) {
                QTest::addRow("%s, %s", kEveryPolicy[policy], stages[stage])
                    << kEveryPolicy[policy] << stages[stage];
            }
        }
    }
}

/// A run that is cancelled where the node begins leaves nothing on the GPU.
inline void checkCancelledEnd(const std::string& graph, const Json& options, const QString& node) {
    const ModuleRun ended = runCancelled(
        graph, options, [&](const Json& event) { return isOf(event, "nodeStarted", node); });
    QCOMPARE(ended.status, Status::Cancelled);
    QCOMPARE(bytesOn("fake"), int64_t{0});
}

/// A run of 20 steps of the mini model, whose denoiser's file loses its second half in one of them.
[[nodiscard]] inline ModuleRun runCutInStep(const std::string& graph, Json options, double step) {
    const QTemporaryDir models;
    const std::filesystem::path model = models.filePath("model").toStdString();
    std::filesystem::copy(sourcePath("resources/mini/model").toStdString(),
                          model,
                          std::filesystem::copy_options::recursive);
    const auto weights = model / "unet/diffusion_pytorch_model.safetensors";
    const auto half = std::filesystem::file_size(weights) / 2;
    EventLog log([&](const Json& arrived) {
        if (isOf(arrived, "nodeProgress", "denoise") && arrived.at("done").get<double>() >= step) {
            std::filesystem::resize_file(weights, half);
        }
    });
    options["set"].push_back("denoise.steps=20");
    options["set"].push_back("load.checkpoint=" + model.string());
    return runModule(graph, options, log);
}

/// `options` with the encoders and the denoiser computing in bf16.
[[nodiscard]] inline Json inHalf(Json options) {
    options["precisions"] = {"encode=quality,compute=bf16", "denoise=quality,compute=bf16"};
    return options;
}

/// After a test: nothing is left that nobody asked to keep.
inline void checkNothingIsLeft() {
    QCOMPARE(openModule().runner()->release("all"), Status::Ok);
    QCOMPARE(bytesOn("fake"), int64_t{0});
}

}  // namespace lowtide::testing
