#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace architecture_test {

namespace {

struct Verdict {
    int exitCode = -1;
    QString output;
};

void write(const QTemporaryDir& root, const QString& path, const QByteArray& text) {
    const QFileInfo folder(root.filePath(path));
    QVERIFY(QDir().mkpath(folder.absolutePath()));
    QFile file(folder.absoluteFilePath());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

void writeMessages(const QTemporaryDir& root, const QByteArray& messages) {
    write(root,
          "resources/translations/messages_zh_CN.po",
          "msgid \"\"\nmsgstr \"\"\n\"Language: zh_CN\\n\"\n"
          "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
          "\"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n" +
              messages);
}

QByteArray inStudio(const QByteArray& english, const QByteArray& chinese) {
    return "<context><name>Words</name><message><source>" + english + "</source><translation" +
           (chinese.isEmpty() ? " type=\"unfinished\"" : "") + ">" + chinese +
           "</translation></message></context>";
}

/// Sources, and the files of translations that a test does not write itself.
void writeTranslated(const QTemporaryDir& root,
                     const QByteArray& library,
                     const QByteArray& panel,
                     const QByteArray& translated = {}) {
    const QString folder = "resources/translations/";
    const QByteArray head =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE TS>\n<TS "
        "version=\"2.1\" sourcelanguage=\"en\" language=\"";
    write(root, "plugin/memory/a.cpp", "void f() {\n    " + library + "\n}\n");
    write(root,
          "ui/panels/a.cpp",
          "namespace lowtide::ui {\nclass Words {\n    Q_DECLARE_TR_FUNCTIONS(Words)\n};\n" +
              panel + "\n}\n");
    write(root, folder + "lowtide_en.ts", head + "en\"></TS>\n");
    write(root, folder + "lowtide_zh_CN.ts", head + "zh_CN\">" + translated + "</TS>\n");
    write(root, folder + "module_zh_CN.json", "{}");
    writeMessages(root, {});
}

}  // namespace

class ArchitectureTest : public QObject {
    Q_OBJECT

    QProcess checks_;  ///< run_checks.py

    Verdict check(const QString& script, const QString& root, const QStringList& options = {}) {
        const QJsonArray arguments =
            QJsonArray::fromStringList(QStringList{script, root} + options);
        checks_.write(QJsonDocument(arguments).toJson(QJsonDocument::Compact) + "\n");
        while (!checks_.canReadLine()) {
            if (!checks_.waitForReadyRead(-1)) {
                return {-1, "run_checks.py has ended"};
            }
        }
        const QJsonDocument answer = QJsonDocument::fromJson(checks_.readLine());
        return {answer[0].toInt(-1), answer[1].toString()};
    }

private Q_SLOTS:

    void initTestCase() {
        checks_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        checks_.start("python3",
                      {lowtide::testing::sourcePath("tests/architecture/run_checks.py")});
        QVERIFY(checks_.waitForStarted());
    }

    void cleanupTestCase() {
        checks_.closeWriteChannel();
        checks_.waitForFinished();
    }

    void theProjectKeepsItsRules_data() {
        QTest::addColumn<QString>("script");
        QTest::newRow("layers") << "check_layers.py";
        QTest::newRow("tree") << "check_tree.py";
        QTest::newRow("names") << "check_names.py";
        QTest::newRow("families") << "check_families.py";
        QTest::newRow("pages") << "check_pages.py";
        QTest::newRow("measurements") << "check_measurements.py";
        QTest::newRow("translations") << "check_translations.py";
        QTest::newRow("words") << "check_words.py";
    }

    void theProjectKeepsItsRules() {
        QFETCH(QString, script);
        const Verdict verdict = check(script, lowtide::testing::sourcePath(""));
        QVERIFY2(verdict.exitCode == 0, qPrintable(verdict.output));
    }

