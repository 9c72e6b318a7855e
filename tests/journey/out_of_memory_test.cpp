// Allocations of the card that fail: recovered with the same bits, or reported, and nothing stays.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace lowtide;

namespace {

constexpr int kEvery =
    29;  ///< one in so many allocations is made to fail, each in a run of its own
constexpr int kMostRuns = 60;

}  // namespace

class OutOfMemoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QByteArray expected_;

    testing::ModuleRun run(const std::string& device, QByteArray& dump) {
        QFile graph(testing::exampleGraph("text_to_image"));
        if (!graph.open(QIODevice::ReadOnly)) {
            throw std::runtime_error("no example graph");
        }
        const QString path = folder_.filePath("dump.safetensors");
        const Json options = {
            {"set",
             {"latent.width=64", "latent.height=64", "denoise.steps=2", "denoise.sampler=euler_a"}},
            {"device", device},
            {"out", folder_.path().toStdString()},
            {"dump", path.toStdString()}};
        testing::EventLog log;
        testing::ModuleRun ended = testing::runModule(graph.readAll().toStdString(), options, log);
        QFile file(path);
        dump = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        file.remove();
        return ended;
    }

private Q_SLOTS:

    void initTestCase() {
        QVERIFY(run("fake:1GiB", expected_).status == Status::Ok);
        QVERIFY(expected_.size() > 10000);
    }

    void anAllocationThatFailsCostsNoBit() {
        int recovered = 0;
        int reported = 0;
        for (int runs = 0; runs < kMostRuns; ++runs) {
            const std::string device = "fake:1GiB,fail=" + std::to_string(1 + runs * kEvery);
            QByteArray dump;
            const testing::ModuleRun ended = run(device, dump);
            QCOMPARE(testing::bytesOn("fake"), int64_t{0});
            if (ended.status != Status::Ok) {
                const Json& issue = ended.report.at("issues").back();
                QVERIFY2(issue.at("code") == "out_of_memory", issue.dump().c_str());
                ++reported;
                continue;
            }
            QVERIFY2(dump == expected_, device.c_str());
            for (const Json& issue : ended.report.at("issues")) {
                QVERIFY(issue.at("code") == "out_of_memory_retry");
                QVERIFY(!issue.at("node").get<std::string>().empty());
                ++recovered;
            }
        }
        qInfo("%d failures recovered, %d reported", recovered, reported);
        QVERIFY(recovered >= kMostRuns / 2);
        QVERIFY(reported <= kMostRuns / 10);
    }
};

QTEST_GUILESS_MAIN(OutOfMemoryTest)
#include "out_of_memory_test.moc"
