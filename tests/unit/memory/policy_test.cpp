#include "plugin/base/error.hpp"
#include "plugin/memory/policy.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace policy_test {

using namespace lowtide;
using namespace lowtide::memory;

class PolicyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void textFormSurvivesARoundTrip_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"none",
                                 "model",
                                 "sequential",
                                 "block",
                                 "block:3+stream",
                                 "leaf+stream,budget=1048576",
                                 "auto,after=keep",
                                 "model,after=drop@cpu",
                                 "leaf+stream,pin=4096@cuda:1",
                                 "block:2,budget=7@fake:1024,spill=2048"}) {
            QTest::newRow(text) << text;
        }
    }

    void textFormSurvivesARoundTrip() {
        QFETCH(QString, text);
        const Policy policy = parsePolicy(text.toStdString());
        QCOMPARE(QString::fromStdString(toText(policy)), text);
        QVERIFY(policyFromJson(toJson(policy), "test") == policy);
    }

    void jsonTakesSizesAsTextOrNumber() {
        const Policy policy = policyFromJson(
            Json::parse(R"({"policy": "leaf", "stream": true, "budget": "2GiB", "pin_cap": 4096,
                            "components": {"text_encoder": "none", "denoiser": {"policy": "block:2"}}})"),
            "node");
        QCOMPARE(policy.budget.value(), 2 * kGiB);
        QCOMPARE(policy.pinCap.value(), Bytes{4096});
        QVERIFY(policy.forComponent("text_encoder").name == "none");
        QCOMPARE(policy.forComponent("denoiser").blocksPerGroup, 2);
        QVERIFY(policy.forComponent("autoencoder").name == "leaf");
    }

    void aComponentInheritsTheNodesDevice() {
        Policy policy = parsePolicy("model@cpu");
        policy.components["denoiser"] = parsePolicy("none");
        policy.components["autoencoder"] = parsePolicy("none@fake");
        QVERIFY(policy.forComponent("denoiser").device->kind == "cpu");
        QVERIFY(policy.forComponent("autoencoder").device->kind == "fake");
    }

    void refusesWithTheReason_data() {
        const testing::Rows<QString, QString> row("text", "reason");
        row("unknown", "fast", "no policy \"fast\"");
        row("none streams", "none+stream", "none cannot stream");
        row("sequential streams", "sequential+stream", "sequential cannot stream");
        row("number", "leaf:2", "only block takes a number");
        row("zero blocks", "block:0", "at least 1");
        row("budget", "leaf,budget=much", "\"much\" is no size");
        row("negative", "leaf,budget=-1", "\"-1\" is no size");
        row("after", "model,after=later", "evict, drop or keep");
        row("option", "model,speed=9", "\"speed=9\" is not understood");
        row("device", "model@moon", "no such kind of device");
    }

    void refusesWithTheReason() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        try {
            static_cast<void>(parsePolicy(text.toStdString()));
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.message().str()).contains(reason), error.what());
        }
    }

    void aNumberThatDoesNotFitIsRefused_notWrapped() {
        for (const int64_t blocks : {int64_t{0}, int64_t{-1}, (int64_t{1} << 32) + 2}) {
            const Json json{{"policy", "block"}, {"blocks_per_group", blocks}};
            QVERIFY_EXCEPTION_THROWN(static_cast<void>(policyFromJson(json, "node")), Error);
        }
    }

    void refusesUnknownJsonKeys() {
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(policyFromJson(Json{{"polcy", "leaf"}}, "node")),
                                 Error);
    }
};

LOWTIDE_TEST(PolicyTest)

}  // namespace policy_test

#include "policy_test.moc"
