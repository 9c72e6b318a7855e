// A run in ComfyUI's words: docs/serve.md has the order of messages.

#include "service/comfy_messages.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace comfy_messages_test {

using namespace lowtide;
using service::ComfyMessages;

namespace {

const Json kPrompt = {{"3", {{"class_type", "KSampler"}}},
                      {"3_2", {{"class_type", "VAEDecode"}}},
                      {"9", {{"class_type", "SaveImage"}}}};

QStringList typesOf(ComfyMessages& run, const std::vector<Json>& events) {
    QStringList types;
    for (const Json& event : events) {
        for (const auto& message : run.take(event, 1000)) {
            types.push_back(QString::fromStdString(message.type));
        }
    }
    return types;
}

Json nodeEvent(const char* kind, const char* node) {
    return {{"event", kind}, {"node", node}};
}

}  // namespace

class ComfyMessagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsARunInOrder() {
        ComfyMessages run("id", kPrompt);
        const QStringList types =
            typesOf(run,
                    {{{"event", "runStarted"}},
                     nodeEvent("nodeCached", "3_2"),
                     nodeEvent("nodeStarted", "3"),
                     {{"event", "nodeProgress"}, {"node", "3"}, {"done", 1.0}, {"total", 4.0}},
                     nodeEvent("nodeFinished", "3"),
                     nodeEvent("nodeStarted", "9"),
                     {{"event", "nodeFinished"}, {"node", "9"}, {"files", {"sub/a_1.png"}}},
                     {{"event", "runFinished"}, {"status", "ok"}}});
        QCOMPARE(types,
                 (QStringList{"execution_start",
                              "execution_cached",
                              "progress_state",
                              "executing",
                              "progress_state",
                              "progress",
                              "progress_state",
                              "progress_state",
                              "executing",
                              "executed",
                              "progress_state",
                              "execution_success"}));
        const Json history = run.history();
        QCOMPARE(history.at("outputs").at("9").at("images").at(0).dump(),
                 std::string(R"({"filename":"a_1.png","subfolder":"sub","type":"output"})"));
        QVERIFY(history.at("status").at("completed").get<bool>());
    }

    /// An import makes several nodes of one.
    void knowsWhichNodeOursStandsFor_data() {
        testing::addTable<QString, QString>({"ours", "comfy"},
                                            {{"the same", "3", "3"},
                                             {"a further one", "3_fit", "3"},
                                             {"a number behind it", "3_fit_2", "3"},
                                             {"an id like a further one", "3_2", "3_2"},
                                             {"further of that", "3_2_first", "3_2"},
                                             {"none", "7_x", "7_x"}});
    }

    void knowsWhichNodeOursStandsFor() {
        QFETCH(QString, ours);
        QFETCH(QString, comfy);
        const ComfyMessages run("id", kPrompt);
        QCOMPARE(QString::fromStdString(run.nodeOf(ours.toStdString())), comfy);
    }

    void reportsReusedOutputs() {
        ComfyMessages run("id", kPrompt);
        const QStringList types =
            typesOf(run,
                    {{{"event", "runStarted"}},
                     nodeEvent("nodeCached", "3"),
                     {{"event", "nodeCached"}, {"node", "9"}, {"files", {"a.png"}}},
                     {{"event", "runFinished"}, {"status", "ok"}}});
        QCOMPARE(types,
                 (QStringList{"execution_start",
                              "execution_cached",
                              "executed",
                              "progress_state",
                              "execution_success"}));
    }

    void namesTheNodeOfAnError() {
        ComfyMessages run("id", kPrompt);
        (void)typesOf(run, {{{"event", "runStarted"}}, nodeEvent("nodeStarted", "3")});
        const Json issue = {{"node", "3_fit"},
                            {"code", "out_of_memory"},
                            {"message", "no space"},
                            {"hint", "smaller"}};
        const auto messages =
            run.take({{"event", "runFinished"}, {"status", "failed"}, {"issues", {issue}}}, 1000);
        const Json& data = messages.back().data;
        QCOMPARE(messages.back().type, std::string("execution_error"));
        QCOMPARE(data.at("node_id"), Json("3"));
        QCOMPARE(data.at("node_type"), Json("KSampler"));
        QCOMPARE(data.at("exception_message"), Json("no space\nsmaller\n"));
        QVERIFY(!run.history().at("status").at("completed").get<bool>());
    }

    /// Refused when it was its turn: no event before the last one.
    void beginsWhatWasRefused() {
        ComfyMessages run("id", kPrompt);
        QCOMPARE(typesOf(run, {{{"event", "runFinished"}, {"status", "invalid"}}}),
                 (QStringList{"execution_start", "execution_error"}));
    }
};

LOWTIDE_TEST(ComfyMessagesTest)

}  // namespace comfy_messages_test

#include "comfy_messages_test.moc"
