// Adapters whose files hold NaN or infinity: refused where they are read, with file and key.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/adapted.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"

#include <ATen/ATen.h>

#include <QFileInfo>
#include <QTest>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace adapter_values_test {

using namespace lowtide;
using memory::ComponentTree;
using testing::AdapterSettings;
using testing::Bench;
using testing::NodeRun;

namespace {

using TreeRef = std::shared_ptr<const ComponentTree>;

/// Leases all leaves, twice.
void readAll(Bench& bench, const ComponentTree& tree) {
    for (int forward = 0; forward < 2; ++forward) {
        bench.residency->beginForward(tree, {});
        for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
            if (!tree.leaves[leaf].gathered) {
                (void)bench.residency->use(tree, leaf);
            }
        }
    }
}

/// What a run of `work` with the tree ends with, once it has begun; nothing remains.
std::optional<Error> endOf(Bench& bench,
                           const TreeRef& tree,
                           const std::string& policy,
                           const std::function<void()>& work) {
    memory::PlanRequest request = bench.request(policy);
    request.nodes = {{"node", memory::parsePolicy(policy), {tree}}};
    bench.residency->begin(testing::planOf(request), {});  // reads no weight
    const auto error = testing::errorOf([&] {
        bench.residency->enter(0);
        work();
    });
    bench.residency->leave(0);
    bench.residency->end(memory::Outcome::Failed);
    return error;
}

}  // namespace

class AdapterValuesTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

    [[nodiscard]] static TreeRef made(bool isComposed,
                                      const ComponentTree& plain,
                                      const std::string& path,
                                      const AdapterSettings& settings,
                                      const QString& storage = "file") {
        const TreeRef tree = isComposed ? testing::withLayers(plain, path, settings)
                                        : testing::adapted(plain, path, settings);
        return storage == "file" ? tree : testing::typed(*tree, storage.toStdString(), "f32");
    }

    static void compareMessage(const std::optional<Error>& error,
                               const std::string& role,
                               const std::string& path,
                               const std::string& key) {
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(!error->hint().empty());
        const std::string file = QFileInfo(QString::fromStdString(path)).fileName().toStdString();
        for (const std::string& part : {role, file, key, std::string("not finite")}) {
            QVERIFY2(error->message().str().find(part) != std::string::npos,
                     error->message().str().c_str());
        }
    }

private Q_SLOTS:

    void oddValuesAreRefused_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<bool>("isComposed");
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("storage");
        QTest::addColumn<double>("odd");
        const auto row = [](const char* device,
                            const char* policy,
                            bool isComposed,
                            DType type = DType::F32,
                            const char* storage = "file",
                            double odd = std::nan("")) {
            QTest::addRow("%s, %s, %s of %s as %s, %g",
                          device,
                          policy,
                          isComposed ? "layers" : "changes",
                          std::string(nameOf(type)).c_str(),
                          storage,
                          odd)
                << QString(device) << QString(policy) << isComposed << static_cast<int>(type)
                << QString(storage) << odd;
        };
        for (const bool isComposed : {false, true}) {
            for (const char* device : {"cpu", "fake"}) {
                for (const char* policy : {"none", "model", "sequential", "leaf+stream", "auto"}) {
                    row(device, policy, isComposed);
                }
                row(device, "leaf", isComposed, DType::F16, "file", HUGE_VAL);
                row(device, "leaf", isComposed, DType::BF16, "f16", -HUGE_VAL);
            }
        }
        row("fake", "leaf+stream", true, DType::F16, "f8");
        row("cpu", "none", true, DType::F32, "f8", HUGE_VAL);
    }

    /// Not before they are read, under every policy; and the next run is right.
    void oddValuesAreRefused() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(bool, isComposed);
        QFETCH(int, type);
        QFETCH(QString, storage);
        QFETCH(double, odd);
        Bench bench(folder_.newPath(), device, {}, {.longestDelay = 0.0005});
        const ComponentTree& plain = *bench.model.denoiser();
        AdapterSettings settings{.type = static_cast<DType>(type), .odd = odd};
        const std::string path = folder_.newPath();
        const TreeRef tree = made(isComposed, plain, path, settings, storage);
        const auto error = endOf(bench, tree, policy.toStdString(), [&] { readAll(bench, *tree); });
        compareMessage(error, "denoiser", path, isComposed ? "layer" : "down");
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);

        settings.odd.reset();
        const TreeRef good = made(isComposed, plain, folder_.newPath(), settings);
        const auto none = endOf(bench, good, policy.toStdString(), [&] {
            const residency::Lease lease = bench.residency->use(*good, 1);
            const memory::Weight& weight = plain.weights[plain.leaves[1].weights[0]];
            const at::Tensor hostWeight = bench.model.expected(plain, weight);
            QVERIFY(at::equal(
                lease[0].cpu(),
                isComposed ? hostWeight : testing::changed(hostWeight, weight, settings)));
            QVERIFY(!isComposed || at::equal(lease[1].cpu(), testing::layerOf(settings)));
        });
        QVERIFY2(!none, none ? none->message().str().c_str() : "");
        QCOMPARE(bench.total(), 0);
    }

    void oddValuesOfTablesAreRefused_data() { testing::addDevices(); }

    void oddValuesOfTablesAreRefused() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        const std::string path = folder_.newPath();
        const TreeRef tree = made(false, *bench.model.textEncoder(), path, {.odd = std::nan("")});
        const auto error = endOf(bench, tree, "none", [&] {
            // The table's factors alone: what is leased is another leaf's.
            (void)bench.residency->gatherRows(*tree, 0, at::tensor({3}, at::kLong));
        });
        compareMessage(error, "text_encoder", path, "down");
        QCOMPARE(bench.total(), 0);
    }

    /// A checkpoint's own values are its maker's: nothing is looked at.
    void aCheckpointsOwnValuesAreUsedAsTheyAre() {
        Bench bench(folder_.newPath(), "fake");
        const TreeRef& plain = bench.model.denoiser();
        for (const memory::Storage& storage : plain->storages) {
            QVERIFY(!storage.mustBeFinite);
        }
        NodeRun node(bench, plain, "leaf+stream");
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
    }
};

LOWTIDE_TEST(AdapterValuesTest)

}  // namespace adapter_values_test

#include "adapter_values_test.moc"
