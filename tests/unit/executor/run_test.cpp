#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace run_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const std::vector<std::string> kChain = {
    "a = test.source text=A", "b = test.join a:a", "c = test.join a:b", "out = test.save value:c"};
const std::vector<std::string> kDiamond = {"a = test.source text=A",
                                           "l = test.join a:a text=l",
                                           "r = test.join a:a text=r",
                                           "j = test.join a:l b:r",
                                           "out = test.save value:j"};

std::vector<std::string> with(std::vector<std::string> lines, size_t index, std::string line) {
    lines[index] = std::move(line);
    return lines;
}

class NotingHooks final : public RunHooks {
public:
    void beforeRun(int repetition) override { add("run " + std::to_string(repetition)); }

    void beforeNode(std::string_view node) override { add("before " + std::string(node)); }

    void afterNode(std::string_view node, double) override { add("after " + std::string(node)); }

    void afterRun(memory::Outcome outcome) override {
        add("end " + std::to_string(static_cast<int>(outcome)));
    }

    std::function<void(const std::string&)> on;
    std::vector<std::string> calls;

private:
    void add(std::string call) {
        calls.push_back(call);
        if (on) {
            on(call);
        }
    }
};

}  // namespace

class RunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void executesEveryNodeOnce_inOrder() {
        RunBench bench;