    /// A file with the bytes that were right once is not read again.
    void sourcesAreFormatted() {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.setWorkingDirectory(lowtide::testing::sourcePath(""));
        process.start("bash",
                      {"-c",
                       "settings=$({ clang-format-14 --version; cat .clang-format; } | sha256sum)\n"
                       "known=$0/formatted-${settings:0:16} now=$(mktemp)\n"
                       "trap 'rm -f $now' EXIT\n"
                       "touch $known\n"
                       "find plugin nodes ui cli tests examples -name '*.hpp' -o -name '*.cpp' | "
                       "xargs sha256sum >$now\n"
                       "grep -vxFf $known $now | cut -c 67- | "
                       "xargs -r clang-format-14 --dry-run -Werror && mv $now $known",
                       lowtide::testing::cacheFolder()});
        process.waitForFinished(-1);
        QVERIFY2(process.exitCode() == 0, process.readAll().left(4000).constData());
    }

    /// The folder that ./dev setup fills is the one in which CMake looks for LibTorch: each hashes
    /// the lists of what it holds.
    void devAndCMakeNameOneSiteFolder() {
        const auto reported = [](const QString& program, const QStringList& arguments) {
            QProcess process;
            process.setProcessChannelMode(QProcess::MergedChannels);
            process.setWorkingDirectory(lowtide::testing::sourcePath(""));
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("LOWTIDE_CACHE", "/cache");
            process.setProcessEnvironment(environment);
            process.start(program, arguments);
            process.waitForFinished(-1);
            return QString::fromUtf8(process.readAll()).trimmed();
        };
        const QTemporaryDir folder;
        write(folder,
              "report.cmake",
              "set(PROJECT_SOURCE_DIR .)\n"
              "include(plugin/cmake/site.cmake)\n"
              "message(${site})\n");

        const QString ofDev =
            reported("bash",
                     {"-c",
                      "cache=$LOWTIDE_CACHE; "
                      "eval \"$(sed -n '/^site_folder()/,/^}/p' dev)\"; site_folder"});

        QVERIFY2(ofDev.startsWith("/cache/site-"), qPrintable(ofDev));
        QCOMPARE(reported("cmake", {"-P", folder.filePath("report.cmake")}), ofDev);
    }

    void aChangeIsReadWhateverGitIsConfigured_data() {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QString>("value");
        QTest::newRow("nothing") << "lowtide.nothing"
                                 << "0";
        QTest::newRow("no prefix") << "diff.noprefix"
                                   << "true";
        QTest::newRow("other prefixes") << "diff.mnemonicPrefix"
                                        << "true";
        QTest::newRow("colours") << "color.ui"
                                 << "always";
        QTest::newRow("another program") << "diff.external"
                                         << "true";
    }

    void aChangeIsReadWhateverGitIsConfigured() {
        QFETCH(QString, setting);
        QFETCH(QString, value);
        const QTemporaryDir root;
        const auto git = [&root](const QStringList& arguments) {
            return QProcess::execute(
                "git",
                QStringList{"-C", root.path(), "-c", "user.name=a", "-c", "user.email=a@b.c"} +
                    arguments);
        };
        write(root, "base/a.cpp", "int a = 1;\n");
        write(root, "base/b.cpp", "int b = 1;\n");
        QCOMPARE(git({"init", "--quiet"}), 0);
        QCOMPARE(git({"config", setting, value}), 0);
        QCOMPARE(git({"add", "."}), 0);
        QCOMPARE(git({"commit", "--quiet", "--message=a"}), 0);
        write(root, "base/a.cpp", "int a = 2;\n");

        const Verdict verdict = check("tidy_changes.py", root.path(), {"HEAD"});

        QCOMPARE(verdict.output, QString("base/a.cpp\n"));
        QCOMPARE(verdict.exitCode, 0);
    }

