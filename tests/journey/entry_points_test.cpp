#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/qt_entry.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <dlfcn.h>

namespace entry_points_test {

using namespace lowtide;

namespace {

const char* const kModule = "liblowtide_plugin.so";

QString qtPluginPath() {
    return testing::buildPath("lib/liblowtide_qt.so");
}

bool isMapped(const QByteArray& library) {
    return testing::contentsOf("/proc/self/maps").contains(library);
}

QtEntry* entryOf(QPluginLoader& loader) {
    return qobject_cast<QtEntry*>(loader.instance());
}

QString probe(const QStringList& arguments, const QStringList& environment = {}) {
    const testing::Ended ended =
        testing::runProgram(testing::buildPath("bin/loader_probe"), arguments, environment);
    return ended.exitCode == 0 ? ended.output.trimmed() : "crashed: " + ended.errors;
}

}  // namespace

/// The two entry points of the module as hosts of other projects use them: what they may know
/// before they open one, that both lead to one object, and what is reported when neither opens.
class EntryPointsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void metadataIsReadWithoutMappingAnything() {
        const QPluginLoader loader(qtPluginPath());
        const QJsonObject all = loader.metaData();
        QCOMPARE(all["IID"].toString(), QString(LOWTIDE_QT_IID));
        const QJsonObject ours = all["MetaData"].toObject();
        QCOMPARE(ours["abi"].toInt(), static_cast<int>(kAbi));
        QCOMPARE(ours["api"].toString(), QString(kQtApi));
        QCOMPARE(ours["toolchain"].toString(), QString(kHostToolchain));
        QCOMPARE(ours["license"].toString(), QString("Apache-2.0"));
        QVERIFY(ours["requires"].toObject()["libtorch"].toString().startsWith("2.11"));
        QVERIFY(!isMapped("liblowtide_qt") && !isMapped(kModule) && !isMapped("libtorch"));
    }

    void metadataHasTheNodesOfTheCommand() {
        const testing::CommandResult list = testing::runLowtide({"nodes", "--json"});
        QCOMPARE(list.exitCode, 0);
        QJsonArray expected;
        for (const Json& node : Json::parse(list.output.toStdString())) {
            expected.append(QJsonObject{
                {"id", QString::fromStdString(node.at("id").get<std::string>())},
                {"label", QString::fromStdString(node.at("label").get<std::string>())},
                {"category", QString::fromStdString(node.at("category").get<std::string>())},
                {"version", node.at("version").get<int>()}});
        }
        QVERIFY(expected.size() > 20);
        const QPluginLoader loader(qtPluginPath());
        QCOMPARE(loader.metaData()["MetaData"].toObject()["nodes"].toArray(), expected);
    }

    void descriptionsOfTheCommandComeBackWhole() {
        for (const Json& node :
             Json::parse(testing::runLowtide({"nodes", "--json"}).output.toStdString())) {
            QCOMPARE(graph::toJson(graph::nodeFromJson(node)), node);
        }
    }

    void theQtPluginMapsTheModuleWhenItIsAsked() {
        QPluginLoader loader(qtPluginPath());
        QtEntry* entry = entryOf(loader);
        QVERIFY2(entry, qPrintable(loader.errorString()));
        QVERIFY(!isMapped(kModule) && !isMapped("libtorch"));
        QVERIFY2(entry->plugin(), qPrintable(entry->reason()));
        QVERIFY(isMapped(kModule) && isMapped("libtorch_cpu"));
        QCOMPARE(entry->reason(), QString());
    }

    void bothEntryPointsGiveOneObject() {
        QPluginLoader loader(qtPluginPath());
        QtEntry* entry = entryOf(loader);
        QVERIFY2(entry, qPrintable(loader.errorString()));
        Plugin& byC = testing::openModule();
        QCOMPARE(entry->plugin(), &byC);
        QVERIFY(byC.runner());
    }

    void aHostThatClosesTheLibrariesLosesNothing() {
        QPluginLoader loader(qtPluginPath());
        loader.setLoadHints({});
        QtEntry* entry = entryOf(loader);
        QVERIFY2(entry, qPrintable(loader.errorString()));
        Plugin* plugin = entry->plugin();
        void* handle = dlopen(qPrintable(testing::buildPath("lib/") + kModule), RTLD_NOW);
        QVERIFY(handle);
        for (int i = 0; i < 8; ++i) {
            dlclose(handle);
        }
        loader.unload();
        QVERIFY(isMapped(kModule));
        QVERIFY(plugin->info().find("org.lowtide") != std::string_view::npos);
    }

