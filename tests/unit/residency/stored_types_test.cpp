// Weights that lie on a device in another type than the network computes in: the same bits under
// every policy, and the bytes of the type in which they lie.
#include "plugin/base/error.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/storage_sources.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace stored_types_test {

using namespace lowtide;
using memory::ComponentTree;
using testing::Bench;
using testing::NodeRun;
using testing::typed;

namespace {

constexpr std::array kStorages = {"f32", "f16", "bf16", "f8", "file"};
constexpr std::array kComputes = {"f32", "bf16", "f16"};

}  // namespace

class StoredTypesTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void aLeaseHasTheBitsOfTheStoredType_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("storage");
        QTest::addColumn<QString>("compute");
        size_t row = 0;
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : testing::kPolicies) {
                for (const char* storage : kStorages) {
                    const char* compute = kComputes[row++ % kComputes.size()];
                    QTest::addRow("%s, %s, %s, %s", device, policy, storage, compute)
                        << device << policy << storage << compute;
                }
            }
        }
    }

    void aLeaseHasTheBitsOfTheStoredType() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(QString, storage);
        QFETCH(QString, compute);
        Bench bench(folder_.newPath(), device, {}, {.longestDelay = 0.0005});
        const ComponentTree& plain = *bench.model.denoiser();
        const auto tree = typed(plain, storage.toStdString(), compute.toStdString());
        NodeRun node(bench, tree, policy.toStdString());
        for (int forward = 0; forward < 2; ++forward) {
            node.beginForward();
            for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
                const residency::Lease lease = bench.residency->use(*tree, leaf);
                for (size_t i = 0; i < lease.size(); ++i) {
                    const memory::Weight& weight = plain.weights[plain.leaves[leaf].weights[i]];
                    const at::Tensor expected =
                        testing::storedAs(bench.model.expected(plain, weight),
                                          storage.toStdString(),
                                          compute.toStdString());
                    QVERIFY2(at::equal(lease[i].cpu(), expected), weight.name.c_str());
                    QCOMPARE(lease[i].scalar_type(),
                             testing::floatTypeNamed(compute.toStdString()));
                }
            }
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void theLedgerHasTheBytesOfTheStorage_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("storage");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* storage : kStorages) {
                QTest::addRow("%s, %s", device, storage) << device << storage;
            }
        }
    }

    void theLedgerHasTheBytesOfTheStorage() {
        QFETCH(QString, device);
        QFETCH(QString, storage);
        Bench bench(folder_.newPath(), device);
        const auto tree = typed(*bench.model.denoiser(), storage.toStdString(), "f32");
        NodeRun node(bench, tree, "none");
        node.beginForward();
        static_cast<void>(node.read(0));
        QCOMPARE(bench.weightsOf(*tree), Bench::expectedWeights(*tree));
        const double fraction = static_cast<double>(tree->deviceBytes()) /
                                static_cast<double>(bench.model.denoiser()->deviceBytes());
        const bool isWhole = storage == "f32" || storage == "file";
        QVERIFY2(isWhole ? fraction == 1 : fraction < (storage == "f8" ? 0.45 : 0.65),
                 qPrintable(QString::number(fraction)));
    }

    /// One run may use a component in two ways: the bytes are the same.
    void theSameBytesComputeInAnotherType() {
        Bench bench(folder_.newPath(), "fake");
        const auto half = typed(*bench.model.denoiser(), "bf16", "bf16");
        const auto exact = typed(*bench.model.denoiser(), "bf16", "f32");
        QCOMPARE(half->id, exact->id);
        NodeRun node(bench, half, "none");
        node.beginForward();
        const at::Tensor first = bench.residency->use(*half, 0)[0].cpu();
        const at::Tensor second = bench.residency->use(*exact, 0)[0].cpu();
        QCOMPARE(second.scalar_type(), at::kFloat);
        QVERIFY(at::equal(first.to(at::kFloat), second));
    }

    void scaledBytesDoNotDependOnPieces_data() {
        const testing::Rows<qint64, qint64, bool> add("piece", "scratch", "isBackwards");
        add("at once", qint64(1 << 30), qint64(1 << 20), false);
        add("pieces inside of rows", 5, qint64(1 << 20), false);
        add("a scratch smaller than a row", 64, 80, false);
        add("the last piece first", 7, 96, true);
    }

    void scaledBytesDoNotDependOnPieces() {
        QFETCH(qint64, piece);
        QFETCH(qint64, scratch);
        QFETCH(bool, isBackwards);
        const std::string path = folder_.newPath();
        const testing::SyntheticModel model(path, {.alignment = 8, .shift = 1});
        const auto tree = typed(*model.denoiser(), "f8", "f32");
        const memory::Storage& storage = tree->storages[0];
        QVERIFY(storage.scaleCount > 1);
        std::vector<std::byte> buffer(static_cast<size_t>(scratch));
        const residency::ByteSource source =
            residency::scaledSource(std::make_shared<const files::InputFile>(path),
                                    "denoiser",
                                    storage,
                                    buffer,
                                    std::make_shared<residency::Upload>(),
                                    {});
        const Bytes bytes = tree->deviceBytes(0);
        std::vector<std::byte> got(static_cast<size_t>(bytes), std::byte{0xFF});
        std::vector<Bytes> begins;
        for (Bytes begin = 0; begin < bytes; begin += piece) {
            begins.push_back(begin);
        }
        if (isBackwards) {
            std::reverse(begins.begin(), begins.end());
        }
        for (const Bytes begin : begins) {
            QVERIFY(source(got.data() + begin, begin, std::min<Bytes>(piece, bytes - begin)));
        }
        const Shape& shape = tree->weights[0].shape;
        const at::Tensor values = at::from_blob(got.data(), shape, at::kFloat8_e4m3fn);
        const at::Tensor scales =
            at::from_blob(got.data() + storage.scaleOffset(), {storage.scaleCount, 1}, at::kFloat);
        const at::Tensor seen = (values.to(at::kFloat).flatten(1) * scales).view(shape);
        QVERIFY(at::equal(
            seen, testing::roundedToF8(model.expected(*model.denoiser(), tree->weights[0]))));
    }

    void scalesArePowersOfTwoThatUseTheRange() {
        for (const float largest : {1e-25F, 0.001F, 1.0F, 447.9F, 448.0F, 448.1F, 1e30F}) {
            const float scale = residency::scaleFor(largest);
            int exponent = 0;
            QCOMPARE(std::frexp(scale, &exponent), 0.5F);
            QVERIFY(largest / scale <= 448);
            QVERIFY(largest / scale > 224);
        }
        QCOMPARE(residency::scaleFor(0), 1.0F);
        QCOMPARE(residency::scaleFor(std::numeric_limits<float>::infinity()), 1.0F);
    }
};

LOWTIDE_TEST(StoredTypesTest)

}  // namespace stored_types_test

#include "stored_types_test.moc"