        const RunResult result = bench.run(graphFrom(kDiamond));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(executed(result), QString("a l r j out"));
        QCOMPARE(joined(bench.world.takeSaved()), QString("((A+-)l+(A+-)r)"));
        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter a, leave a, enter l, leave l, enter r, leave r, enter j, "
                         "leave j, enter out, leave out, end finished"));
        QCOMPARE(result.report["repetitions"][0]["bytesToDevice"], Json(500));
        QCOMPARE(result.report["repetitions"][0]["nodes"][1]["type"], Json("test.join"));
    }

    void reportsWhatHappens_inOrder() {
        RunBench bench;
        bench.run(graphFrom(kChain));

        const RunResult result =
            bench.run(graphFrom(with(kChain, 2, "c = test.join a:b text=new")));

        QCOMPARE(bench.observer->lines().join(", "),
                 QString("runStarted, nodeCached a, nodeCached b, nodeStarted c, nodeFinished c, "
                         "nodeStarted out, nodeFinished out, runFinished"));
        QCOMPARE(bench.observer->named("runStarted")[0]["nodes"], Json({"a", "b", "c", "out"}));
        const Json finished = bench.observer->named("runFinished")[0];
        QCOMPARE(finished["status"], Json("ok"));
        QCOMPARE(finished["executed"], Json(2));
        QCOMPARE(finished["run"], result.report["run"]);
    }

    void executesNothing_whenNothingChanged() {
        RunBench bench;
        bench.run(graphFrom(kChain));
        bench.engine.takeCalls();

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(executed(result), QString());
        QCOMPARE(cached(result), QString("a b c out"));
        QCOMPARE(bench.observer->named("runFinished")[0]["executed"], Json(0));
        QCOMPARE(joined(bench.engine.takeCalls()), QString());
    }

    void executesOnlyWhatChanged_andWhatFollows() {
        RunBench bench;
        bench.run(graphFrom(kDiamond));
        bench.world.takeSaved();
        bench.engine.takeCalls();

        const RunResult result =
            bench.run(graphFrom(with(kDiamond, 2, "r = test.join a:a text=new")));

        QCOMPARE(executed(result), QString("r j out"));
        QCOMPARE(cached(result), QString("a l"));
        QCOMPARE(joined(bench.world.takeSaved()), QString("((A+-)l+(A+-)new)"));
        QCOMPARE(
            joined(bench.engine.takeCalls()),
            QString(
                "begin, enter r, leave r, enter j, leave j, enter out, leave out, end finished"));
    }

    void sharesResults_betweenEqualNodesOfOtherGraphs() {
        RunBench bench;
        bench.run(graphFrom(kChain));

        const RunResult result = bench.run(
            graphFrom({"x = test.source text=A", "y = test.join a:x", "z = test.keep value:y"}));

        QCOMPARE(executed(result), QString("z"));
    }

    void executesAgain_whenAFileChanged() {
        RunBench bench;
        bench.world.fingerprints["test.source"] = {"model.safetensors 100"};
        bench.run(graphFrom(kChain));
        QCOMPARE(executed(bench.run(graphFrom(kChain))), QString());

        bench.world.fingerprints["test.source"] = {"model.safetensors 101"};

        QCOMPARE(executed(bench.run(graphFrom(kChain))), QString("a b c out"));
    }

    void executesAgain_whenTheOutputFolderOrFileIsAnother() {
        RunBench bench;
        const QTemporaryDir folder;
        const std::string path = folder.filePath("picture").toStdString();
        bench.world.during["out"] = [&](Context& context) {
            std::filesystem::create_directory(path);
            context.wroteFile(path);
        };
        const RunResult first = bench.run(graphFrom(kChain), {.outputFolder = "one"});
        const RunResult again = bench.run(graphFrom(kChain), {.outputFolder = "one"});

        QCOMPARE(first.report["files"][0]["path"], Json(path));
        QCOMPARE(executed(again), QString());
        QCOMPARE(again.report["files"], first.report["files"]);
        QCOMPARE(bench.observer->named("nodeCached").back()["files"], Json({path}));
        QCOMPARE(executed(bench.run(graphFrom(kChain), {.outputFolder = "two"})), QString("out"));
        std::filesystem::remove(path);
        QCOMPARE(executed(bench.run(graphFrom(kChain), {.outputFolder = "one"})), QString("out"));
    }

    void executesEverything_whenForced() {
        RunBench bench;
        bench.run(graphFrom(kChain));

        QCOMPARE(executed(bench.run(graphFrom(kChain), {.forceExecution = true})),
                 QString("a b c out"));
    }

    void repeatsEverything_asOftenAsAsked() {
        RunBench bench;

        const RunResult result = bench.run(graphFrom(kChain), {.repeat = 3});

        QCOMPARE(result.report["repetitions"].size(), size_t(3));
        for (size_t repetition = 0; repetition < 3; ++repetition) {
            QCOMPARE(executed(result, repetition), QString("a b c out"));
            QCOMPARE(result.report["repetitions"][repetition]["bytesToDevice"], Json(400));
        }
        QCOMPARE(result.report["executed"], Json(12));
        QCOMPARE(bench.observer->named("nodeStarted").back()["repetition"], Json(3));
    }

    void executesControlNodes_onlyWithWhatTheyFeed() {
        RunBench bench;
        const std::vector<std::string> controlled = {"a = test.source text=A",
                                                     "b = test.join a:a",
                                                     "free = test.pass value:b",
                                                     "c = test.join a:free",
                                                     "out = test.save value:c"};

        QCOMPARE(executed(bench.run(graphFrom(controlled))), QString("a b free c out"));
        QCOMPARE(joined(bench.world.takeSaved()), QString("((A+-)+-)"));
        QCOMPARE(executed(bench.run(graphFrom(controlled))), QString());
        QCOMPARE(executed(bench.run(graphFrom(kChain))),
                 QString());  // without it: the same results
        QCOMPARE(executed(bench.run(graphFrom(with(controlled, 3, "c = test.join a:free text=x")))),
                 QString("free c out"));
    }

    void letsGoOfAValue_afterItsLastConsumer() {
        RunBench bench(0);
        std::weak_ptr<const memory::WireValue> first;
        bool aliveInLast = false;
        bool aliveAfterLast = true;
        bench.world.during["b"] = [&](Context& context) { first = context.input("a"); };
        bench.world.during["c"] = [&](Context& context) {
            aliveInLast = context.input("b") != nullptr;
        };
        bench.world.during["out"] = [&](Context&) { aliveAfterLast = !first.expired(); };

        bench.run(graphFrom(with(kChain, 2, "c = test.join a:b b:a")));

        QVERIFY(aliveInLast);
        QVERIFY(!aliveAfterLast);
    }

    void movesKeptValuesToTheHost() {
        RunBench bench;
        bench.world.valueDevice = "fake";
        bench.world.valueBytes = 100;
        std::weak_ptr<const memory::WireValue> first;
        Bytes wires = 0;
        Bytes kept = 0;
        bool alive = true;
        bench.world.during["b"] = [&](Context& context) { first = context.input("a"); };
        bench.world.during["c"] = [&](Context&) {
            alive = !first.expired();
            wires = bench.wiresOn("fake");
            kept = bench.engine.ledger().bytesOn("cpu", memory::Tag::Cache);
        };

        bench.run(graphFrom(kChain), {.device = memory::parseDeviceSpec("fake")});

        QVERIFY(!alive);
        QCOMPARE(wires, Bytes(100));  // of b
        QCOMPARE(kept, Bytes(100));   // of a
        QCOMPARE(bench.wiresOn("fake"), Bytes(0));
        QCOMPARE(bench.engine.ledger().bytesOn("cpu", memory::Tag::Cache), Bytes(300));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(300));
    }

    void leavesTheLedgerBalanced() {
        RunBench bench;
        const std::vector<std::string> passed = {"a = test.source text=A",
                                                 "p = test.pass value:a",
                                                 "b = test.join a:p b:a",
                                                 "out = test.save value:b"};
        Bytes atMost = 0;
        bench.world.during["b"] = [&](Context&) {
            atMost = bench.engine.ledger().bytesOn("cpu", memory::Tag::Wires);
        };

        bench.run(graphFrom(passed));

        QCOMPARE(atMost, Bytes(10));  // the value that passes through is counted once
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
        bench.queue.cache().clear();
        QCOMPARE(bench.engine.ledger().bytesOn("cpu"), Bytes(0));
    }

    void measuresThePeakOfEachNode() {
        RunBench bench(0);
        const auto use = [&](Bytes bytes) {
            return [&bench, bytes](Context&) {
                bench.engine.ledger().add("cpu", memory::Tag::Activations, "test", bytes);
                bench.engine.ledger().add("cpu", memory::Tag::Activations, "test", -bytes);
            };
        };
        bench.world.during["b"] = use(5000);
        bench.world.during["c"] = use(300);

        const RunResult result = bench.run(graphFrom(kChain));

        const Json& repetition = result.report["repetitions"][0];
        QCOMPARE(repetition["nodes"][1]["peakBytes"], Json(5010));  // with the wire that it reads
        QCOMPARE(repetition["nodes"][2]["peakBytes"], Json(310));
        QCOMPARE(repetition["ledger"]["cpu"]["peak"], Json(5010));
        QCOMPARE(bench.observer->named("nodeFinished")[1]["peakBytes"], Json(5010));
    }

    /// Values, staging and pins lie in host memory whatever computes: it has a budget and is
    /// counted.
    void hasTheHostAmongItsDevices_onAGpu() {
        RunBench bench;
        bench.engine.capacity = kGiB;
        bench.world.valueDevice = "fake";

        const RunResult result =
            bench.run(graphFrom(kDiamond), {.device = memory::parseDeviceSpec("fake")});

        QCOMPARE(result.status, Status::Ok);
        const Json& planned = result.report["plan"]["devices"];
        QCOMPARE(planned.size(), size_t{2});
        QCOMPARE(planned[0]["device"], Json("fake"));
        QCOMPARE(planned[1]["device"], Json("cpu"));
        QVERIFY(planned[1]["capacity"].get<Bytes>() > 0);
        QCOMPARE(result.report["devices"].back()["id"], Json("cpu"));
        QCOMPARE(bench.engine.ledger().snapshot().at("fake").capacity, kGiB);
    }

    void thinsTheTimeLine_andWritesAllOfItOnRequest() {
        constexpr int kCopies = 10000;
        const QTemporaryDir folder;
        const std::string path = folder.filePath("line.jsonl").toStdString();
        RunBench bench;
        bench.world.during["b"] = [&](Context&) {
            for (int i = 0; i < kCopies; ++i) {
                bench.engine.ledger().event("copy", "cpu", "b", "network.w", 3);
            }
        };

        const RunResult result = bench.run(graphFrom(kChain), {.timelineFile = path, .repeat = 2});

        QVERIFY(result.report["timeline"].size() < 3000);
        QCOMPARE(result.report["moves"].at(0)["copies"], Json(kCopies));
        std::ifstream file(path);
        std::map<int, int> copies;  // by repetition
        for (std::string line; std::getline(file, line);) {
            const Json event = Json::parse(line);
            copies[event["repetition"].get<int>()] += event["what"] == "copy" ? 1 : 0;
        }
        QCOMPARE(copies, (std::map<int, int>{{1, kCopies}, {2, kCopies}}));
        bench.run(graphFrom(kChain), {.forceExecution = true});
        QVERIFY(std::filesystem::exists(path));  // nobody listens any more
    }

    void refusesATimelineFile_whoseFolderIsNotThere() {
        RunBench bench;

        const RunResult result =
            bench.run(graphFrom(kChain), {.timelineFile = "/nowhere/at/all/line.jsonl"});

        QCOMPARE(result.status, Status::Invalid);
        QCOMPARE(issuesOf(result), QString("invalid_input .timeline"));
        QVERIFY(bench.world.takeSaved().empty());
    }

    void letsAHookAddToTheReport() {
        class Reporting final : public RunHooks {
        public:
            void addToReport(Json& report) override { report["seen"] = report["executed"]; }
        };

        RunBench bench;

        const RunResult result = bench.run(graphFrom(kChain), {}, std::make_shared<Reporting>());

        QCOMPARE(result.report["seen"], Json(4));
    }

    void callsHooksAroundEverything() {
        RunBench bench;
        const auto hooks = std::make_shared<NotingHooks>();

        bench.run(graphFrom({"a = test.source", "out = test.keep value:a"}), {.repeat = 2}, hooks);

        QCOMPARE(joined(hooks->calls),
                 QString("run 1, before a, after a, before out, after out, end 0, "
                         "run 2, before a, after a, before out, after out, end 0"));
    }

    void forwardsImagesProgressAndIssuesOn() {
        RunBench bench;
        bench.world.during["b"] = [](Context& context) {
            for (int step = 1; step <= 1000; ++step) {
                context.progress("step", step, 1000);
            }
            context.preview({.widthPixels = 8, .heightPixels = 4});
            context.issue(
                {.severity = Severity::Warning, .code = "odd", .message = Message("odd")});
        };

        const RunResult result = bench.run(graphFrom(kChain));

        const auto progress = bench.observer->named("nodeProgress");
        QVERIFY(progress.size() >= 2 && progress.size() < 500);
        QCOMPARE(progress.front()["done"], Json(1.0));
        QCOMPARE(progress.back()["done"], Json(1000.0));
        QCOMPARE(progress.back()["eta"], Json(0.0));
        QCOMPARE(bench.observer->named("nodePreview")[0]["width"], Json(8));
        QVERIFY(bench.observer->lines().contains("image b"));
        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(issuesOf(result), QString("odd b."));
    }

    void showsStepsToThoseWhoAsk() {
        RunBench bench;
        std::vector<bool> wanted;
        bench.world.during["b"] = [&](Context& context) {
            wanted.push_back(context.wantsPreviews());
            if (context.wantsPreviews()) {
                context.previewStep({.widthPixels = 8, .heightPixels = 4},
                                    {.done = 3, .total = 20, .scale = 2});
            }
        };

        bench.run(graphFrom(kChain), {.previews = true});
        const Json shown = bench.observer->named("nodePreview").at(0);
        const QStringList lines = bench.observer->lines();
        bench.run(graphFrom(kChain), {.forceExecution = true});

        QCOMPARE(wanted, (std::vector<bool>{true, false}));
        QCOMPARE(shown["done"], Json(3));
        QCOMPARE(shown["total"], Json(20));
        QCOMPARE(shown["scale"], Json(2));
        QCOMPARE(lines.indexOf("image b"), lines.indexOf("nodePreview b") + 1);
        QVERIFY(bench.observer->named("nodePreview").empty());
    }

    /// One preview of a step is on its way at a time, and stands in the ledger until it has
    /// arrived.
    void keepsOneImageOfAStepForASlowHost() {
        RunBench bench;
        std::mutex mutex;
        std::condition_variable changed;
        bool isAtWork = false;
        bool mayGoOn = false;
        Bytes held = -1;
        bench.world.during["b"] = [&](Context& context) {
            const Image8 image{.widthPixels = 8, .heightPixels = 4};
            context.previewStep(image, {.done = 1, .total = 3});
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return isAtWork; });
            context.previewStep(image, {.done = 2, .total = 3});
            held = bench.engine.ledger().bytesOn("cpu", memory::Tag::Staging);
            mayGoOn = true;
            changed.notify_all();
        };
        auto observer = std::make_unique<NotingObserver>();
        observer->onEvent = [&](const Json& event) {
            if (event["event"] == "nodePreview") {
                std::unique_lock lock(mutex);
                isAtWork = true;
                changed.notify_all();
                changed.wait(lock, [&] { return mayGoOn; });
            }
        };

        (void)bench.queue.wait(
            bench.queue.start(bench.request(graphFrom(kChain), {.previews = true}, *observer)));

        QCOMPARE(held, 8 * 4 * 3);
        QCOMPARE(observer->named("nodePreview").size(), 1U);
        QCOMPARE(bench.engine.ledger().bytesOn("cpu", memory::Tag::Staging), 0);
    }

    void givesNodesWhatTheyMayAsk() {
        RunBench bench;
        QString seen;
        bench.world.during["b"] = [&](Context& context) {
            seen = QString("%1 %2 %3 %4")
                       .arg(QString::fromUtf8(context.outputFolder().data()),
                            QString::fromUtf8(context.graphFolder().data()),
                            QString::fromStdString(textOf(context.input("a"))),
                            QString::fromStdString(textOf(context.input("b"))));
            QVERIFY(parseJson(context.graphText(), "graph")["nodes"].contains("b"));
        };

        bench.run(graphFrom(kChain), {.outputFolder = "out", .graphFolder = "in"});

        QCOMPARE(seen, QString("out in A -"));
    }
};

LOWTIDE_TEST(RunTest)

}  // namespace run_test

#include "run_test.moc"
