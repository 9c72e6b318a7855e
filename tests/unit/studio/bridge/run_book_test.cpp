#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/quick_runner.hpp"

namespace run_book_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

bool isWhole(const QueuedRun& run) {
    return !run.report.is_null() && !run.picture.image.isNull();
}

bool isThin(const QueuedRun& run) {
    return run.report.is_null() && run.picture.image.isNull();
}

QueuedRun called(const char* title, const QStringList& files = {}) {
    QueuedRun run;
    run.title = title;
    run.files = files;
    return run;
}

}  // namespace

class RunBookTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The list fills up, and then nothing grows any more.
    void aNightOfRunsTakesNoMoreMemoryThanAnEvening() {
        constexpr int64_t kList = 10 << 20;
        constexpr int64_t kNoise = 2 << 20;  // what a heap of many threads keeps
        constexpr int kMore = 300;           // a thousand take a minute, and 1 MiB
        QuickRunner runner;
        RunQueue queue(runner);
        runMany(queue, 50);
        const int64_t before = testing::residentMemory();
        QVERIFY(before > 0);
        runMany(queue, static_cast<int>(RunBook::kMostEnded) + 50);
        const int64_t full = testing::residentMemory();
        runMany(queue, kMore);
        const int64_t later = testing::residentMemory();
        qInfo("the list of %zu runs takes %lld KiB; after %d more, %lld KiB more",
              RunBook::kMostEnded,
              static_cast<long long>((full - before) / 1024),
              kMore,
              static_cast<long long>((later - full) / 1024));
        QVERIFY(full - before < kList);
        QVERIFY(later - full < kNoise);
    }

    void theNewestKeepWhatIsLarge_olderOnesTheirThumbnail() {
        QuickRunner runner;
        RunQueue queue(runner);
        runMany(queue, static_cast<int>(RunBook::kMostWhole) + 2);
        const std::deque<QueuedRun>& runs = queue.runs();
        for (size_t i = 0; i < runs.size(); ++i) {
            QVERIFY(i < 2 ? isThin(runs[i]) : isWhole(runs[i]));
            QCOMPARE(runs[i].thumbnail.size(), QSize(96, 96));
            QCOMPARE(runs[i].graph.size(), size_t{20'000});
        }
    }

    void theOldestGo_whatWaitsStays() {
        RunBook book;
        constexpr auto kAll = static_cast<quint64>(RunBook::kMostEnded) + 3;
        for (quint64 i = 0; i < kAll + 5; ++i) {
            book.add(called("x"), false);
        }
        for (quint64 id = 1; id <= kAll; ++id) {
            book.end(id, RunState::Finished);
        }
        QCOMPARE(book.runs().size(), RunBook::kMostEnded + 5);
        QCOMPARE(book.runs().front().id, quint64{4});
        QVERIFY(!book.find(3));
        QCOMPARE(book.nextWaiting()->id, kAll + 1);
    }

    void aThumbnailIsNoLargerThanItsPicture() {
        RunBook book;
        const quint64 wide = book.add(called("wide"), false);
        book.find(wide)->picture.image = QImage(400, 100, QImage::Format_RGB888);
        book.end(wide, RunState::Finished);
        QCOMPARE(book.find(wide)->thumbnail.size(), QSize(96, 24));
        const quint64 small = book.add(called("small"), false);
        book.find(small)->picture.image = QImage(8, 8, QImage::Format_RGB888);
        book.end(small, RunState::Finished);
        QCOMPARE(book.find(small)->thumbnail.size(), QSize(8, 8));
    }

    void whatAFileHoldsIsNotKeptWhole() {
        RunBook book;
        const quint64 id = book.add(called("x", {"a.png"}), false);
        const QImage whole(1024, 1024, QImage::Format_RGB888);
        book.find(id)->picture = {
            .image = whole.scaled(512, 512), .size = whole.size(), .whole = whole};
        book.end(id, RunState::Finished);
        QVERIFY(book.find(id)->picture.whole.isNull());
        QCOMPARE(book.find(id)->picture.size, QSize(1024, 1024));
        QCOMPARE(book.find(id)->largest().size(), QSize(512, 512));
    }

    void onlyTheNewestKeepLargePictures() {
        RunBook book;
        for (int i = 0; i < 4; ++i) {
            const quint64 id = book.add(called("x"), false);
            const QImage whole(1024, 1024, QImage::Format_RGB888);
            book.find(id)->picture = {
                .image = whole.scaled(512, 512), .size = whole.size(), .whole = whole};
            book.end(id, RunState::Finished);
        }
        for (const QueuedRun& run : book.runs()) {
            QCOMPARE(run.largest().width(), run.id + RunBook::kMostLarge > 4 ? 1024 : 512);
        }
    }

    void aPreviewIsNoResult() {
        RunBook book;
        const quint64 id = book.add(called("x"), false);
        book.find(id)->picture = {.image = QImage(8, 8, QImage::Format_RGB888),
                                  .step = PictureStep{.done = 1, .total = 2}};
        book.end(id, RunState::Cancelled);
        QVERIFY(book.find(id)->picture.image.isNull());
        QVERIFY(book.find(id)->thumbnail.isNull());
    }

    void itKnowsWhatWasWrittenTogether() {
        RunBook book;
        book.add(called("first", {"a.png", "b.png"}), false);
        book.add(called("second", {"c.png"}), false);
        book.add(called("the same once more", {"b.png", "d.png"}), false);
        QCOMPARE(book.filesBeside("a.png"), (QStringList{"a.png", "b.png"}));
        QCOMPARE(book.filesBeside("b.png"), (QStringList{"b.png", "d.png"}));
        QCOMPARE(book.filesBeside("x.png"), QStringList{"x.png"});
    }
};

LOWTIDE_TEST(RunBookTest)

}  // namespace run_book_test

#include "run_book_test.moc"
