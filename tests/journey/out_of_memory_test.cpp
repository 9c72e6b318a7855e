// Allocations of every kind that fail: recovered with the same bits, or reported with the node, and
// nothing is left. By default a choice of activations, with LOWTIDE_WHOLE_TEST every seventh.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <set>

namespace out_of_memory_test {

using namespace lowtide;

namespace {

const bool kIsFull = testing::isFullTest();
const int64_t kEvery = kIsFull ? 7 : 301;  ///< one activation in so many fails
constexpr int64_t kNone = 1000000000;      ///< no run has so many allocations

const std::vector<std::string> kAuto = {};
const std::vector<std::string> kLeaf = {
    "encode=leaf+stream", "denoise=leaf+stream", "decode=leaf+stream"};
const std::vector<std::string> kModel = {"encode=model", "denoise=model", "decode=model+stream"};

/// Everything that the ledger still has in addition to results that are kept on the host.
int64_t bytesLeft() {
    std::string text;
    testing::openModule().runner()->memory(text);
    int64_t left = 0;
    const Json memory = Json::parse(text);
    for (const auto& [device, ledger] : memory.items()) {
        for (const auto& [tag, bytes] : ledger.at("tags").items()) {
            left += device == "cpu" && tag == "cache" ? 0 : bytes.get<int64_t>();
        }
    }
    return left;
}

}  // namespace

class OutOfMemoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QByteArray expected_;

    testing::ModuleRun run(const std::string& failing, const std::vector<std::string>& policies) {
        const Json options = {
            {"set",
             {"latent.width=64", "latent.height=64", "denoise.steps=2", "denoise.sampler=euler_a"}},
            {"device", "fake:1GiB,fail=" + failing},
            {"policies", policies},
            {"out", folder_.path().toStdString()},
            {"dump", folder_.filePath("dump.safetensors").toStdString()}};
        return testing::runModule(testing::exampleText("text_to_image"), options);
    }

    /// Numbers of the allocations of a kind that are made to fail, each in a run of its own.
    std::set<int64_t> numbersOf(const std::string& kind, const std::vector<std::string>& policies) {
        const testing::ModuleRun clean = run(kind + ":" + std::to_string(kNone), policies);
        const Json counts = clean.report.at("rehearsal").at("fake");
        const auto all = counts.at("allocations").at(kind).get<int64_t>();
        std::set<int64_t> numbers;
        for (int64_t number = 1; number <= all; number += kind == "activation" ? kEvery : 1) {
            numbers.insert(number);
        }
        if (kind == "activation") {
            for (const Json& number : counts.at("activationsOnWires")) {
                numbers.insert(number.get<int64_t>());
            }
            numbers.insert(all);
        }
        return numbers;
    }

private Q_SLOTS:

    void initTestCase() {
        expected_ = run("activation:" + std::to_string(kNone), kAuto).dump;
        QVERIFY(expected_.size() > 10000);
    }

    void anAllocationThatFailsCostsNoBit_data() {
        QTest::addColumn<std::string>("kind");
        QTest::addColumn<std::vector<std::string>>("policies");
        const std::vector<std::pair<std::string, std::vector<std::string>>> mixes = {
            {"auto", kAuto}, {"leaf", kLeaf}, {"model", kModel}};
        for (const auto& [name, policies] : mixes) {
            for (const char* kind : {"arena", "staging", "wire", "activation"}) {
                const bool isOfDefault =
                    name == "auto" || (name == "leaf" && QByteArray(kind) == "arena");
                if (kIsFull || isOfDefault) {
                    QTest::newRow(qPrintable(QString("%1, %2").arg(kind, name.c_str())))
                        << std::string(kind) << policies;
                }
            }
        }
    }

    void anAllocationThatFailsCostsNoBit() {
        QFETCH(std::string, kind);
        QFETCH(std::vector<std::string>, policies);
        const std::set<int64_t> numbers = numbersOf(kind, policies);
        QVERIFY(!numbers.empty());
        int recovered = 0;
        int reported = 0;
        for (const int64_t number : numbers) {
            const std::string failing = kind + ":" + std::to_string(number);
            const testing::ModuleRun ended = run(failing, policies);
            const Json& report = ended.report;
            QCOMPARE(bytesLeft(), int64_t{0});
            QCOMPARE(report.at("rehearsal").at("fake").at("held"), Json(0));
            if (ended.status == Status::Ok) {
                QVERIFY2(ended.dump == expected_, failing.c_str());
                ++recovered;
            } else {
                const Json& issue = report.at("issues").back();
                QVERIFY2(issue.at("code") == "out_of_memory" && issue.at("node") != "",
                         (failing + issue.dump()).c_str());
                qInfo("%s", (failing + " " + issue.dump()).c_str());
                ++reported;
            }
            for (const Json& issue : report.at("issues")) {
                QVERIFY(!issue.at("node").get<std::string>().empty());
            }
        }
        qInfo("%zu failures: %d recovered, %d reported", numbers.size(), recovered, reported);
        QVERIFY(recovered > reported);
    }
};

LOWTIDE_TEST(OutOfMemoryTest)

}  // namespace out_of_memory_test

#include "out_of_memory_test.moc"
