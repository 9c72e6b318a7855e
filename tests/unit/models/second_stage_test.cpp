// A second pass over what another checkpoint left.

#include "plugin/base/json.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/image_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace second_stage_test {

using namespace lowtide;
using nodes::WireRef;
using testing::CheckpointCopy;
using testing::ImageBench;

namespace {

constexpr const char* kScheduler = "scheduler/scheduler_config.json";
constexpr int kSplit = 5;

testing::DenoiseRequest firstRun(ImageBench& bench) {
    testing::DenoiseRequest request = bench.request("a cat", "dark");
    request.latent = bench.emptyLatent(64, 48);
    request.steps = 8;
    request.cfg = 3;
    request.seed = 5;
    request.sampler = "unipc";
    request.endStep = kSplit;
    request.keepNoise = true;
    return request;
}

/// `request` goes on with `latent`.
testing::DenoiseRequest after(testing::DenoiseRequest request, const WireRef& latent) {
    request.latent = latent->onHost();
    request.startStep = kSplit;
    request.endStep = -1;
    request.addNoise = false;
    request.keepNoise = false;
    return request;
}

/// The same samples without the sampler's state: what goes on with them starts afresh.
WireRef withoutState(const WireRef& latent) {
    const auto& latents = dynamic_cast<const tensor::Latents&>(*latent);
    return std::make_shared<const tensor::Latents>(ImageBench::samplesOf(latent),
                                                   latents.provenance());
}

}  // namespace

class SecondStageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void anotherCheckpointStartsAfresh_data() {
        const testing::Rows<QString, QString> row("first", "second");
        row("fewer predictions are kept", R"({"solver_order": 3})", R"({"solver_order": 2})");
        row("more predictions are kept", R"({"solver_order": 2})", R"({"solver_order": 3})");
        row("other levels", "{}", R"({"beta_end": 0.02})");
        row("another network", "{}", "{}");
    }

    /// Base, then refiner: the reference gives every pipeline an empty history.
    void anotherCheckpointStartsAfresh() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        const CheckpointCopy one;
        const CheckpointCopy two;
        const auto change = [](const CheckpointCopy& copy, const QString& changes) {
            const Json json = parseJson(changes.toStdString(), "changes");
            for (const auto& [key, value] : json.items()) {
                copy.set(kScheduler, key, value);
            }
        };
        change(one, first);
        change(two, second);
        ImageBench base(one.path());
        ImageBench refiner(two.path());
        const WireRef half = base.denoise(firstRun(base));
        QVERIFY(dynamic_cast<const tensor::Latents&>(*half).carry()->history.size() > 1);
        const testing::DenoiseRequest request = firstRun(refiner);

        const WireRef given = refiner.denoise(after(request, half));

        const WireRef afresh = refiner.denoise(after(request, withoutState(half)));
        QVERIFY(at::equal(ImageBench::samplesOf(given), ImageBench::samplesOf(afresh)));
    }

    void theSameCheckpointGoesOn() {
        ImageBench bench("builtin:mini");
        const testing::DenoiseRequest request = firstRun(bench);
        const WireRef half = bench.denoise(request);
        const WireRef given = bench.denoise(after(request, half));
        const WireRef afresh = bench.denoise(after(request, withoutState(half)));
        QVERIFY(!at::equal(ImageBench::samplesOf(given), ImageBench::samplesOf(afresh)));
    }

    /// Other levels of the same model: what was kept is of another schedule.
    void anotherNumberOfStepsStartsAfresh() {
        ImageBench bench("builtin:mini");
        const WireRef half = bench.denoise(firstRun(bench));
        testing::DenoiseRequest request = firstRun(bench);
        request.steps += 4;
        const WireRef given = bench.denoise(after(request, half));
        const WireRef afresh = bench.denoise(after(request, withoutState(half)));
        QVERIFY(at::equal(ImageBench::samplesOf(given), ImageBench::samplesOf(afresh)));
    }
};

LOWTIDE_TEST(SecondStageTest)

}  // namespace second_stage_test

#include "second_stage_test.moc"
