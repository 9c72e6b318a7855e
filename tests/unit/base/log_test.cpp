// The log as its readers get it: standard error has levels of its own.
#include "plugin/base/log.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <mutex>
#include <thread>
#include <vector>

namespace log_test {

using namespace lowtide;

namespace {

struct Reader final : LogReader {
    void line(Level level, int64_t milliseconds, std::string_view text) noexcept override {
        const std::lock_guard lock(mutex);
        levels.push_back(level);
        texts.emplace_back(text);
        time = milliseconds;
    }

    [[nodiscard]] size_t countOf(const std::string& text) {
        const std::lock_guard lock(mutex);
        return static_cast<size_t>(std::count(texts.begin(), texts.end(), text));
    }

    std::mutex mutex;
    std::vector<Level> levels;
    std::vector<std::string> texts;
    int64_t time = 0;
};

/// Reads while it lives.
struct Reading {
    Reading() { logSource().add(reader); }

    ~Reading() { logSource().remove(reader); }

    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    Reader reader;
};

}  // namespace

class LogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readersGetEveryLevel_whateverStandardErrorShows() {
        Reading reading;
        const size_t before = reading.reader.texts.size();
        setLogLevel(Level::Error);
        for (const Level level : {Level::Debug, Level::Info, Level::Warning}) {
            log(level, "a line with {} in it");
        }
        setLogLevel(Level::Warning);
        QCOMPARE(reading.reader.texts.size(), before + 3);
        QCOMPARE(reading.reader.texts.back(), "a line with {} in it");
        QCOMPARE(reading.reader.levels[before], Level::Debug);
        QCOMPARE(reading.reader.levels[before + 2], Level::Warning);
        QVERIFY(std::abs(reading.reader.time - QDateTime::currentMSecsSinceEpoch()) < 60000);
    }

    void aLateReaderGetsTheNewestLines_andNoMore() {
        for (int i = 0; i < 2000; ++i) {
            log(Level::Debug, "early " + std::to_string(i));
        }
        Reading reading;
        QVERIFY(reading.reader.texts.size() <= 512);
        QCOMPARE(reading.reader.countOf("early 1999"), size_t{1});
        QCOMPARE(reading.reader.countOf("early 0"), size_t{0});
    }

    void whoIsRemovedIsNotCalledAnyMore() {
        Reader reader;
        logSource().add(reader);
        logSource().remove(reader);
        const size_t before = reader.texts.size();
        log(Level::Debug, "unread");
        QCOMPARE(reader.texts.size(), before);
    }

    void linesOfManyThreadsArriveWhole() {
        Reading reading;
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([thread] {
                for (int i = 0; i < 500; ++i) {
                    log(Level::Debug, "of thread " + std::to_string(thread));
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        for (int thread = 0; thread < 4; ++thread) {
            QCOMPARE(reading.reader.countOf("of thread " + std::to_string(thread)), size_t{500});
        }
    }
};

LOWTIDE_TEST(LogTest)

}  // namespace log_test

#include "log_test.moc"