    void aBrokenRuleIsFound_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("upward include")
            << "check_layers.py"
            << "plugin/memory/a.hpp" << QByteArray("#include \"plugin/graph/b.hpp\"\n")
            << "may not include plugin/graph";
        QTest::newRow("a category of nodes in their engine")
            << "check_layers.py"
            << "nodes/engine/a.cpp" << QByteArray("#include \"nodes/denoise/b.hpp\"\n")
            << "knows no category";
        QTest::newRow("torch in a light library")
            << "check_layers.py"
            << "plugin/executor/a.cpp" << QByteArray("#include <ATen/ATen.h>\n") << "torch-free";
        QTest::newRow("torch in a light header")
            << "check_layers.py"
            << "plugin/nn/model.hpp" << QByteArray("#include <ATen/core/Tensor.h>\n")
            << "torch-free";
        QTest::newRow("heavy header")
            << "check_layers.py"
            << "plugin/nn/a.cpp" << QByteArray("#include <torch/torch.h>\n") << "24 s a file";
        QTest::newRow("executor in a node")
            << "check_layers.py"
            << "nodes/a/a.cpp" << QByteArray("#include \"plugin/executor/run.hpp\"\n")
            << "may see only";
        QTest::newRow("Qt in the engine")
            << "check_layers.py"
            << "plugin/base/a.cpp" << QByteArray("#include <QString>\n") << "Qt-free";
        QTest::newRow("Qt in another header of hosts")
            << "check_layers.py"
            << "plugin/host_api/a.hpp" << QByteArray("#include <QObject>\n") << "Qt-free";
        QTest::newRow("the Qt plugin in the command")
            << "check_layers.py"
            << "cli/a.cpp" << QByteArray("#include \"plugin/host_api/qt_entry.hpp\"\n")
            << "Qt-free";
        QTest::newRow("Qt in what the command shares with the studio")
            << "check_layers.py"
            << "ui/loader/a.cpp" << QByteArray("#include <QString>\n") << "Qt-free";
        QTest::newRow("the studio in the command")
            << "check_layers.py"
            << "cli/a.cpp" << QByteArray("#include \"ui/document/b.hpp\"\n") << "may see only";
        QTest::newRow("the command in the studio")
            << "check_layers.py"
            << "ui/studio/a.cpp" << QByteArray("#include \"cli/b.hpp\"\n") << "may not include cli";
        QTest::newRow("the Qt plugin in the engine")
            << "check_layers.py"
            << "plugin/module/a.cpp" << QByteArray("#include \"plugin/host_api/qt_entry.hpp\"\n")
            << "Qt-free";
        QTest::newRow("fmt outside base")
            << "check_layers.py"
            << "plugin/memory/a.cpp" << QByteArray("#include <fmt/format.h>\n")
            << "plugin/base/*.cpp only";
        QTest::newRow("folder with one source file")
            << "check_tree.py"
            << "plugin/base/a.cpp" << QByteArray("\n")
            << "plugin, nodes: 1 folders with one source file, at most 0: plugin/base";
        QTest::newRow("long header")
            << "check_tree.py"
            << "plugin/base/a.hpp" << QByteArray("\n").repeated(251) << "limit 250";
        QTest::newRow("outdated layers of a page")
            << "check_layers.py"
            << "docs/architecture.md" << QByteArray("# Architecture\n")
            << "docs/architecture.md: the layers are not those of check_layers.py";
        QTest::newRow("crossing") << "check_tree.py"
                                  << "plugin/nn/a.cpp" << QByteArray("  x = y.cpu();\n")
                                  << "crosses between host and device";
        QTest::newRow("scalar read")
            << "check_tree.py"
            << "plugin/sampling/a.cpp" << QByteArray("  s = t.item<float>();\n")
            << "crosses between host and device";
        QTest::newRow("owned weight")
            << "check_tree.py"
            << "plugin/nn/a.hpp" << QByteArray("    at::Tensor weight_;\n") << "owns a weight";
        QTest::newRow("stray top entry") << "check_tree.py"
                                         << "scripts/a.cpp" << QByteArray("\n")
                                         << "scripts: not one of the top folder's entries";
        QTest::newRow("long line of a page") << "check_tree.py"
                                             << "docs/a.md" << QByteArray("word ").repeated(31)
                                             << "docs/a.md:1: 155 characters, at most 150";
        QTest::newRow("dead link of a page")
            << "check_pages.py"
            << "docs/a.md" << QByteArray("\n[b](../b.md)\n") << "docs/a.md:2: the link ../b.md";
        QTest::newRow("link to no heading")
            << "check_pages.py"
            << "docs/a.md" << QByteArray("# Some words\n[b](#some-words) [c](#others)\n")
            << "docs/a.md:2: the link #others";
        QTest::newRow("file of the tour without a link")
            << "check_pages.py"
            << "docs/tour.md" << QByteArray("1. `ui/a.cpp`\n")
            << "docs/tour.md: ui/a.cpp is not a link";
        QTest::newRow("test of a feature that is gone")
            << "check_pages.py"
            << "docs/feature_tests.md" << QByteArray("- studio_viewer: wipes, zooms\n")
            << "there is no test studio_viewer";
        QTest::newRow("image that no scene makes")
            << "check_pages.py"
            << "docs/a.md" << QByteArray("![b](images/b.png)\n")
            << "docs/a.md: no scene of tests/journey/studio/scenes_test.cpp makes b.png";
        QTest::newRow("image that is not there")
            << "check_pages.py"
            << "docs/a.md" << QByteArray("![b](images/mini_contact_sheet.png)\n")
            << "docs/images/mini_contact_sheet.png is not there";
        QTest::newRow("image that no page shows")
            << "check_pages.py"
            << "docs/images/b.png" << QByteArray("b") << "docs/images/b.png: no page shows it";
        QTest::newRow("decision that the list lacks")
            << "check_pages.py"
            << "docs/decisions/0001-a.md" << QByteArray("# 0001 A title\n")
            << "docs/decisions/README.md: wants one line [0001 A title](0001-a.md)";
        QTest::newRow("decision without its number")
            << "check_pages.py"
            << "docs/decisions/0001-a.md" << QByteArray("# A title\n")
            << "its title does not begin with 0001";
        QTest::newRow("call that no page has")
            << "check_pages.py"
            << "plugin/module/calls.cpp"
            << QByteArray("std::vector<CallRow> rows = {{\"a\", {\"b\"}, &a}};\n")
            << "docs/calls.md: has no row for the call a";
        QTest::newRow("row of no family")
            << "check_families.py"
            << "docs/models.md"
            << QByteArray("<!-- families -->\n| `toy` | Toy | text |\n<!-- end of families -->\n")
            << "docs/models.md: toy is no folder of plugin/families";
        QTest::newRow("measurement of no machine")
            << "check_measurements.py"
            << "docs/measurements/a.json"
            << QByteArray(
                   R"({"t": {"date": "2026-11-29", "machine": "b", "by": "c", "columns": ["d"],
                       "rows": [[1]]}})")
            << "docs/measurements/machines.json has no b";
        QTest::newRow("measurement without a day")
            << "check_measurements.py"
            << "docs/measurements/a.json" << QByteArray(R"({"t": {"machine": "b", "by": "c"}})")
            << "docs/measurements/a.json: t: has machine, by, wanted date,";
        QTest::newRow("too many images")
            << "check_pages.py"
            << "docs/images/b.png" << QByteArray((4 << 20) + 1, 'b') << "bytes, at most 4194304";
        QTest::newRow("word that goes") << "check_words.py"
                                        << "plugin/base/a.cpp" << QByteArray("int moduleDoor;\n")
                                        << "plugin/base/a.cpp:1: \"door\" is not a word";
        QTest::newRow("phrase that is not allowed")
            << "check_words.py"
            << "plugin/base/a.md" << QByteArray("\nIn place, at its place.\n")
            << "plugin/base/a.md:2: \"place\" has no such allowed phrase";
        QTest::newRow("test without a namespace")
            << "check_names.py"
            << "tests/unit/a/a_test.cpp" << QByteArray("LOWTIDE_TEST(ATest)\n")
            << "is not in a namespace a_test";
    }

    void aBrokenRuleIsFound() {
        QFETCH(QString, script);
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QFETCH(QString, complaint);
        const QTemporaryDir root;
        write(root, file, text);
        const Verdict verdict = check(script, root.path());
        QCOMPARE(verdict.exitCode, 1);
        QVERIFY2(verdict.output.contains(complaint), qPrintable(verdict.output));
    }

    void figuresThatAreNotTheMeasuredOnesAreFound() {
        const QTemporaryDir root;
        write(root, "docs/measurements/machines.json", R"({"x": "a machine"})");
        write(root,
              "docs/measurements/a.json",
              R"({"t": {"date": "2026-11-29", "machine": "x", "by": "`b`",
                        "columns": ["way", ["time", "s"]], "rows": [["one", 0.50]]}})");
        const QByteArray table =
            "*2026-11-29, a machine; `b`*\n\n| way | time |\n|---|---:|\n| one | 0.50 s |\n";
        const auto verdictOn = [&root, this](const QByteArray& shown) {
            write(root,
                  "docs/performance.md",
                  "<!-- measured: a/t -->\n" + shown + "<!-- end of measured -->\n");
            return check("check_measurements.py", root.path());
        };
        const Verdict same = verdictOn(table);
        QVERIFY2(same.exitCode == 0, qPrintable(same.output));
        const Verdict other = verdictOn(QByteArray(table).replace("0.50", "0.40"));
        QCOMPARE(other.exitCode, 1);
        QVERIFY2(other.output.contains("docs/performance.md: tables are not those"),
                 qPrintable(other.output));
    }

    void aListOfFamiliesInAnotherPageIsFound() {
        const QTemporaryDir root;
        write(root,
              "docs/models.md",
              "<!-- families -->\n| `a` | A 1 | text |\n| `b` | B 1 | text |\n| `c` | C | text |\n"
              "<!-- end of families -->\n");
        for (const char* name : {"a", "b", "c"}) {
            write(root, QString("plugin/families/%1/%1.cpp").arg(name), "\n");
        }
        write(root, "docs/status.md", "A and B run\n");
        QCOMPARE(check("check_families.py", root.path()).exitCode, 0);
        write(root, "docs/status.md", "\nA, B and C run\n");
        const Verdict verdict = check("check_families.py", root.path());
        QCOMPARE(verdict.exitCode, 1);
        QVERIFY2(verdict.output.contains("docs/status.md:2: lists families"),
                 qPrintable(verdict.output));
    }

    void aBrokenTranslationIsFound_data() {
        QTest::addColumn<QByteArray>("panel");
        QTest::addColumn<QByteArray>("english");
        QTest::addColumn<QByteArray>("chinese");
        QTest::addColumn<QString>("complaint");
        const auto row =
            [](const char* name, const char* english, const char* chinese, const char* complaint) {
                QTest::newRow(name)
                    << QByteArray("QString a() { return Words::tr(\"") + english + "\"); }"
                    << QByteArray(english) << QByteArray(chinese) << complaint;
            };
        row("none", "Save %1", "保存 %1", "");
        row("placeholder", "Save %1", "保存 %2", "has other placeholders");
        row("access key", "&amp;Save", "保存", "has another access key");
        row("ellipsis", "Save...", "保存", "lost or gained an ellipsis");
        row("space", "Save ", "保存", "other spaces");
        QTest::newRow("no context")
            << QByteArray("QString a() { return tr(\"Save\"); }") << QByteArray("Save")
            << QByteArray("保存") << "it is never translated";
    }

    void aBrokenTranslationIsFound() {
        QFETCH(QByteArray, panel);
        QFETCH(QByteArray, english);
        QFETCH(QByteArray, chinese);
        QFETCH(QString, complaint);
        const QTemporaryDir root;
        writeTranslated(root, {}, panel.replace("&amp;", "&"), inStudio(english, chinese));
        const Verdict verdict = check("check_translations.py", root.path());
        if (verdict.output.contains("lupdate is not there")) {
            QSKIP("without lupdate");
        }
        QCOMPARE(verdict.exitCode, complaint.isEmpty() ? 0 : 1);
        QVERIFY2(verdict.output.contains(complaint), qPrintable(verdict.output));
    }

    void aBrokenMessageIsFound_data() {
        QTest::addColumn<QByteArray>("translation");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char* name, const char* chinese, const char* complaint) {
            QTest::newRow(name) << QByteArray("msgid \"{} needs {} of {{x}}\"\nmsgstr \"") +
                                       chinese + "\"\n"
                                << complaint;
        };
        row("in order", "{} 需要 {{x}} 的 {}", "");
        row("in another order", "需要 {1} 的是 {0}", "");
        row("one twice", "{0} 需要 {1}，{0}", "");
        row("one lost", "{0} 需要 {{x}}", "has other placeholders");
        row("one too many", "{} 需要 {} 和 {}", "has other placeholders");
        row("another number", "{1} 需要 {2}", "has other placeholders");
        row("a brace alone",
            "{0} 需要 {1} 的 {x}",
            "a brace that is neither a placeholder nor doubled");
        row("space", "{} 需要 {} ", "other spaces");
        QTest::newRow("a plural")
            << QByteArray("msgid \"{} file\"\nmsgid_plural \"{} files\"\nmsgstr[0] \"{} 个文件\"\n")
            << "";
        QTest::newRow("a plural that lost its number")
            << QByteArray("msgid \"{} file\"\nmsgid_plural \"{} files\"\nmsgstr[0] \"文件\"\n")
            << "has other placeholders";
    }

    void aBrokenMessageIsFound() {
        QFETCH(QByteArray, translation);
        QFETCH(QString, complaint);
        const QTemporaryDir root;
        writeTranslated(root, {}, {});
        writeMessages(root, translation);
        const Verdict verdict = check("check_translations.py", root.path());
        if (verdict.output.contains("lupdate is not there")) {
            QSKIP("without lconvert");
        }
        QVERIFY2(verdict.exitCode == (complaint.isEmpty() ? 0 : 1), qPrintable(verdict.output));
        QVERIFY2(verdict.output.contains(complaint), qPrintable(verdict.output));
    }

    void whatIsMissingFailsAReleaseAlone_data() {
        QTest::addColumn<QByteArray>("library");
        QTest::addColumn<QByteArray>("panel");
        QTest::addColumn<QByteArray>("translated");
        QTest::addColumn<QByteArray>("messages");
        QTest::addColumn<QString>("complaint");
        const QByteArray open = "QString a() { return Words::tr(\"Open\"); }";
        const QByteArray none;
        const QByteArray needs = "throw Error(kind, message(\"{} needs {}\", id, size));";
        const QByteArray known = "msgid \"{} needs {}\"\nmsgstr \"";
        QTest::newRow("unfinished")
            << none << open << inStudio("Open", "") << none << "\"Open\" is not translated";
        QTest::newRow("not in the file") << none << open << none << none << "\"Open\" is not in";
        QTest::newRow("gone") << none << none << inStudio("Open", "打开") << none
                              << "no source has \"Open\" any more";
        QTest::newRow("a message") << needs << none << none << none << "\"{} needs {}\" is not in";
        QTest::newRow("a message that is open") << needs << none << none << known + "\"\n"
                                                << "\"{} needs {}\" is not translated";
        QTest::newRow("a message that is gone") << none << none << none << known + "{} 需要 {}\"\n"
                                                << "no source has \"{} needs {}\" any more";
        QTest::newRow("a message that is translated")
            << needs << none << none << known + "{} 需要 {}\"\n"
            << "";
        QTest::newRow("a phrase in a table")
            << QByteArray("Row row{.hint = phrase(\"choose \" \"a file\")};") << none << none
            << none << "\"choose a file\" is not in";
        QTest::newRow("a plural") << QByteArray("plural(n, \"{} file\", \"{} files\", n);") << none
                                  << none << none << "\"{} file\" is not in";
        QTest::newRow("a separator")
            << QByteArray("joined(reasons, \"; \");") << none << none << none << "\"; \" is not in";
        QTest::newRow("a line of the log")
            << QByteArray("log(Level::Info, \"the run has begun\");") << none << none << none << "";
        QTest::newRow("a code") << QByteArray("add({.code = \"too_strange\", .message = text});")
                                << none << none << none << "issue/too_strange/message is not there";
    }

    void whatIsMissingFailsAReleaseAlone() {
        QFETCH(QByteArray, library);
        QFETCH(QByteArray, panel);
        QFETCH(QByteArray, translated);
        QFETCH(QByteArray, messages);
        QFETCH(QString, complaint);
        const QTemporaryDir root;
        writeTranslated(root, library, panel, translated);
        writeMessages(root, messages);
        const Verdict release = check("check_translations.py", root.path(), {"--release"});
        if (release.output.contains("is not there (Debian")) {
            QSKIP("without lupdate or xgettext");
        }
        QVERIFY2(release.exitCode == (complaint.isEmpty() ? 0 : 1), qPrintable(release.output));
        QVERIFY2(release.output.contains(complaint), qPrintable(release.output));
        QVERIFY2(release.output.contains("0 translations are broken"), qPrintable(release.output));
    }

    /// An import reports them.
    void reasonsOfTheTableOfClassesAreTranslated() {
        const QTemporaryDir root;
        writeTranslated(root, {}, {});
        write(root,
              "resources/interop/classes.json",
              "[{\"class\": \"A\", \"as\": {\"near\": \"it is \\\"another\\\"\"}, \"export\": "
              "{\"near\": \"of an export\"}},"
              " {\"class\": \"B\", \"as\": [{\"near_with\": [{\"x\": [1], \"why\": \"it is "
              "so\"}]}]}, {\"class\": \"C\"}]");
        writeMessages(root, "msgid \"it is so\"\nmsgstr \"确实如此\"\n");
        const Verdict release = check("check_translations.py", root.path(), {"--release"});
        if (release.output.contains("is not there (Debian")) {
            QSKIP("without lupdate or xgettext");
        }
        QCOMPARE(release.exitCode, 1);
        QVERIFY2(release.output.contains("\"it is \"another\"\" is not in"),
                 qPrintable(release.output));
        QVERIFY2(release.output.contains("1 are missing"), qPrintable(release.output));
    }

    void aMissingTranslationIsNoFaultOfAChange() {
        const QTemporaryDir root;
        writeTranslated(root, "throw Error(kind, message(\"{} is full\", name));", {});
        const Verdict verdict = check("check_translations.py", root.path());
        QVERIFY2(verdict.exitCode == 0, qPrintable(verdict.output));
    }

    void aNameInTwoFilesOfALibraryIsFound_data() {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QString>("name");
        QTest::newRow("constant") << QByteArray("constexpr int kMost = half(8);") << "kMost";
        QTest::newRow("table") << QByteArray("const Row kRows[] = {{1, \"}\"}, {2, \"\"}};")
                               << "kRows";
        QTest::newRow("function")
            << QByteArray("/// f(x) {\nint sizeOf(const A& a) {\n    return a.b();\n}") << "sizeOf";
        QTest::newRow("type") << QByteArray("class Reader final : public B {\n    int c_ = 0;\n};")
                              << "Reader";
    }

    void aNameInTwoFilesOfALibraryIsFound() {
        QFETCH(QByteArray, definition);
        QFETCH(QString, name);
        const QTemporaryDir root;
        const QByteArray text = "namespace {\n\n" + definition + "\n\n}  // namespace\n";
        write(root, "plugin/memory/a.cpp", text);
        write(root, "plugin/graph/a.cpp", text);
        QCOMPARE(check("check_names.py", root.path()).exitCode, 0);  // libraries are apart
        write(root, "plugin/memory/b.cpp", text);
        const Verdict verdict = check("check_names.py", root.path());
        QCOMPARE(verdict.exitCode, 1);
        QVERIFY2(verdict.output.startsWith(name + ": "), qPrintable(verdict.output));
    }

    void aFamilyNamedElsewhereIsFound_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isFound");
        const QString node = "nodes/load/a.cpp";
        QTest::newRow("a text") << node << QByteArray("\n\"For MyModel 2.\"\n") << true;
        QTest::newRow("another family")
            << "plugin/families/wan/a.cpp" << QByteArray("\nmymodelColours();\n") << true;
        QTest::newRow("its folder")
            << "plugin/families/mymodel/a.cpp" << QByteArray("\nmymodelColours();\n") << false;
        QTest::newRow("its line") << "plugin/families/CMakeLists.txt"
                                  << QByteArray("\nlowtide_add(family mymodel)\n") << false;
        QTest::newRow("a name as a word") << node << QByteArray("\n// as WAN has it\n") << true;
        QTest::newRow("in a longer name") << node << QByteArray("\nWanModel();\n") << true;
        QTest::newRow("in a word") << node << QByteArray("\n// what users want\n") << false;
    }

    void aFamilyNamedElsewhereIsFound() {
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QFETCH(bool, isFound);
        const QTemporaryDir root;
        write(root, "plugin/families/mymodel/mymodel.cpp", "\n");
        write(root, "plugin/families/wan/wan.cpp", "\n");
        write(root, file, text);
        const Verdict verdict = check("check_families.py", root.path());
        QCOMPARE(verdict.exitCode, isFound ? 1 : 0);
        QCOMPARE(verdict.output.contains(file + ":2: names the family "), isFound);
    }
};

LOWTIDE_TEST(ArchitectureTest)

}  // namespace architecture_test

#include "architecture_test.moc"
