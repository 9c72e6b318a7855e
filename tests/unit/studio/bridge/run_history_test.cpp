#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/quick_runner.hpp"

namespace run_history_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

bool isWhole(const QueuedRun& run) {
    return !run.report.is_null() && !run.nodeImage.image.isNull();
}

bool isThin(const QueuedRun& run) {
    return run.report.is_null() && run.nodeImage.image.isNull();
}

QueuedRun called(const char* title, const QStringList& files = {}) {
    QueuedRun run;
    run.title = title;
    run.files = files;
    return run;
}

}  // namespace

class RunHistoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The list fills up, and then nothing grows any more.
    void aNightOfRunsTakesNoMoreMemoryThanAnEvening() {
        constexpr int64_t kList = 10 << 20;
        constexpr int64_t kNoise = 2 << 20;  // what a heap of many threads keeps
        constexpr int kMore = 150;           // their graphs alone are 3 MB
        QuickRunner runner;
        RunQueue queue(runner);
        runMany(queue, 50);
        const int64_t before = testing::residentMemory();
        QVERIFY(before > 0);
        runMany(queue, static_cast<int>(RunHistory::kMostEnded));
        const int64_t full = testing::residentMemory();
        runMany(queue, kMore);
        const int64_t later = testing::residentMemory();
        qInfo("the list of %zu runs takes %lld KiB; after %d more, %lld KiB more",
              RunHistory::kMostEnded,
              static_cast<long long>((full - before) / 1024),
              kMore,
              static_cast<long long>((later - full) / 1024));
        QVERIFY(full - before < kList);
        QVERIFY(later - full < kNoise);
    }

    void theNewestKeepWhatIsLarge_olderOnesTheirThumbnail() {
        QuickRunner runner;
        RunQueue queue(runner);
        runMany(queue, static_cast<int>(RunHistory::kMostWhole) + 2);
        const std::deque<QueuedRun>& runs = queue.runs();
        for (size_t i = 0; i < runs.size(); ++i) {
            QVERIFY(i < 2 ? isThin(runs[i]) : isWhole(runs[i]));
            QCOMPARE(runs[i].thumbnail.size(), QSize(96, 96));
            QCOMPARE(runs[i].graph.size(), size_t{20'000});
        }
    }

    void theOldestGo_whatWaitsRemains() {
        RunHistory history;
        constexpr auto kAll = static_cast<quint64>(RunHistory::kMostEnded) + 3;
        for (quint64 i = 0; i < kAll + 5; ++i) {
            history.add(called("x"), false);
        }
        for (quint64 id = 1; id <= kAll; ++id) {
            history.end(id, RunState::Finished);
        }
        QCOMPARE(history.runs().size(), RunHistory::kMostEnded + 5);
        QCOMPARE(history.runs().front().id, quint64{4});
        QVERIFY(!history.find(3));
        QCOMPARE(history.nextWaiting()->id, kAll + 1);
    }

    void aThumbnailIsNoLargerThanItsImage() {
        RunHistory history;
        const quint64 wide = history.add(called("wide"), false);
        history.find(wide)->nodeImage.image = QImage(400, 100, QImage::Format_RGB888);
        history.end(wide, RunState::Finished);
        QCOMPARE(history.find(wide)->thumbnail.size(), QSize(96, 24));
        const quint64 small = history.add(called("small"), false);
        history.find(small)->nodeImage.image = QImage(8, 8, QImage::Format_RGB888);
        history.end(small, RunState::Finished);
        QCOMPARE(history.find(small)->thumbnail.size(), QSize(8, 8));
    }

    void whatAFileHoldsIsNotKeptWhole() {
        RunHistory history;
        const quint64 id = history.add(called("x", {"a.png"}), false);
        const QImage whole(1024, 1024, QImage::Format_RGB888);
        history.find(id)->nodeImage = {
            .image = whole.scaled(512, 512), .size = whole.size(), .whole = whole};
        history.end(id, RunState::Finished);
        QVERIFY(history.find(id)->nodeImage.whole.isNull());
        QCOMPARE(history.find(id)->nodeImage.size, QSize(1024, 1024));
        QCOMPARE(history.find(id)->largest().size(), QSize(512, 512));
    }

    void onlyTheNewestKeepLargeImages() {
        RunHistory history;
        for (int i = 0; i < 4; ++i) {
            const quint64 id = history.add(called("x"), false);
            const QImage whole(1024, 1024, QImage::Format_RGB888);
            history.find(id)->nodeImage = {
                .image = whole.scaled(512, 512), .size = whole.size(), .whole = whole};
            history.end(id, RunState::Finished);
        }
        for (const QueuedRun& run : history.runs()) {
            QCOMPARE(run.largest().width(), run.id + RunHistory::kMostLarge > 4 ? 1024 : 512);
        }
    }

    void aPreviewIsNoResult() {
        RunHistory history;
        const quint64 id = history.add(called("x"), false);
        history.find(id)->nodeImage = {.image = QImage(8, 8, QImage::Format_RGB888),
                                       .step = ImageStep{.done = 1, .total = 2}};
        history.end(id, RunState::Cancelled);
        QVERIFY(history.find(id)->nodeImage.image.isNull());
        QVERIFY(history.find(id)->thumbnail.isNull());
    }

    /// Also where others have ended meanwhile, and none is kept that would have gone by now.
    void whatWasRemovedReturnsToItsPosition() {
        RunHistory history;
        for (int run = 0; run < 4; ++run) {
            history.add(called("x"), false);
        }
        for (const quint64 id : {1, 2, 3}) {
            history.end(id, RunState::Finished);
        }
        const auto order = [&] {
            std::vector<quint64> ids;
            for (const QueuedRun& run : history.runs()) {
                ids.push_back(run.id);
            }
            return ids;
        };
        const std::vector<quint64> before = order();
        std::vector<QueuedRun> removed = history.remove({1, 3, 4});
        QCOMPARE(removed.size(), size_t{2});
        QCOMPARE(order(), (std::vector<quint64>{2, 4}));
        history.restore(std::move(removed));
        QCOMPARE(order(), before);

        history.end(4, RunState::Finished);
        removed = history.remove({1});
        for (size_t run = 0; run < RunHistory::kMostEnded; ++run) {
            history.end(history.add(called("new"), false), RunState::Finished);
        }
        history.restore(std::move(removed));
        QVERIFY(!history.find(1));
    }

    void waitingRunsTakeAnOrder_othersFollowTheOneBefore() {
        RunHistory history;
        for (int run = 0; run < 5; ++run) {
            history.add(called("x"), false);
        }
        history.orderWaiting({4, 1, 3});  // 2 follows 1, 5 follows 4
        std::vector<quint64> ids;
        for (const QueuedRun& run : history.runs()) {
            ids.push_back(run.id);
        }
        QCOMPARE(ids, (std::vector<quint64>{4, 5, 1, 2, 3}));
    }

    void itKnowsWhatWasWrittenTogether() {
        RunHistory history;
        history.add(called("first", {"a.png", "b.png"}), false);
        history.add(called("second", {"c.png"}), false);
        history.add(called("the same once more", {"b.png", "d.png"}), false);
        QCOMPARE(history.siblingFiles("a.png"), (QStringList{"a.png", "b.png"}));
        QCOMPARE(history.siblingFiles("b.png"), (QStringList{"b.png", "d.png"}));
        QCOMPARE(history.siblingFiles("x.png"), QStringList{"x.png"});
    }
};

LOWTIDE_TEST(RunHistoryTest)

}  // namespace run_history_test

#include "run_history_test.moc"
