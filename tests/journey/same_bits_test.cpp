#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <atomic>

namespace same_bits_test {

using namespace lowtide;

namespace {

using Run = testing::CommandResult (*)(const QStringList& arguments);

testing::CommandResult runInOwnProcess(const QStringList& arguments) {
    return testing::runLowtide(arguments);
}

/// The bytes of the dump of a short run.
QByteArray dumpOf(const QStringList& more, Run run = testing::runInProcess) {
    const QTemporaryDir folder;
    const QString dump = folder.filePath("dump.safetensors");
    const testing::CommandResult ended = run(QStringList{"run",
                                                         testing::exampleGraph("text_to_image"),
                                                         "--out",
                                                         folder.path(),
                                                         "--dump",
                                                         dump,
                                                         "--set",
                                                         "denoise.steps=4",
                                                         "--set",
                                                         "denoise.sampler=euler_a"} +
                                             more);
    if (ended.exitCode != 0) {
        qWarning("%s", qPrintable(ended.errors));
        return {};
    }
    return testing::contentsOf(dump);
}

}  // namespace

/// The guarantee: device, policy, repetition and neighbours change no byte of any recorded value.
class SameBitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        expected_ = dumpOf({}, runInOwnProcess);
        QVERIFY(expected_.size() > 100000);
    }

    void devicesAndPoliciesChangeNoByte_data() {
        QTest::addColumn<QStringList>("arguments");
        // The matrix has every policy; these are of the command, with what is kept and what goes.
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"auto", "model,after=keep", "model,after=drop"}) {
                QTest::newRow(qPrintable(QString("%1 %2").arg(device, policy)))
                    << QStringList{"--device",
                                   device,
                                   "--repeat",
                                   "3",
                                   "--policy",
                                   QString("encode=") + policy,
                                   "--policy",
                                   QString("denoise=") + policy,
                                   "--policy",
                                   QString("decode=") + policy};
            }
        }
        QTest::newRow("decode on the cpu")
            << QStringList{"--device", "fake", "--policy", "decode=none@cpu"};
        QTest::newRow("GPU for one component") << QStringList{"--device",
                                                              "fake:128MiB",
                                                              "--policy",
                                                              "denoise=model",
                                                              "--policy",
                                                              "encode=none",
                                                              "--repeat",
                                                              "2"};
    }

    void devicesAndPoliciesChangeNoByte() {
        QFETCH(QStringList, arguments);
        const QByteArray dump = dumpOf(arguments);
        QVERIFY(!dump.isEmpty());
        QVERIFY2(dump == expected_, "the dump differs from the one of the cpu, policy none");
    }

    void twoRangesEqualOne_data() {
        testing::addRows(
            "sampler",
            {"ddim", "euler", "euler_a", "dpmpp_2m", "pndm", "heun", "kdpm2_a", "unipc"});
    }

    void twoRangesEqualOne() {
        QFETCH(QString, sampler);
        const auto image = [&](const QString& graph, const QStringList& nodes) {
            QStringList arguments;
            for (const QString& node : nodes) {
                arguments << "--set" << node + ".steps=6"
                          << "--set" << node + ".sampler=" + sampler;
                if (sampler == "ddim") {
                    arguments << "--set" << node + ".eta=0.5";
                }
            }
            if (nodes.size() == 2) {
                arguments << "--set"
                          << "denoise.end_step=3"
                          << "--set"
                          << "refine.start_step=3";
            }
            const QTemporaryDir folder;
            return pixelsOf(testing::exampleGraph(graph), folder, arguments);
        };
        const QImage one = image("text_to_image", {"denoise"});
        QVERIFY(!one.isNull());
        QCOMPARE(image("two_passes", {"denoise", "refine"}), one);
    }

    /// The seed changes nothing that UniPC computes, and no stage continues another seed's state.
    void aSecondCheckpointStartsAfresh() {
        const QTemporaryDir folder;
        const QString graph = folder.filePath("two_checkpoints.json");
        testing::writeFile(graph, twoCheckpoints(folder, 3, 2));
        const auto image = [&](const QString& seed) {
            return pixelsOf(graph, folder, {"--set", "refine.seed=" + seed});
        };
        const QImage continued = image("1");
        QVERIFY(!continued.isNull());
        QCOMPARE(image("2"), continued);
    }

    void aBusyNeighbourChangesNoByte() {
        std::atomic<bool> stop = false;
        QThread* neighbour = QThread::create([&stop] {
            volatile double sum = 0;
            while (!stop) {
                sum = sum + 1;
            }
        });
        neighbour->start();
        constexpr int kRuns = 4;
        int equal = 0;
        for (int i = 0; i < kRuns; ++i) {
            equal += dumpOf({}) == expected_ ? 1 : 0;
        }
        stop = true;
        neighbour->wait();
        delete neighbour;
        QCOMPARE(equal, kRuns);
    }

private:
    /// two_passes.json, a checkpoint for each stage: copies of the mini model with other orders.
    static QByteArray twoCheckpoints(const QTemporaryDir& folder, int first, int second) {
        Json graph = parseJson(testing::exampleText("two_passes"), "two_passes");
        graph["nodes"]["load_second"] = graph["nodes"]["load"];
        for (const auto& [node, order] : {std::pair("load", first), {"load_second", second}}) {
            const QString copy = folder.filePath(node);
            testing::copyFolder(testing::sourcePath("resources/mini/model"), copy);
            const QString file = copy + "/scheduler/scheduler_config.json";
            Json config = parseJson(testing::contentsOf(file).toStdString(), "scheduler_config");
            config["solver_order"] = order;
            testing::writeFile(file, QByteArray::fromStdString(config.dump()));
            graph["nodes"][node]["params"]["checkpoint"] = copy.toStdString();
        }
        for (Json& link : graph["links"]) {
            if (link["to"] == Json{"refine", "model"}) {
                link["from"] = Json{"load_second", "model"};
            }
        }
        for (const char* node : {"denoise", "refine"}) {
            graph["nodes"][node]["params"]["sampler"] = "unipc";
        }
        return QByteArray::fromStdString(graph.dump());
    }

    /// Of a run's image, without its metadata, which differs between two graphs.
    static QImage pixelsOf(const QString& graph,
                           const QTemporaryDir& folder,
                           const QStringList& more) {
        const testing::CommandResult run =
            testing::runInProcess(QStringList{"run", graph, "--out", folder.path()} + more);
        if (run.exitCode != 0) {
            qWarning("%s", qPrintable(run.errors));
        }
        return QImage(run.output.trimmed());
    }

    QByteArray expected_;
};

LOWTIDE_TEST(SameBitsTest)

}  // namespace same_bits_test

#include "same_bits_test.moc"
