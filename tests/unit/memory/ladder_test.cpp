#include "plugin/memory/plan_refusal.hpp"
#include "plugin/memory/planner.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace ladder_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

Policy onSeveralDevices() {
    return policyFromJson(
        {{"policy", "model"},
         {"after", "drop"},
         {"components",
          {{"text_encoder", {{"policy", "none"}, {"device", "cpu"}, {"after", "keep"}}},
           {"denoiser", {{"policy", "sequential"}}},
           {"autoencoder", {{"policy", "auto"}, {"budget", "1MiB"}, {"pin_cap", "2MiB"}}}}}},
        "policy");
}

size_t rungWith(const Policy& policy,
                std::vector<std::shared_ptr<const ComponentTree>> components = {}) {
    return rungOf({"denoise", policy, std::move(components)});
}

}  // namespace

class LadderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyRungIsAPolicyThatIsBuilt() {
        for (size_t rung = 0; rung < kTighterPolicies.size(); ++rung) {
            const Policy policy = parsePolicy(kTighterPolicies[rung]);
            QVERIFY(findPlanner(policy.name));
            QCOMPARE(rungWith(policy), rung);
        }
    }

    void aNodeStandsWhereItsLoosestComponentDoes() {
        const auto encoder = testing::tree("text_encoder", {8});
        const auto denoiser = testing::tree("denoiser", {8});

        QCOMPARE(rungWith(onSeveralDevices(), {denoiser}), size_t{6});
        QCOMPARE(rungWith(onSeveralDevices(), {denoiser, encoder}), size_t{0});
        QCOMPARE(rungWith(onSeveralDevices()), size_t{2});
        QCOMPARE(rungWith(parsePolicy("block:3")), size_t{3});
        QCOMPARE(rungWith(parsePolicy("model+stream")), size_t{2});
    }

    void everyEntryIsTightened_andRemainsWhereItComputes() {
        const Policy policy = tightened(onSeveralDevices(), 4);

        const Policy encoder = policy.forComponent("text_encoder");
        const Policy autoencoder = policy.forComponent("autoencoder");
        for (const Policy& each : {policy, encoder, autoencoder}) {
            QCOMPARE(each.name, std::string("leaf"));
            QVERIFY(each.stream);
            QVERIFY(!each.budget);
        }
        QVERIFY(policy.after == After::Drop);
        QVERIFY(!policy.device);
        QCOMPARE(encoder.device->id(), std::string("cpu"));
        QVERIFY(encoder.after == After::Evict);  // kept means whole
        QCOMPARE(*autoencoder.pinCap, 2 * kMiB);
    }

    void whatIsTighterAlreadyRemains() {
        QCOMPARE(tightened(onSeveralDevices(), 4).forComponent("denoiser").name,
                 std::string("sequential"));
        QCOMPARE(tightened(parsePolicy("block:2"), 1).blocksPerGroup, 2);
    }

    /// A limit on pins means nothing where nothing comes twice.
    void pinsGoWithThePoliciesThatHaveNone() {
        QVERIFY(!tightened(parsePolicy("auto,pin=1GiB"), 2).pinCap);
        QVERIFY(tightened(parsePolicy("auto,pin=1GiB"), 3).pinCap);
    }
};

LOWTIDE_TEST(LadderTest)

}  // namespace ladder_test

#include "ladder_test.moc"
