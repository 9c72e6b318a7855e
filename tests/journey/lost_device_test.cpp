// A GPU that is lost in the middle of a run: the run fails and reports it, nothing is left, the
// next run on it is refused, and the cpu goes on. By default a choice of calls, with
// LOWTIDE_WHOLE_TEST more.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace lost_device_test {

using namespace lowtide;

namespace {

const bool kIsFull = testing::isFullTest();

/// The next call to lose the GPU at: every one, or closer together where a run begins.
int64_t callAfter(int64_t call) {
    return kIsFull ? call + 1 : call + 1 + call / 2;
}

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

bool isLostMessage(const testing::ModuleRun& ended) {
    for (const Json& issue : ended.report.at("issues")) {
        const auto message = issue.at("message").get<std::string>();
        if (issue.at("code") == "device_failed" &&
            message.starts_with("the device fake was lost: ")) {
            return true;
        }
    }
    return false;
}

}  // namespace

class LostDeviceTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    testing::ModuleRun run(const std::string& device, const std::vector<std::string>& policies) {
        const Json options = {
            {"set",
             {"latent.width=64", "latent.height=64", "denoise.steps=2", "denoise.sampler=euler_a"}},
            {"device", device},
            {"policies", policies},
            {"out", folder_.path().toStdString()},
            {"dump", folder_.filePath("dump.safetensors").toStdString()}};
        return testing::runModule(testing::exampleText("text_to_image"), options);
    }

private Q_SLOTS:

    void theRunFailsAndTheProgramGoesOn_data() {
        testing::addTable<std::vector<std::string>>(
            {"policies"},
            {{"auto", {}},
             {"leaf", {"encode=leaf+stream", "denoise=leaf+stream", "decode=leaf"}},
             {"kept", {"encode=model", "denoise=model,after=keep", "decode=none,after=keep"}}});
    }

    void theRunFailsAndTheProgramGoesOn() {
        QFETCH(std::vector<std::string>, policies);
        const QByteArray expected = run("fake:1GiB", {}).dump;
        QVERIFY(expected.size() > 10000);
        int lost = 0;
        for (int64_t call = 1;; call = callAfter(call)) {
            const testing::ModuleRun ended =
                run("fake:1GiB,lost=" + std::to_string(call), policies);
            if (ended.status == Status::Ok) {
                break;
            }
            const std::string where =
                "call " + std::to_string(call) + ": " + ended.report.at("issues").dump();
            QVERIFY2(isLostMessage(ended), where.c_str());
            QVERIFY2(ended.status == Status::Failed || ended.status == Status::Invalid,
                     where.c_str());
            QCOMPARE(bytesLeft(), int64_t{0});
            if (++lost % 4 == 1) {
                const testing::ModuleRun next = run("fake", policies);
                QVERIFY2(isLostMessage(next), next.report.at("issues").dump().c_str());
                QVERIFY(run("cpu", {}).status == Status::Ok);
            }
        }
        qInfo("lost at %d calls", lost);
        QVERIFY(lost > 10);
        const testing::ModuleRun again = run("fake:2GiB", policies);
        QVERIFY(again.status == Status::Ok && again.dump == expected);
    }

    void theCommandReportsIt() {
        for (const char* call : {"1", "300"}) {
            const testing::CommandResult result =
                testing::runLowtide({"run",
                                     testing::exampleGraph("text_to_image"),
                                     "--device",
                                     QString("fake:1GiB,lost=%1").arg(call),
                                     "--set",
                                     "denoise.steps=2",
                                     "--out",
                                     folder_.path()});
            QVERIFY2(!result.crashed, qPrintable(result.errors));
            QVERIFY2(result.exitCode == 2 || result.exitCode == 3, qPrintable(result.errors));
            QVERIFY2(result.errors.contains("the device fake was lost"), qPrintable(result.errors));
        }
    }
};

LOWTIDE_TEST(LostDeviceTest)

}  // namespace lost_device_test

#include "lost_device_test.moc"
