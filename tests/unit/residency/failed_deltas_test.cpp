// Changes of weights that fail on their way: nothing half changed is used.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/adapted.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <memory>
#include <string>

namespace failed_deltas_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::Outcome;
using testing::AdapterSettings;
using testing::Bench;

namespace {

constexpr AdapterSettings kAdapter{.strength = 0.7, .type = DType::F16};

/// Adapts half of a weight and fails, once, when so many were adapted.
class FailingMath final : public residency::DeltaMath {
public:
    explicit FailingMath(int before) : before_(before) {}

    void apply(at::Tensor& weight,
               std::span<const residency::FactoredDelta> deltas) const override {
        if (before_-- == 0) {
            weight.narrow(0, 0, weight.size(0) / 2).fill_(1000);
            throw Error(ErrorKind::OutOfMemory, Message("no space for the sum"));
        }
        math_.apply(weight, deltas);
    }

    void applyToRows(at::Tensor& rows,
                     const at::Tensor& ids,
                     std::span<const residency::FactoredDelta> deltas) const override {
        math_.applyToRows(rows, ids, deltas);
    }

private:
    testing::LowRankMath math_;
    mutable int before_;
};

/// The leaf's first weight as it must be.
at::Tensor wanted(const Bench& bench, const ComponentTree& plain, memory::LeafId leaf) {
    const memory::Weight& weight = plain.weights[plain.leaves[leaf].weights[0]];
    return testing::changed(bench.model.expected(plain, weight), weight, kAdapter);
}

}  // namespace

class FailedDeltasTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

    /// An engine whose mathematics fails, and its tree of a text encoder: one changed weight is
    /// that of two leaves.
    struct Scene {
        Scene(testing::WeightFolder& folder, const QString& device, int before)
            : bench(folder.newPath(), device),
              tree(testing::adapted(*bench.model.textEncoder(), folder.newPath(), kAdapter)) {
            bench.residency = std::make_unique<residency::Residency>(
                std::make_unique<testing::TestDevices>(
                    residency::FakeSettings{.longestDelay = 0.0005}),
                std::make_shared<FailingMath>(before));
            bench.residency->open(bench.device);
        }

        void begin(const std::string& policy) {
            memory::PlanRequest request = bench.request(policy);
            request.nodes = {{"node", memory::parsePolicy(policy), {tree}}};
            bench.residency->begin(testing::planOf(request), {});
            bench.residency->enter(0);
        }

        void end(Outcome outcome) {
            bench.residency->leave(0);
            bench.residency->end(outcome);
        }

        /// Every leaf in two forwards; throws what the engine throws.
        [[nodiscard]] bool isRight() {
            bool isRight = true;
            for (int forward = 0; forward < 2; ++forward) {
                bench.residency->beginForward(*tree, {});
                for (memory::LeafId leaf = 1; leaf < tree->leaves.size(); ++leaf) {
                    const residency::Lease lease = bench.residency->use(*tree, leaf);
                    isRight = isRight && at::equal(lease[0].cpu(),
                                                   wanted(bench, *bench.model.textEncoder(), leaf));
                }
            }
            return isRight;
        }

        Bench bench;
        std::shared_ptr<const ComponentTree> tree;
    };

private Q_SLOTS:

    void theNextRunIsRight_data() { rows(); }

    void theNextRunIsRight() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, before);
        Scene scene(folder_, device, before);
        scene.begin(policy.toStdString());
        const auto error = testing::errorOf([&] { (void)scene.isRight(); });
        QVERIFY(error && error->kind() == ErrorKind::OutOfMemory);
        scene.end(Outcome::Failed);
        QCOMPARE(scene.bench.total(), 0);
        QCOMPARE(scene.bench.residency->keptComponents().size(), size_t{0});

        scene.begin(policy.toStdString());
        QVERIFY(scene.isRight());
        scene.end(Outcome::Finished);
        scene.bench.residency->release("all");
        QCOMPARE(scene.bench.total(), 0);
        QCOMPARE(scene.bench.residency->hazards().size(), size_t{0});
    }

    /// As a node is run again that ran out of memory.
    void theNodeEnteredAgainIsRight_data() { rows(); }

    void theNodeEnteredAgainIsRight() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, before);
        Scene scene(folder_, device, before);
        scene.begin(policy.toStdString());
        QVERIFY(testing::errorOf([&] { (void)scene.isRight(); }));
        scene.bench.residency->leave(0);
        scene.bench.residency->enter(0);
        QVERIFY(scene.isRight());
        scene.end(Outcome::Finished);
        scene.bench.residency->release("all");
        QCOMPARE(scene.bench.total(), 0);
    }

    /// Whoever asks again in the same node gets an error or what is right.
    void nobodyGetsWhatIsHalfAdapted_data() { rows(); }

    void nobodyGetsWhatIsHalfAdapted() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, before);
        Scene scene(folder_, device, before);
        scene.begin(policy.toStdString());
        QVERIFY(testing::errorOf([&] { (void)scene.isRight(); }));
        bool isRight = true;
        (void)testing::errorOf([&] { isRight = scene.isRight(); });
        QVERIFY(isRight);
        scene.end(Outcome::Failed);
        QCOMPARE(scene.bench.total(), 0);
    }

private:
    static void rows() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("before");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"none",
                                       "none,after=keep",
                                       "model",
                                       "sequential",
                                       "leaf",
                                       "leaf+stream",
                                       "auto"}) {
                for (const int before : {0, 1}) {
                    QTest::addRow("%s, %s, after %d", device, policy, before)
                        << QString(device) << QString(policy) << before;
                }
            }
        }
    }
};

LOWTIDE_TEST(FailedDeltasTest)

}  // namespace failed_deltas_test

#include "failed_deltas_test.moc"
