#include "plugin/base/error.hpp"
#include "plugin/base/stop_token.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <thread>

namespace stop_token_test {

using namespace lowtide;
using lowtide::testing::errorOf;

class StopTokenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aTokenOfItsOwnNeverStops() {
        const StopToken token;
        QVERIFY(!errorOf([&] { token.throwIfStopped(); }));
        QVERIFY(!errorOf([&] { token.throwIfStoppedBetweenImages(); }));
    }

    void nowStopsEverywhere() {
        StopSource source;
        const StopToken token = source.token();
        source.cancel(CancelMode::Now);
        const auto inside = errorOf([&] { token.throwIfStopped(); });
        QVERIFY(inside);
        QCOMPARE(inside->kind(), ErrorKind::Cancelled);
        QVERIFY(errorOf([&] { token.throwIfStoppedBetweenImages(); }));
    }

    void afterThisImageStopsBetweenImagesOnly() {
        StopSource source;
        const StopToken token = source.token();
        source.cancel(CancelMode::AfterThisImage);
        QVERIFY(!errorOf([&] { token.throwIfStopped(); }));
        const auto between = errorOf([&] { token.throwIfStoppedBetweenImages(); });
        QVERIFY(between);
        QCOMPARE(between->kind(), ErrorKind::Cancelled);
    }

    void cancelOnlyTightens() {
        StopSource source;
        source.cancel(CancelMode::Now);
        source.cancel(CancelMode::AfterThisImage);
        source.cancel(CancelMode::No);
        QCOMPARE(source.token().mode(), CancelMode::Now);
        StopSource later;
        later.cancel(CancelMode::AfterThisImage);
        later.cancel(CancelMode::Now);
        QCOMPARE(later.token().mode(), CancelMode::Now);
    }

    void runsDoNotStopEachOther() {
        StopSource first;
        StopSource second;
        first.cancel(CancelMode::Now);
        QCOMPARE(second.token().mode(), CancelMode::No);
    }

    void aWaitingThreadSeesTheFlag() {
        StopSource source;
        std::thread worker([token = source.token()] {
            while (token.mode() == CancelMode::No) {
                std::this_thread::yield();
            }
        });
        source.cancel(CancelMode::AfterThisImage);
        worker.join();
        QCOMPARE(source.token().mode(), CancelMode::AfterThisImage);
    }
};

LOWTIDE_TEST(StopTokenTest)

}  // namespace stop_token_test

#include "stop_token_test.moc"
