#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <memory>

namespace script_hash_test {

using namespace lowtide;

/// The hash under which the cache keeps what a script makes; here of a script in a folder, with
/// modules that it imports and one that it does not.
class ScriptHashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(folder_->path()).mkpath("package"));
        write("script.py",
              "import os, plain\n"
              "import renamed as other\n"
              "from names import (\n    one,\n    two,\n)\n\n"
              "def main():\n    from package import part  # late\n");
        for (const char* name : {"plain",
                                 "renamed",
                                 "names",
                                 "package/__init__",
                                 "package/sibling",
                                 "through",
                                 "stranger"}) {
            write(QString(name) + ".py", "VALUE = 1\n");
        }
        write("package/part.py", "from . import sibling\nimport through\n");
    }

    void changesWithAFile_data() {
        const testing::Rows<QString, bool> row("file", "isRead");
        row("the script", "script.py", true);
        row("after another name", "plain.py", true);
        row("under another name", "renamed.py", true);
        row("names over several lines", "names.py", true);
        row("of a package, in a function", "package/part.py", true);
        row("of a package, by the package", "package/__init__.py", true);
        row("through a module, relative", "package/sibling.py", true);
        row("through a module", "through.py", true);
        row("of no one", "stranger.py", false);
    }

    void changesWithAFile() {
        QFETCH(QString, file);
        QFETCH(bool, isRead);
        const QString before = hash();

        write(file, testing::contentsOf(path(file)) + "# another text\n");

        QCOMPARE(hash() != before, isRead);
    }

    void changesWithAFileThatTheScriptReads() {
        write("cases.json", "[]");
        const QString before = testing::hashOfScript(path("script.py"), {path("cases.json")});

        write("cases.json", "[1]");

        QVERIFY(testing::hashOfScript(path("script.py"), {path("cases.json")}) != before);
    }

private:
    [[nodiscard]] QString path(const QString& file) const { return folder_->filePath(file); }

    [[nodiscard]] QString hash() const { return testing::hashOfScript(path("script.py")); }

    void write(const QString& name, const QByteArray& text) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(ScriptHashTest)

}  // namespace script_hash_test

#include "script_hash_test.moc"
