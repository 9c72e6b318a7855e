#pragma once
// What journeys through families under every policy have in common.
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

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
    EventLog log;
    return runModule(graph, options, log);
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

/// After a test: nothing is left that nobody asked to keep.
inline void checkNothingIsLeft() {
    QCOMPARE(openModule().runner()->release("all"), Status::Ok);
    QCOMPARE(bytesOn("fake"), int64_t{0});
}

}  // namespace lowtide::testing
