#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::stage_values_test {

class StageValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void provenanceKeepsItsOrder() {
        Provenance provenance;
        provenance.set("Steps", "20");
        provenance.set("Sampler", "Euler");
        provenance.set("Steps", "30");
        QCOMPARE(provenance.fields.size(), 2U);
        QCOMPARE(provenance.fields[0].second, std::string("30"));
        QCOMPARE(provenance.fields[1].first, std::string("Sampler"));
    }

    void bytesCountEveryTensor() {
        const Conditioning conditioning(at::zeros({1, 7, 4}), at::zeros({1, 4}), "a cat", -1);
        QCOMPARE(conditioning.bytesOn("cpu"), Bytes{(28 + 4) * 4});
        QCOMPARE(conditioning.bytesOn("fake"), Bytes{0});

        auto carry = std::make_shared<SamplerCarry>();
        carry->history = {at::zeros({1, 4, 2, 2})};
        carry->generator = at::zeros({100}, at::kByte);
        const Latents latents(at::zeros({1, 4, 2, 2}), {}, carry);
        QCOMPARE(latents.bytesOn("cpu"), Bytes{64 + 64 + 100});
        QCOMPARE(EmptyLatents({.width = 64, .height = 64}, 1).bytesOn("cpu"), Bytes{0});
        const Latents encoded(at::zeros({1, 4, 2, 2}), {}, nullptr, at::zeros({1, 4, 2, 2}));
        QCOMPARE(encoded.bytesOn("cpu"), Bytes{64 + 64});
        QCOMPARE(Masks(at::zeros({1, 1, 2, 3})).bytesOn("cpu"), Bytes{24});
    }

    void onHostKeepsEverything() {
        auto carry = std::make_shared<SamplerCarry>();
        carry->schedule = "euler 20";
        carry->step = 7;
        carry->history = {at::rand({2})};
        carry->scalars = {1.5};
        carry->generator = at::zeros({3}, at::kByte);
        Provenance provenance;
        provenance.prompt = "a cat";
        const Latents latents(at::rand({1, 4, 2, 2}), provenance, carry);

        const auto host = std::dynamic_pointer_cast<const Latents>(latents.onHost());

        QVERIFY(host && host->carry());
        QVERIFY(host->samples().is_same(latents.samples()));
        QCOMPARE(host->provenance().prompt, std::string("a cat"));
        QCOMPARE(host->carry()->schedule, carry->schedule);
        QCOMPARE(host->carry()->step, 7);
        QCOMPARE(host->carry()->scalars, carry->scalars);
        QVERIFY(host->carry()->history[0].is_same(carry->history[0]));
    }

    void valuesWithoutPooledOrCarryGoToTheHostToo() {
        const Conditioning conditioning(at::zeros({1, 2, 2}), at::Tensor(), "", 2);
        const auto host = std::dynamic_pointer_cast<const Conditioning>(conditioning.onHost());
        QVERIFY(host && !host->tensor("pooled").defined());
        QCOMPARE(host->clipSkip(), 2);
        const Latents latents(at::zeros({1}), {});
        QVERIFY(!std::dynamic_pointer_cast<const Latents>(latents.onHost())->carry());
        const Latents encoded(at::zeros({1}), {}, nullptr, at::rand({1}));
        const auto kept = std::dynamic_pointer_cast<const Latents>(encoded.onHost());
        QVERIFY(kept->deviation().is_same(encoded.deviation()));
    }
};

LOWTIDE_TEST(StageValuesTest)

}  // namespace lowtide::tensor::stage_values_test

#include "stage_values_test.moc"
