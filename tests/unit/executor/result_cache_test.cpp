#include "plugin/executor/result_cache.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <QtTest/QtTest>

namespace result_cache_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

std::map<std::string, memory::WireRef, std::less<>> valueOf(Bytes bytes) {
    return {{"value", std::make_shared<StubValue>("VALUE", "x", "cpu", bytes)}};
}

}  // namespace

class ResultCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesBackWhatWasPut() {
        cache_.put("key", "node", valueOf(10), {"file"});

        const auto found = cache_.find("key");

        QCOMPARE(textOf(found->outputs.at("value")), std::string("x"));
        QCOMPARE(found->files, std::vector<std::string>{"file"});
        QVERIFY(!cache_.find("other"));
        QCOMPARE(cache_.bytes(), Bytes(10));
        QCOMPARE(ledger_.snapshot().at("cpu").byOwner.at("node.value")[3], Bytes(10));  // Cache
    }

    void knowsAndDropsWhatIsDead() {
        cache_.pin({"pinned"}, 100);
        cache_.put("live", "n", valueOf(10), {});
        cache_.put("pinned", "n", valueOf(20), {});
        cache_.put("dead", "n", valueOf(30), {});
        const std::set<std::string, std::less<>> live = {"live"};
        QCOMPARE(cache_.deadBytes(live), Bytes(30));

        QCOMPARE(cache_.dropDead(live), int64_t{1});

        QVERIFY(cache_.find("live") && cache_.find("pinned") && !cache_.find("dead"));
        QCOMPARE(cache_.deadBytes(live), Bytes(0));
        QCOMPARE(kept(), Bytes(30));
    }

    void pinnedResultsHaveALimitOfTheirOwn() {
        cache_.put("a", "n", valueOf(60), {});  // of 100
        cache_.pin({"a", "b"}, 150);
        cache_.put("b", "n", valueOf(70), {});
        cache_.put("c", "n", valueOf(90), {});
        QVERIFY(cache_.find("b") && cache_.find("a") && cache_.find("c"));
        QCOMPARE(cache_.limitOf("a"), Bytes(150));
        QCOMPARE(cache_.limitOf("c"), Bytes(100));

        cache_.pin({"d"}, 100);  // the older pins remain, but not all fit

        QVERIFY(cache_.find("a") && !cache_.find("b") && cache_.find("c"));
        cache_.clear();
        QCOMPARE(cache_.bytes(), Bytes(0));
        cache_.put("d", "n", valueOf(100), {});
        QCOMPARE(kept(), Bytes(100));
    }

    /// A graph that lost its node that keeps: what that kept is within the limit of everything
    /// again.
    void aPinEndsWithTheNodeThatAskedForIt() {
        cache_.pin({"a", "b"}, 1000);
        cache_.put("a", "n", valueOf(90), {});
        cache_.put("b", "n", valueOf(80), {});
        QCOMPARE(kept(), Bytes(170));

        cache_.pin({}, 0, {"of another graph"});
        QCOMPARE(kept(), Bytes(170));
        cache_.pin({}, 0, {"a", "b"});

        QVERIFY(!cache_.find("a") && cache_.find("b"));
        QCOMPARE(kept(), Bytes(80));
        QCOMPARE(cache_.deadBytes({}), Bytes(80));
    }

    void dropsWhatWasUsedLongestAgo() {
        cache_.put("a", "n", valueOf(40), {});
        cache_.put("b", "n", valueOf(40), {});
        QVERIFY(cache_.find("a"));

        cache_.put("c", "n", valueOf(40), {});

        QVERIFY(cache_.find("a"));
        QVERIFY(!cache_.find("b"));
        QVERIFY(cache_.find("c"));
        QCOMPARE(kept(), Bytes(80));
    }

    void replacesTheSameKey() {
        cache_.put("a", "n", valueOf(40), {});

        cache_.put("a", "n", valueOf(30), {});

        QCOMPARE(cache_.bytes(), Bytes(30));
        QCOMPARE(kept(), Bytes(30));
    }

    void doesNotKeepWhatIsLargerThanTheLimit() {
        cache_.put("small", "n", valueOf(40), {});

        cache_.put("large", "n", valueOf(101), {});

        QVERIFY(!cache_.find("large"));
        QVERIFY(cache_.find("small"));
        QCOMPARE(kept(), Bytes(40));
    }

    void keepsBytesInTheLedger_whileSomebodyHoldsThem() {
        cache_.put("a", "n", valueOf(40), {});
        auto held = cache_.find("a");

        QCOMPARE(cache_.clear(), Bytes(40));

        QCOMPARE(cache_.bytes(), Bytes(0));
        QCOMPARE(kept(), Bytes(40));
        held.reset();
        QCOMPARE(kept(), Bytes(0));
    }

    void shrinksWithItsLimit() {
        cache_.put("a", "n", valueOf(40), {});
        cache_.put("b", "n", valueOf(40), {});

        cache_.setLimit(50);

        QVERIFY(!cache_.find("a"));
        QVERIFY(cache_.find("b"));
    }

    void cleanup() {
        cache_.clear();
        cache_.setLimit(100);
    }

private:
    Bytes kept() const { return ledger_.bytesOn("cpu", memory::Tag::Cache); }

    memory::Ledger ledger_;
    ResultCache cache_{ledger_, 100};
};

LOWTIDE_TEST(ResultCacheTest)

}  // namespace result_cache_test

#include "result_cache_test.moc"
