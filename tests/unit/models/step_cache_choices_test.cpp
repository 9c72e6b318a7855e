// What a denoise node reports of its choices before a run: marks, warnings and refusals reach the
// spec (memory/combinations_test sweeps the table itself).

#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <QtTest/QtTest>

namespace step_cache_choices_test {

using namespace lowtide;
using nodes::WireRef;
using testing::DryRunCase;
using testing::ModelBench;
using testing::StageSpec;

namespace {

constexpr const char* kDistilled = "sd15_4";  ///< guidance is an input, its sampler is LCM

struct Choice {
    const char* name;
    std::string checkpoint = "mini";
    std::string sampler = "euler";
    int steps = 20;
    int interval = 0;  ///< of a DeepCache; 0: none
    int depth = 1;
    double eta = 0;
    std::vector<const char*> losses{};    ///< parts of the marks, in order
    std::vector<const char*> warnings{};  ///< likewise
    const char* refusal = "";             ///< a part of it
};

std::vector<Choice> choices() {
    return {
        {.name = "no cache"},
        {.name = "a cache", .interval = 3, .losses = {"DeepCache, interval 3"}},
        {.name = "a cache that spares nothing", .interval = 1},
        {.name = "longer than the run", .steps = 1, .interval = 3},
        {.name = "ancestral",
         .sampler = "euler_a",
         .interval = 2,
         .losses = {"DeepCache", "Euler a adds fresh noise"}},
        {.name = "eta",
         .sampler = "ddim",
         .interval = 2,
         .eta = 0.5,
         .losses = {"DeepCache", "DDIM adds fresh noise"}},
        {.name = "two stages and noise",
         .sampler = "kdpm2_a",
         .interval = 2,
         .losses = {"DeepCache", "adds fresh noise", "several times in a step"}},
        {.name = "few calls",
         .steps = 8,
         .interval = 2,
         .losses = {"DeepCache"},
         .warnings = {"in 8 calls of the network"}},
        {.name = "LCM with a cache",
         .sampler = "lcm",
         .steps = 4,
         .interval = 2,
         .refusal = "LCM takes a few steps"},
        {.name = "TCD with a cache",
         .sampler = "tcd",
         .steps = 4,
         .interval = 2,
         .refusal = "TCD takes a few steps"},
        {.name = "LCM with a cache that spares nothing",
         .sampler = "lcm",
         .steps = 4,
         .interval = 1},
        {.name = "distilled", .checkpoint = kDistilled, .sampler = "checkpoint", .steps = 4},
        {.name = "distilled, an ordinary sampler",
         .checkpoint = kDistilled,
         .warnings = {"Euler takes steps that it was not made for"}},
        {.name = "distilled, with a cache",
         .checkpoint = kDistilled,
         .interval = 3,
         .losses = {"DeepCache, interval 3"},
         .warnings = {"Euler takes steps that it was not made for", "distilled into a few steps"}},
        {.name = "distilled, with a cache, its own sampler",
         .checkpoint = kDistilled,
         .sampler = "checkpoint",
         .steps = 4,
         .interval = 2,
         .refusal = "LCM takes a few steps"},
        {.name = "distilled, with a cache that spares nothing",
         .checkpoint = kDistilled,
         .interval = 1,
         .warnings = {"Euler takes steps"}},
        {.name = "beyond the network", .interval = 3, .depth = 100, .refusal = "goes down to"},
    };
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class StepCacheChoicesTest : public QObject {
    Q_OBJECT

    static StageSpec specOf(const Choice& choice) {
        const DryRunCase dryRunCase{
            .checkpoint = choice.checkpoint, .sampler = choice.sampler, .steps = choice.steps};
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, dryRunCase.checkpoint);
        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        request.eta = choice.eta;
        if (choice.interval > 0) {
            request.stepCache = sampling::stepCacheNamed("deepcache")
                                    .make({{"interval", choice.interval}, {"depth", choice.depth}});
        }
        return testing::spec(bench.stages(),
                             testing::known(testing::shapesOf(model, dryRunCase), request));
    }

private Q_SLOTS:

    void choicesAreJudged_data() { testing::addEach(choices(), &Choice::name); }

    void choicesAreJudged() {
        QFETCH(int, index);
        const Choice choice = choices()[static_cast<size_t>(index)];
        StageSpec spec;
        const auto error = testing::errorOf([&] { spec = specOf(choice); });
        QCOMPARE(error.has_value(), *choice.refusal != 0);
        if (error) {
            QCOMPARE(error->item(), std::string("step_cache"));
            QVERIFY2(contains(error->message().str(), choice.refusal),
                     error->message().str().c_str());
            QVERIFY(!error->hint().empty());
            return;
        }
        QCOMPARE(spec.precisions.size(), size_t{1});
        const std::vector<Message>& losses = spec.precisions.front().reuse;
        QCOMPARE(losses.size(), choice.losses.size());
        for (size_t i = 0; i < losses.size(); ++i) {
            QVERIFY2(contains(losses[i].str(), choice.losses[i]), losses[i].str().c_str());
        }
        QCOMPARE(spec.issues.size(), choice.warnings.size());
        for (size_t i = 0; i < spec.issues.size(); ++i) {
            QVERIFY(spec.issues[i].severity == Severity::Warning);
            QVERIFY2(contains(spec.issues[i].message.str(), choice.warnings[i]),
                     spec.issues[i].message.str().c_str());
        }
    }
};

LOWTIDE_TEST(StepCacheChoicesTest)

}  // namespace step_cache_choices_test

#include "step_cache_choices_test.moc"
