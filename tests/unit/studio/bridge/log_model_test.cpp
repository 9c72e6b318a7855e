// The log as the studio keeps it: in order, and in memory that a month of lines does not fill.
#include "plugin/base/log.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/log_model.hpp"
#include "ui/bridge/run_queue.hpp"

#include <QtTest/QtTest>

#include <thread>

namespace log_model_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A module's log.
struct OtherLog final : LogSource {
    void add(LogReader& reader) noexcept override {
        readers.push_back(&reader);
        reader.line(Level::Info, 1, "it was started");
    }

    void remove(LogReader& reader) noexcept override {
        readers.erase(std::remove(readers.begin(), readers.end(), &reader), readers.end());
    }

    std::vector<LogReader*> readers;
};

QStringList textsOf(const LogModel& model) {
    QStringList texts;
    for (const LogEntry& entry : model.entries()) {
        texts << entry.text;
    }
    return texts;
}

}  // namespace

class LogModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void showsLinesOfTheProgramAndOfItsModule() {
        OtherLog module;
        LogModel model;
        log(Level::Warning, "of the studio");
        model.follow(&module);
        model.follow(&module);  // a second start
        QTRY_VERIFY(textsOf(model).contains("of the studio"));
        QTRY_COMPARE(textsOf(model).count("it was started"), 1);
        const LogEntry& last = model.entries().back();
        QCOMPARE(last.origin, LogOrigin::Engine);
        QVERIFY(lineOf(last).endsWith("  info  engine  it was started"));
    }

    void asksNoModuleAnyMore_whenItHasGone() {
        OtherLog module;
        {
            LogModel model;
            model.follow(&module);
        }
        QVERIFY(module.readers.empty());
    }

    /// A thousand lines a day are 30,000 a month; here ten times as many come within seconds.
    void aMonthOfLinesTakesNoMoreMemoryThanAnHour() {
        OtherLog module;
        LogModel model;
        model.follow(&module);
        const std::string text(200, 'x');
        const auto write = [&](int count) {
            for (int i = 0; i < count; ++i) {
                module.readers.front()->line(Level::Info, i, text + std::to_string(i));
                if (i % 100 == 0) {
                    QCoreApplication::processEvents();
                }
            }
            QCoreApplication::processEvents();
        };
        write(20'000);
        const Bytes before = testing::residentMemory();
        write(300'000);
        QVERIFY(model.entries().size() <= LogModel::kMostLines);
        QVERIFY(model.entries().back().text.endsWith("299999"));
        const Bytes grown = testing::residentMemory() - before;
        QVERIFY2(grown < 2 * kMiB, qPrintable(QString::number(grown)));
    }

    void longLinesAndAGuiThreadThatIsLateAreBoundedToo() {
        OtherLog module;
        LogModel model;
        model.follow(&module);
        const std::string text(size_t{100'000}, 'y');
        for (int i = 0; i < 20'000; ++i) {
            module.readers.front()->line(Level::Info, i, text);
        }
        QTRY_VERIFY(!model.entries().empty());
        qsizetype characters = 0;
        for (const LogEntry& entry : model.entries()) {
            QVERIFY(entry.text.size() <= LogModel::kLongestLine);
            characters += entry.text.size();
        }
        QVERIFY(characters <= LogModel::kMostCharacters);
    }

    void linesOfThreadsKeepTheirOrder() {
        LogModel model;
        model.clear();
        std::thread writer([] {
            for (int i = 0; i < 1000; ++i) {
                log(Level::Debug, "number " + std::to_string(i));
            }
        });
        writer.join();
        QTRY_VERIFY(textsOf(model).contains("number 999"));
        const QStringList texts = textsOf(model).filter("number ");
        QCOMPARE(texts.front(), "number 0");
        QCOMPARE(texts.size(), 1000);
    }

    void aRunIsReportedWithItsEnd_andWhyItFailed() {
        QueuedRun run{.id = 3, .state = RunState::Failed, .milliseconds = 12'449, .executed = 2};
        run.issues.push_back({.severity = Severity::Error,
                              .node = "decode",
                              .message = Message("no memory is left")});
        QCOMPARE(endText(run),
                 "run 3: failed after 12.4 s, nodes executed: 2; decode: no memory is left");
    }
};

LOWTIDE_TEST(LogModelTest)

}  // namespace log_model_test

#include "log_model_test.moc"