    void theQtPluginExplainsWhyItRefuses_data() {
        testing::addTable<uint32_t, QByteArray, QString>(
            {"abi", "toolchain", "reason"},
            {{"another ABI", kAbi + 1, QByteArray(kHostToolchain), "built for ABI 3 of Lowtide"},
             {"another toolchain", kAbi, "libc++;v1", "toolchain is \"libc++;v1\""}});
    }

    void theQtPluginExplainsWhyItRefuses() {
        QFETCH(uint32_t, abi);
        QFETCH(QByteArray, toolchain);
        QFETCH(QString, reason);
        QPluginLoader loader(qtPluginPath());
        QtEntry* entry = entryOf(loader);
        QVERIFY2(entry, qPrintable(loader.errorString()));
        QVERIFY(!entry->pluginFor(abi, toolchain.constData()));
        QVERIFY2(entry->reason().contains(reason), qPrintable(entry->reason()));
        QVERIFY(entry->plugin());
        QCOMPARE(entry->reason(), QString());
    }

    void theCApiExplainsWhyItRefuses_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("environment");
        QTest::addColumn<QString>("answer");
        const QString folder = testing::buildPath("other_torch/");
        QTest::newRow("nothing wrong") << QStringList() << QStringList() << "opened";
        QTest::newRow("another ABI") << QStringList{"--abi", "7"} << QStringList()
                                     << "refused: the program was built for ABI 7";
        QTest::newRow("another toolchain")
            << QStringList{"--toolchain", "libstdc++;cxx11abi=0;debug=0"} << QStringList()
            << "refused: the program's C++ toolchain";
        QTest::newRow("no toolchain") << QStringList{"--toolchain", "null"} << QStringList()
                                      << "refused: the program's C++ toolchain is \"\"";
        QTest::newRow("LibTorch of another version")
            << QStringList() << QStringList{"LD_PRELOAD=" + folder + "version/libother_version.so"}
            << "refused: the LibTorch of this process is 2.10.1";
        QTest::newRow("a second LibTorch")
            << QStringList{"--before", folder + "second/libtorch_cpu.so"} << QStringList()
            << "refused: two LibTorch are loaded";
        QTest::newRow("a LibTorch without what is needed")
            << QStringList{"--before", folder + "same_name/libtorch_cpu.so"} << QStringList()
            << "not loaded: " + testing::buildPath("lib/") + kModule + ": undefined symbol";
        QTest::newRow("its operators in another library")
            << QStringList{"--before", folder + "libother_operators.so"} << QStringList()
            << "refused: LibTorch does not take the operators of this module: Only a single "
               "TORCH_LIBRARY";
    }

    void theCApiExplainsWhyItRefuses() {
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, environment);
        QFETCH(QString, answer);
        const QStringList module = {testing::buildPath("lib/") + kModule};
        const QString message = probe(module + arguments, environment);
        QVERIFY2(message.startsWith(answer), qPrintable(message));
    }

    /// A debug build of a host has other containers: refused, with what serves it.
    void aHostWithOtherContainersIsRefused() {
        const testing::Ended ended = testing::runProgram(
            testing::buildPath("bin/loader_probe_debug"), {testing::buildPath("lib/") + kModule});
        QCOMPARE(ended.exitCode, 0);
        QVERIFY2(ended.output.startsWith("refused: the program's C++ toolchain"),
                 qPrintable(ended.output));
        QVERIFY2(ended.output.contains(";debug=1;"), qPrintable(ended.output));
        QVERIFY2(ended.output.endsWith("; the C API serves it\n"), qPrintable(ended.output));
    }

    /// What crosses by layout is in the text by its size.
    void theToolchainStatesTheSizesOfWhatCrosses() {
        const QString text = kHostToolchain;
        for (const auto& [name, size] : {std::pair("NodeDesc", sizeof(NodeDesc)),
                                         std::pair("ParamDesc", sizeof(ParamDesc)),
                                         std::pair("PortDesc", sizeof(PortDesc)),
                                         std::pair("ChoiceDesc", sizeof(ChoiceDesc)),
                                         std::pair("Image8", sizeof(Image8)),
                                         std::pair("Scalar", sizeof(Scalar)),
                                         std::pair("string", sizeof(std::string))}) {
            const QString part = QString(";%1=%2").arg(name).arg(size);
            QVERIFY2(text.split(';').contains(part.mid(1)), qPrintable(text));
        }
    }

    /// LibTorch looks for a GPU's hooks once. Asked before liblowtide_cuda.so is open, it computes
    /// without cuDNN from then on.
    void loadingDoesNotAskLibTorchForAGpu() {
        const QString message = probe({testing::buildPath("lib/") + kModule,
                                       "--after",
                                       testing::buildPath("other_torch/libother_hooks.so")});
        QCOMPARE(message, QString("the GPU is found"));
    }

    /// Nothing is thrown through the loader, which would wait for ever at its next library.
    void aDeviceThatLibTorchDoesNotTakeReportsIt() {
        const testing::Ended ended = testing::runProgram(
            testing::buildPath("bin/lowtide"),
            {"plan", testing::sourcePath("examples/graphs/text_to_image.json"), "--device", "fake"},
            {"LD_PRELOAD=" + testing::buildPath("other_torch/libother_backend.so")});
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains("the fake device cannot be used: Tried to register multiple "
                                       "backend fallbacks"),
                 qPrintable(ended.errors));
    }

    void aMissingLibTorchIsAReason() {
        const QTemporaryDir folder;
        const QString module = folder.filePath(kModule);
        QVERIFY(testing::copyWithoutFolders(testing::buildPath("lib/") + kModule, module));
        const QString message = probe({module}, {"LD_LIBRARY_PATH"});
        QVERIFY2(message.startsWith("not loaded: libtorch_cpu.so"), qPrintable(message));
    }

    void theQtPluginStatesWhatIsMissingNextToIt() {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(qtPluginPath(), folder.filePath("liblowtide_qt.so")));
        QPluginLoader loader(folder.filePath("liblowtide_qt.so"));
        QtEntry* entry = entryOf(loader);
        QVERIFY2(entry, qPrintable(loader.errorString()));
        QVERIFY(!entry->plugin());
        QVERIFY2(entry->reason().startsWith(folder.filePath(kModule) + " was not found; "),
                 qPrintable(entry->reason()));
        testing::writeFile(folder.filePath(kModule), "no library");
        QVERIFY(!entry->plugin());
        QVERIFY2(
            entry->reason().contains("cannot be loaded") && entry->reason().contains("LibTorch"),
            qPrintable(entry->reason()));
    }

    void manyThreadsStartOneEngine() {
        const QString message = probe({testing::buildPath("lib/") + kModule, "--threads", "8"});
        QVERIFY2(message.startsWith("one runner; "), qPrintable(message));
        QVERIFY2(message.contains("already_started") && message.contains("not taken: threads 3"),
                 qPrintable(message));
    }

    void hostsNeedNeitherQtNorLibTorch_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("never");
        const QStringList both = {"libQt", "libtorch", "libc10"};
        QTest::newRow("command") << "bin/lowtide" << both;
        QTest::newRow("tiny host") << "bin/tiny_host" << both;
        QTest::newRow("Qt plugin")
            << "lib/liblowtide_qt.so"
            << QStringList{"libtorch", "libc10", "libQt6Gui", "libQt6Widgets"};
        QTest::newRow("C API") << "lib/liblowtide_plugin.so" << QStringList{"libQt"};
    }

    void hostsNeedNeitherQtNorLibTorch() {
        QFETCH(QString, file);
        QFETCH(QStringList, never);
        const QStringList needed = testing::neededLibraries(testing::buildPath(file));
        QVERIFY(needed.contains("libc.so.6"));
        for (const QString& library : needed) {
            for (const QString& name : never) {
                QVERIFY2(!library.startsWith(name), qPrintable(library));
            }
        }
    }
};

LOWTIDE_TEST(EntryPointsTest)

}  // namespace entry_points_test

#include "entry_points_test.moc"
