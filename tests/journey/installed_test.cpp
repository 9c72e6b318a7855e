#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace installed_test {

using namespace lowtide;

namespace {

const char* const kModule = "lib/liblowtide_plugin.so";
const char* const kQtPlugin = "lib/liblowtide_qt.so";

bool writeText(const QString& path, const QByteArray& text) {
    QFile file(path);
    return QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
           file.write(text) == text.size();
}

}  // namespace

/// What `cmake --install` gives, in a folder that was moved afterwards: it runs, other projects
/// find it, and its module takes the user's LibTorch.
class InstalledTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString prefix_ = folder_.filePath("moved to another name");

    /// Configures a project that asks for the package.
    testing::Ended configure(const QString& source, const QString& build) const {
        return testing::runProgram("cmake",
                                   {"-S", source, "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix_});
    }

    /// Makes the example a project of its own in the folder of another program; `entryPoint` is the
    /// file that it is asked to open.
    void buildExample(const QString& name, const QString& build, const char* entryPoint) const {
        const QString source = folder_.filePath("project of " + name);
        for (const QString& file : {QString("CMakeLists.txt"), name + ".cpp"}) {
            const QString path = testing::sourcePath("examples/" + name + "/" + file);
            QVERIFY(writeText(source + "/" + file, testing::contentsOf(path)));
        }
        const testing::Ended configured = configure(source, build);
        QVERIFY2(configured.exitCode == 0, qPrintable(configured.errors));
        QVERIFY2(configured.output.contains(prefix_ + "/" + entryPoint),
                 qPrintable(configured.output));
        const testing::Ended built = testing::runProgram("cmake", {"--build", build});
        QVERIFY2(built.exitCode == 0, qPrintable(built.output + built.errors));
    }

    void compareWithTheCommand(const QString& image, const QString& graph) const {
        QVERIFY(!image.isEmpty());
        const testing::Ended command = runCommand(graph, folder_.filePath("of the command"));
        QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
        QVERIFY(testing::contentsOf(image) == testing::contentsOf(command.output.trimmed()));
    }

    testing::Ended runCommand(const QString& graph, const QString& out) const {
        return testing::runProgram(prefix_ + "/bin/lowtide",
                                   {"run", graph, "--out", out},
                                   {"LOWTIDE_PLUGIN_PATH", "LD_LIBRARY_PATH"});
    }

private Q_SLOTS:

    void initTestCase() {
        const QString first = folder_.filePath("first");
        const testing::Ended install =
            testing::runProgram("cmake", {"--install", testing::buildPath(""), "--prefix", first});
        QVERIFY2(install.exitCode == 0, qPrintable(install.errors));
        QVERIFY(QDir().rename(first, prefix_));
    }

    void anotherProjectBuildsTheTinyHost() {
        const QString build = folder_.filePath("tiny_host");
        buildExample("tiny_host", build, kModule);
        const testing::Ended host =
            testing::runProgram(build + "/tiny_host", {prefix_ + "/" + kModule, build});
        QVERIFY2(host.exitCode == 0, qPrintable(host.errors));
        compareWithTheCommand(host.output.trimmed(), build + "/graph.json");
    }

    void anotherProjectBuildsTheWidgetsHost() {
        const QString build = folder_.filePath("widgets_host");
        buildExample("widgets_host", build, kQtPlugin);
        const QString graph = testing::sourcePath("examples/graphs/text_to_image.json");
        const testing::Ended host = testing::runProgram(
            build + "/widgets_host",
            {prefix_ + "/" + kQtPlugin, graph, folder_.filePath("of widgets"), "--run"},
            {"QT_QPA_PLATFORM=offscreen"});
        QVERIFY2(host.exitCode == 0, qPrintable(host.errors));
        compareWithTheCommand(host.output.trimmed(), graph);
        for (const QString& library : testing::neededLibraries(build + "/widgets_host")) {
            QVERIFY2(!library.startsWith("libtorch"), qPrintable(library));
        }
    }

    void theInstalledCommandRehearsesACard() {
        const testing::Ended devices =
            testing::runProgram(prefix_ + "/bin/lowtide",
                                {"plan",
                                 testing::sourcePath("examples/graphs/text_to_image.json"),
                                 "--device",
                                 "fake:64MiB"},
                                {"LOWTIDE_PLUGIN_PATH", "LD_LIBRARY_PATH"});
        QVERIFY2(devices.exitCode == 0, qPrintable(devices.errors));
        QVERIFY2(devices.output.contains("fake"), qPrintable(devices.output));
    }

    void theInstalledQtPluginHasItsMetadata() {
        const QPluginLoader loader(prefix_ + "/" + kQtPlugin);
        QCOMPARE(loader.metaData()["IID"].toString(), QString("org.lowtide.QtEntry/1"));
        QCOMPARE(testing::searchedFolders(prefix_ + "/" + kQtPlugin).filter("/build"),
                 QStringList());
    }

    void aPackageThatIsNotThereIsReported_data() {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown component") << QByteArray("CONFIG REQUIRED COMPONENTS host_api bed")
                                           << "has no component bed; it has: host_api, widgets";
        QTest::newRow("another version") << QByteArray("7.1 CONFIG REQUIRED") << "version: 0.1.0";
    }

    void aPackageThatIsNotThereIsReported() {
        QFETCH(QByteArray, request);
        QFETCH(QString, message);
        const QTemporaryDir project;
        QVERIFY(writeText(project.filePath("CMakeLists.txt"),
                          "cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES NONE)\n"
                          "find_package(Lowtide " +
                              request + ")\n"));
        const testing::Ended configured = configure(project.path(), project.filePath("build"));
        QCOMPARE(configured.exitCode, 1);
        QVERIFY2(configured.errors.simplified().contains(message), qPrintable(configured.errors));
    }

    void theModuleTakesTheLibTorchNextToIt() {
        const QString module = prefix_ + "/" + kModule;
        const QString torch = testing::searchedFolders(module).last();
        QVERIFY(torch.endsWith("/lib"));
        QVERIFY(testing::copyWithoutFolders(module, module + ".copy"));
        QVERIFY(QFile::remove(module) && QFile::rename(module + ".copy", module));
        const QString graph = testing::sourcePath("examples/graphs/text_to_image.json");
        const testing::Ended without = runCommand(graph, folder_.filePath("none"));
        QCOMPARE(without.exitCode, 3);
        QVERIFY2(
            without.errors.contains("libtorch_cpu.so") && without.errors.contains("lowtide/torch"),
            qPrintable(without.errors));
        QVERIFY(QFile::link(QFileInfo(torch).path(), prefix_ + "/lib/lowtide/torch"));
        const testing::Ended with = runCommand(graph, folder_.filePath("some"));
        QVERIFY2(with.exitCode == 0, qPrintable(with.errors));
    }
};

LOWTIDE_TEST(InstalledTest)

}  // namespace installed_test

#include "installed_test.moc"
