#include "plugin/memory/ledger.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <thread>

namespace ledger_test {

using namespace lowtide;
using namespace lowtide::memory;

class LedgerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void countsByDeviceTagAndOwner() {
        Ledger ledger;
        ledger.add("fake", Tag::Weights, "denoiser", 100);
        ledger.add("fake", Tag::Wires, "encode.positive", 20);
        ledger.add("cpu", Tag::Cache, "encode.positive", 7);
        QCOMPARE(ledger.bytesOn("fake"), Bytes{120});
        QCOMPARE(ledger.bytesOn("fake", Tag::Wires), Bytes{20});
        QCOMPARE(ledger.bytesOn("cpu"), Bytes{7});
        QCOMPARE(ledger.bytesOn("cuda:0"), Bytes{0});
        QCOMPARE(ledger.snapshot().at("fake").byOwner.at("denoiser")[0], Bytes{100});
    }

    void forgetsAnOwnerWithoutBytes() {
        Ledger ledger;
        ledger.add("cpu", Tag::Weights, "denoiser", 5);
        ledger.add("cpu", Tag::Weights, "denoiser", -5);
        QVERIFY(ledger.snapshot().at("cpu").byOwner.empty());
    }

    void remembersThePeakUntilARunBegins() {
        Ledger ledger;
        ledger.add("cpu", Tag::Weights, "a", 50);
        ledger.add("cpu", Tag::Weights, "b", 70);
        ledger.add("cpu", Tag::Weights, "a", -50);
        QCOMPARE(ledger.peakOn("cpu"), Bytes{120});
        ledger.beginRun();
        QCOMPARE(ledger.peakOn("cpu"), Bytes{70});
    }

    void reportsAWrongBooking_andRemainsConsistent() {
        Ledger ledger;
        ledger.add("cpu", Tag::Wires, "encode", 5);
        ledger.add("cpu", Tag::Weights, "denoiser", 7);

        ledger.add("cpu", Tag::Wires, "encode", -8);
        ledger.add("fake", Tag::Cache, "nobody", -1);

        QCOMPARE(ledger.bytesOn("cpu"), Bytes{7});
        QCOMPARE(ledger.bytesOn("cpu", Tag::Wires), Bytes{0});
        QCOMPARE(ledger.bytesOn("fake"), Bytes{0});
        QVERIFY(!ledger.snapshot().at("cpu").byOwner.contains("encode"));
        const std::string fault = ledger.takeFault().str();
        QVERIFY2(fault.find("3 B more of wires") != fault.npos &&
                     fault.find("\"encode\" had on cpu") != fault.npos,
                 fault.c_str());
        QVERIFY(ledger.takeFault().empty());
    }

    void setReplacesAMeasuredBalance() {
        Ledger ledger;
        ledger.set("cpu", Tag::Activations, "denoise", 30);
        ledger.set("cpu", Tag::Activations, "denoise", 10);
        QCOMPARE(ledger.bytesOn("cpu"), Bytes{10});
        QCOMPARE(ledger.peakOn("cpu"), Bytes{30});
    }

    void timelineIsInOrderAndStartsOverWithARun() {
        Ledger ledger;
        ledger.event("copy", "fake", "denoise", "denoiser", 3);
        ledger.event("evict", "fake", "denoise", "denoiser", 3);
        const auto events = ledger.timeline().moments();
        QCOMPARE(events.size(), size_t{2});
        QVERIFY(events[0].what == "copy" && events[1].seconds >= events[0].seconds);
        ledger.beginRun();
        QVERIFY(ledger.timeline().moments().empty());
    }

    void reportsEveryEventToAListener() {
        Ledger ledger;
        int heard = 0;
        ledger.listen([&](const LedgerEvent& event) { heard += event.what == "copy" ? 1 : 0; });
        for (int i = 0; i < 10000; ++i) {
            ledger.event("copy", "fake", "denoise", "denoiser.a", 3);
        }
        QCOMPARE(heard, 10000);
        QVERIFY(ledger.timeline().moments().size() <= Timeline::kMostMoves);
        ledger.listen({});
        ledger.event("copy", "fake", "denoise", "denoiser.a", 3);
        QCOMPARE(heard, 10000);
    }

    void sumsHoldUnderConcurrentUse() {
        Ledger ledger;
        constexpr int kRounds = 2000;
        const auto work = [&](const std::string& owner) {
            for (int i = 0; i < kRounds; ++i) {
                ledger.add("cpu", Tag::Wires, owner, 3);
                ledger.event("enter", "cpu", owner, "x", 0);
                ledger.add("cpu", Tag::Wires, owner, -1);
            }
        };
        std::thread other(work, "a");
        work("b");
        other.join();
        QCOMPARE(ledger.bytesOn("cpu"), Bytes{2 * 2 * kRounds});
        QCOMPARE(ledger.timeline().moments().size(), size_t{2 * kRounds});
    }
};

LOWTIDE_TEST(LedgerTest)

}  // namespace ledger_test

#include "ledger_test.moc"
