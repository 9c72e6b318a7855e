#include "plugin/executor/wires.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <QtTest/QtTest>

namespace wires_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const std::vector<std::string> kDevices = {"cpu", "card"};

/// 100 bytes on a GPU for which the host has no space.
class StuckValue final : public memory::WireValue {
public:
    std::string_view type() const override { return "VALUE"; }

    Bytes bytesOn(std::string_view deviceId) const override { return deviceId == "card" ? 100 : 0; }

    memory::WireRef onHost() const override {
        throw Error(ErrorKind::OutOfMemory, Message("the host is full"));
    }
};

/// As values of tensors are on the cpu: their host copy is another object over the same memory.
class TensorOnHost final : public memory::WireValue {
public:
    std::string_view type() const override { return "VALUE"; }

    Bytes bytesOn(std::string_view device) const override { return device == "cpu" ? 100 : 0; }

    memory::WireRef onHost() const override { return std::make_shared<TensorOnHost>(); }
};

}  // namespace

/// Two sources feed one node each and both feed a last one; values weigh 100 bytes on a GPU.
class WiresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        snapshot_ =
            graph::makeSnapshot(graph::documentFromJson(graphFrom({"a = test.source text=A",
                                                                   "b = test.join a:a",
                                                                   "c = test.join a:b b:a text=c",
                                                                   "out = test.save value:c"})),
                                types_.catalog());
        keys_ = {"ka", "kb", "kc", "kout"};
        cache_ = std::make_unique<ResultCache>(ledger_, 1000);
        ledger_.resetPeaks();
    }

    void countsAValueOnItsDevice_untilItsLastConsumer() {
        Wires run = made();

        run.finish(at("a"), valueOf(100), {});
        QCOMPARE(wires("card"), Bytes(100));
        run.finish(at("b"), valueOf(100), {});
        QCOMPARE(wires("card"), Bytes(200));  // c still reads a
        run.finish(at("c"), valueOf(100), {});
        QCOMPARE(wires("card"), Bytes(100));
        run.finish(at("out"), {}, {});

        QCOMPARE(wires("card"), Bytes(0));
        QCOMPARE(wires("cpu"), Bytes(0));
        QCOMPARE(kept(), Bytes(300));
    }

    void countsAKeptResultOnce_whileItIsUsed() {
        cache_->put(
            "ka", "a", {{"value", std::make_shared<StubValue>("VALUE", "kept", "cpu", 70)}}, {});
        {
            const Wires run = made();
            cache_->clear();

            QCOMPARE(textOf(run.value({"a", at("a"), "value"})), std::string("kept"));
            QCOMPARE(kept(), Bytes(70));
            QCOMPARE(wires("cpu"), Bytes(0));
        }
        QCOMPARE(kept(), Bytes(0));
    }

    void countsAValueOnce_whenItIsOnTheHostAlready() {
        Wires run = made();
        run.finish(at("a"), {{"value", std::make_shared<TensorOnHost>()}}, {});
        run.finish(at("b"), valueOf(0), {});
        run.finish(at("c"), valueOf(0), {});  // the last that reads a

        QCOMPARE(kept(), Bytes(100));
        QCOMPARE(ledger_.snapshot().at("cpu").peak, Bytes(100));
    }

    void givesUpANodesResult_whenOneOutputIsTooLarge() {
        Wires run = made();
        run.finish(at("a"), valueOf(1001), {});
        run.finish(at("b"), valueOf(100), {});
        run.finish(at("c"), valueOf(100), {});
        run.finish(at("out"), {}, {});

        QCOMPARE(kept(), Bytes(200));
        QVERIFY(!cache_->find("ka"));
    }

    void givesUpANodesResult_whenTheHostHasNoSpace() {
        Wires run = made();
        run.finish(at("a"), {{"value", std::make_shared<StuckValue>()}}, {});
        run.finish(at("b"), valueOf(100), {});

        run.finish(at("c"), valueOf(100), {});  // the last that reads a

        QCOMPARE(wires("card"), Bytes(100));
        run.finish(at("out"), {}, {});
        QCOMPARE(kept(), Bytes(200));
        QVERIFY(!cache_->find("ka") && cache_->find("kb") && cache_->find("kc"));
    }

    void keepsFinishedNodes_whenTheRunEndsEarly() {
        Wires run = made();
        run.finish(at("a"), valueOf(100), {});
        run.finish(at("b"), valueOf(100), {});

        run.finishEarly();

        QVERIFY(cache_->find("ka"));
        QVERIFY(cache_->find("kb"));
        QVERIFY(!cache_->find("kc"));
        QCOMPARE(wires("card") + wires("cpu"), Bytes(0));
        QCOMPARE(kept(), Bytes(200));
    }

    void forgetsNothing_whenTheNextRunDropsIt() {
        {
            Wires run = made();
            run.finish(at("a"), valueOf(100), {});
        }

        QCOMPARE(wires("card"), Bytes(0));
        QCOMPARE(kept(), Bytes(0));
    }

private:
    Wires::Outputs valueOf(Bytes bytes) const {
        return {{"value", std::make_shared<StubValue>("VALUE", "x", "card", bytes)}};
    }

    Bytes wires(const char* device) const { return ledger_.bytesOn(device, memory::Tag::Wires); }

    Bytes kept() const { return ledger_.bytesOn("cpu", memory::Tag::Cache); }

    size_t at(const std::string& id) const {
        for (size_t i = 0; i < snapshot_->nodes.size(); ++i) {
            if (snapshot_->nodes[i].id == id) {
                return i;
            }
        }
        return snapshot_->nodes.size();
    }

    Wires made() {
        return Wires(*snapshot_,
                     selectWork(*snapshot_, keptIn(*cache_, keys_)),
                     keys_,
                     kDevices,
                     ledger_,
                     *cache_);
    }

    StubWorld world_;
    NodeTypes types_{stubNodes(world_)};
    std::shared_ptr<const graph::Snapshot> snapshot_;
    std::vector<std::string> keys_;
    memory::Ledger ledger_;
    std::unique_ptr<ResultCache> cache_;
};

LOWTIDE_TEST(WiresTest)

}  // namespace wires_test

#include "wires_test.moc"
