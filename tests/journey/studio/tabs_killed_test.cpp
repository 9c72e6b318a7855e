// Studios with three tabs that are killed at any moment: the next one has all three.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/studio_session.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <csignal>

namespace tabs_killed_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 120000;
constexpr int kTabs = 3;
constexpr int kDeaths = 6;
constexpr int kDeathsOfTheWholeTest = 40;
constexpr int kMostMilliseconds = 1500;  ///< so that journals are written meanwhile
constexpr const char* kChild = "LOWTIDE_TABS_CHILD";
constexpr const char* kReady = "three tabs\n";

void showMessage(const char* line) {
    std::fputs(line, stdout);
    std::fflush(stdout);
}

void changeSteps(GraphModel& model, int steps) {
    model.apply("Steps", [&](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = steps;
    });
}

/// Three new graphs, each edited and in its journal.
bool openTabs(StudioSession& studio) {
    for (int tab = 1; tab <= kTabs; ++tab) {
        if (tab > 1) {
            studio.window().actions().at("file.new").trigger();
        }
        changeSteps(studio.model(), tab);
    }
    return studio.workspace().file.keepAll().empty();
}

bool hasTabs(StudioSession& studio) {
    const std::vector<DocumentId> open = studio.workspace().file.documents();
    return open.size() == kTabs && std::ranges::all_of(open, [&](DocumentId id) {
               return !studio.model().undoStack(id).isClean();
           });
}

/// A user who edits one graph after the other.
void workForEver(StudioSession& studio) {
    DocumentFile& file = studio.workspace().file;
    for (int round = 0;; ++round) {
        file.show(file.documents().at(static_cast<size_t>(round % kTabs)));
        changeSteps(studio.model(), 10 + round);
        QTest::qWait(20);
    }
}

}  // namespace

class TabsKilledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void allTabsAreBack() {
        const QTemporaryDir folder;
        const int deaths = isFullTest() ? kDeathsOfTheWholeTest : kDeaths;
        for (int death = 0; death < deaths; ++death) {
            QProcess child;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(kChild, death == 0 ? "first" : "next");
            child.setProcessEnvironment(environment);
            child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
            child.start(QCoreApplication::applicationFilePath(),
                        {"tabs_killed_test", folder.path()});
            QVERIFY(child.waitForStarted(kPatience));
            // Every other one is killed while it opens what was open, too.
            if (death % 2 == 0) {
                QVERIFY(child.waitForReadyRead(kPatience));
                QCOMPARE(child.readAllStandardOutput(), QByteArray(kReady));
            }
            QTest::qSleep(QRandomGenerator::global()->bounded(kMostMilliseconds));
            QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
            QVERIFY(child.waitForFinished(kPatience));
            QVERIFY2(!child.readAllStandardOutput().contains("lost"), qPrintable(folder.path()));
        }
    }
};

/// The test, or a studio that it starts.
int runTabsKilled(int count, char** words) {
    WatchedApplication application(count, words);
    const QByteArray child = qgetenv(kChild);
    if (child.isEmpty()) {
        TabsKilledTest test;
        return QTest::qExec(&test, count, words);
    }
    StudioSession studio(QApplication::arguments().value(1));
    if (!studio.isReady()) {
        return 1;
    }
    const bool isThere = child == "first" ? openTabs(studio) : hasTabs(studio);
    showMessage(isThere ? kReady : "lost\n");
    workForEver(studio);
    return 1;
}

LOWTIDE_TEST_MAIN(runTabsKilled)

}  // namespace tabs_killed_test

#include "tabs_killed_test.moc"
