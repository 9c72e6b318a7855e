// The C API, as hosts in C and Python call it.
#include "plugin/base/json.hpp"
#include "plugin/host_api/lowtide.h"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace c_api_test {

using namespace lowtide;

namespace {

const QString kModule = "lib/liblowtide_plugin.so";

Json smallGraph(int steps, int side = 64) {
    Json graph = parseJson(testing::exampleText("text_to_image"), "example");
    graph["nodes"]["latent"]["params"]["width"] = side;
    graph["nodes"]["latent"]["params"]["height"] = side;
    graph["nodes"]["denoise"]["params"]["steps"] = steps;
    return graph;
}

}  // namespace

class CApiTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString options() const {
        return QString::fromStdString(
            Json{{"out", folder_.path().toStdString()}, {"forceExecution", true}}.dump());
    }

private Q_SLOTS:

    /// Each call made to fail, then the plain run, in one process.
    void everyCallCanFail_andTheNextRunGoesWell() {
        const testing::Ended ended =
            testing::runProgram(testing::buildPath("bin/c_host_misused"),
                                {QString::fromStdString(smallGraph(20).dump()), options()});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.output + ended.errors));
        QVERIFY2(ended.output.endsWith("ok\n"), qPrintable(ended.output));
    }

    void theExampleMakesAnImage() {
        const testing::Ended ended =
            testing::runProgram(testing::buildPath("bin/c_host"), {folder_.path()});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const Json report = Json::parse(ended.output.toStdString());
        const auto path = report.at("files").at(0).at("path").get<std::string>();
        QCOMPARE(QImage(QString::fromStdString(path)).size(), QSize(128, 128));
        QCOMPARE(ended.errors.count("nodeFinished"), 6);
    }

    void pythonIsAHostToo() {
        QFile graph(folder_.filePath("graph.json"));
        QVERIFY(graph.open(QIODevice::WriteOnly));
        graph.write(QByteArray::fromStdString(smallGraph(2).dump()));
        graph.close();
        const testing::Ended ended =
            testing::runProgram(testing::referencePython(),
                                {testing::sourcePath("tests/journey/c_api/ctypes_host.py"),
                                 testing::buildPath(kModule),
                                 graph.fileName(),
                                 folder_.path()});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const Json seen = Json::parse(ended.output.toStdString());
        QCOMPARE(seen.at("last"), Json("runFinished"));
        QCOMPARE(seen.at("threads"), Json(1));
        QVERIFY(seen.at("images") > 0);
        QVERIFY(QFile::exists(QString::fromStdString(seen.at("files").at(0).get<std::string>())));
    }

    /// As a watch that refuses.
    void aWatchThatThrowsCancelsTheCall() {
        static_cast<void>(testing::openModule());
        QLibrary module(testing::buildPath(kModule));
        const auto call = reinterpret_cast<decltype(&lowtide_call)>(module.resolve("lowtide_call"));
        QVERIFY2(call, qPrintable(module.errorString()));
        const QString out = folder_.filePath("converted.safetensors");
        const std::string request = Json{
            {"checkpoint", "builtin:mini"},
            {"storage", "f8"},
            {"out", out.toStdString()}}.dump();
        const auto throwing = [](void*, int64_t, int64_t) -> int { throw 7; };
        QCOMPARE(call("convert", request.c_str(), throwing, nullptr, nullptr),
                 int{LOWTIDE_CANCELLED});
        QVERIFY(!QFile::exists(out));
    }

    void aHostMayEndDuringARun_data() {
        QTest::addColumn<QString>("way");
        QTest::addColumn<int>("event");
        for (const char* way : {"exit", "return", "callback"}) {
            for (const int event : {1, 4, 9}) {
                QTest::addRow("%s at event %d", way, event) << way << event;
            }
        }
    }

    /// A run that is refused has four events: at the ninth it computes.
    void aHostMayEndDuringARun() {
        QFETCH(QString, way);
        QFETCH(int, event);
        const testing::Ended ended =
            testing::runProgram(testing::buildPath("bin/c_host_ended"),
                                {QString::fromStdString(smallGraph(900, 256).dump()),
                                 options(),
                                 way,
                                 QString::number(event)});
        QVERIFY2(ended.exitCode == 7, qPrintable(ended.output + ended.errors));
    }
};

LOWTIDE_TEST(CApiTest)

}  // namespace c_api_test

#include "c_api_test.moc"
