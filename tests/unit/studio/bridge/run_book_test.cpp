#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/queue_bench.hpp"

#include <QFile>

#include <malloc.h>
#include <unistd.h>

namespace run_book_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kCopies = 1500;
constexpr int kSide = 512;

/// Each of its runs is over at once, with a picture and a long report. Unlike a ScriptedRunner it
/// keeps nothing of them.
class QuickRunner final : public Runner {
public:
    QuickRunner() {
        Json report = {{"status", "ok"}, {"executed", 1}, {"timeline", Json::array()}};
        for (int i = 0; i < kCopies; ++i) {
            report["timeline"].push_back({{"what", "copy"},
                                          {"device", "cpu"},
                                          {"subject", "a leaf of the denoiser"},
                                          {"bytes", 3},
                                          {"t", i * 1e-3}});
        }
        report_ = report.dump();
        auto pixels = std::make_shared<uint8_t[]>(size_t{3} * kSide * kSide);
        picture_ = {.widthPixels = kSide, .heightPixels = kSide, .channels = 3, .pixels = pixels};
    }

    Status check(std::string_view, std::string_view, std::string& result) noexcept override {
        return answer(result);
    }

    Status plan(std::string_view, std::string_view, std::string& result) noexcept override {
        return answer(result);
    }

    Status start(std::string_view,
                 std::string_view,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override {
        run = ++last_;
        observer.event(R"({"event": "runStarted", "nodes": ["a"], "repetitions": 1})");
        observer.preview(run, "a", picture_);
        observer.event(R"({"event": "runFinished", "status": "ok"})");
        return answer(result);
    }

    Status cancel(RunId, CancelMode) noexcept override { return Status::Invalid; }

    Status wait(RunId, std::string& result) noexcept override {
        result = report_;
        return Status::Ok;
    }

    Status memory(std::string& result) noexcept override { return answer(result); }

    Status release(std::string_view) noexcept override { return Status::Ok; }

    Status devices(std::string& result) noexcept override { return answer(result); }

    Status stop() noexcept override { return Status::Ok; }

private:
    static Status answer(std::string& result) {
        result = R"({"issues": []})";
        return Status::Ok;
    }

    std::string report_;
    Image8 picture_;
    RunId last_ = 0;
};

/// Of this program, without what the allocator holds back.
int64_t residentBytes() {
    ::malloc_trim(0);
    QFile file("/proc/self/statm");
    if (!file.open(QIODevice::ReadOnly)) {
        return 0;
    }
    return file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE);
}

void runMany(RunQueue& queue, int count) {
    for (int i = 0; i < count; ++i) {
        waitUntilEnded(queue, queue.add("title", std::string(20'000, 'x'), Json::object()));
    }
}

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

    void aNightOfRunsTakesNoMoreMemoryThanAnEvening() {
        constexpr int64_t kMost = 10 << 20;
        QuickRunner runner;
        RunQueue queue(runner);
        runMany(queue, 50);
        const int64_t before = residentBytes();
        QVERIFY(before > 0);
        runMany(queue, 450);
        const int64_t more = residentBytes() - before;
        qInfo("%lld KiB more after 500 runs than after 50", static_cast<long long>(more / 1024));
        QVERIFY(more < kMost);
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
