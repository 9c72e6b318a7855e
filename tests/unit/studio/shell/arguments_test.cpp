#include "tests/fixtures/test_program.hpp"
#include "ui/studio/arguments.hpp"
#include "ui/studio/workspace.hpp"

#include <QtTest/QtTest>

namespace arguments_test {

using namespace lowtide;
using namespace lowtide::ui;

class ArgumentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyOptionIsRead() {
        const ParsedArguments parsed = parseArguments({"lowtide-studio",
                                                       "graph.json",
                                                       "--device",
                                                       "fake:8GiB",
                                                       "--memory-budget",
                                                       "6GiB",
                                                       "--model-folder",
                                                       "a",
                                                       "--model-folder",
                                                       "b",
                                                       "--threads",
                                                       "2"});
        QCOMPARE(parsed.output, QString());
        QCOMPARE(parsed.arguments.graph, QString("graph.json"));
        QCOMPARE(parsed.arguments.device, QString("fake:8GiB"));
        QCOMPARE(parsed.arguments.memoryBudget, QString("6GiB"));
        QCOMPARE(parsed.arguments.modelFolders, QStringList({"a", "b"}));
        QCOMPARE(parsed.arguments.threads, 2);
    }

    void nothingIsFine() {
        const ParsedArguments parsed = parseArguments({"lowtide-studio"});
        QCOMPARE(parsed.output, QString());
        QCOMPARE(parsed.exitCode, 0);
        QVERIFY(parsed.arguments.graph.isEmpty());
    }

    void aBudgetMayBeStatedForEachDevice() {
        const ParsedArguments parsed =
            parseArguments({"lowtide-studio", "--memory-budget", "fake=6GiB,cpu=8GiB"});
        QCOMPARE(parsed.output, QString());
        QCOMPARE(parsed.arguments.memoryBudget, QString("fake=6GiB,cpu=8GiB"));
    }

    void badOnesAreRefused_data() {
        testing::addTable<QStringList, QString>(
            {"words", "complaint"},
            {{"unknown", {"--fast"}, "fast"},
             {"two graphs", {"a", "b"}, "one graph"},
             {"no budget of a device", {"--memory-budget", "cpu=much"}, "cpu=much"},
             {"no size", {"--memory-budget", "much"}, "much"},
             {"no number", {"--threads", "many"}, "--threads"},
             {"no threads", {"--threads", "0"}, "--threads"},
             {"no value", {"--device"}, "device"}});
    }

    void badOnesAreRefused() {
        QFETCH(QStringList, words);
        QFETCH(QString, complaint);
        const ParsedArguments parsed = parseArguments(QStringList{"lowtide-studio"} + words);
        QCOMPARE(parsed.exitCode, 2);
        QVERIFY2(parsed.output.contains(complaint), qPrintable(parsed.output));
    }

    void theCommandLineStandsBeforeTheGraphAndTheSettingsBehind() {
        graph::Document graph;
        const Preferences preferences{
            .device = "fake:8GiB", .memoryBudget = "1GiB", .showsPreviews = false};
        QCOMPARE(runOptions(graph, preferences, {}, "/g").dump(),
                 std::string(R"({"device":"fake:8GiB","graphFolder":"/g","memoryBudget":"1GiB"})"));
        graph.device = "cpu";
        graph.memoryBudget = "2GiB";
        QCOMPARE(runOptions(graph, preferences, {}, "").dump(), std::string("{}"));
        const StudioArguments arguments{.device = "fake:4GiB", .memoryBudget = "3GiB"};
        QCOMPARE(runOptions(graph, preferences, arguments, "").dump(),
                 std::string(R"({"device":"fake:4GiB","memoryBudget":"3GiB"})"));
        QCOMPARE(runOptions(graph, Preferences(), {}, "").dump(),
                 std::string(R"({"previews":true})"));
    }
};

LOWTIDE_WINDOW_TEST(ArgumentsTest)

}  // namespace arguments_test

#include "arguments_test.moc"
