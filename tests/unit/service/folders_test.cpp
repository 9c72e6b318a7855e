// Which files requests may name.

#include "service/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace folders_test {

using namespace lowtide;

namespace {

service::ServiceFolders folders() {
    return {.out = "/data/out",
            .input = "/data/out/input",
            .temp = "/data/out/temp",
            .user = "/data/out/user",
            .models = {{"/models", ui::ModelKind::Other}},
            .moreInputs = {}};
}

std::vector<NodeDesc> loader() {
    return {{.id = "load",
             .label = "Load",
             .params = {{.id = "file",
                         .label = "File",
                         .kind = ParamKind::File,
                         .defaultValue = std::string()},
                        {.id = "text",
                         .label = "Text",
                         .kind = ParamKind::Text,
                         .defaultValue = std::string()}}}};
}

}  // namespace

class FoldersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void keepsNamesInTheFolder_data() {
        testing::addTable<QString, QString>({"name", "path"},
                                            {{"file", "a.png", "/data/a.png"},
                                             {"folder", "b/a.png", "/data/b/a.png"},
                                             {"there and back", "b/../a.png", "/data/a.png"},
                                             {"out of it", "../a.png", ""},
                                             {"out of it, later", "b/../../a.png", ""},
                                             {"a folder with that start", "../data2/a.png", ""},
                                             {"absolute", "/data/a.png", ""},
                                             {"backslash", "..\\a.png", ""},
                                             {"the folder", ".", ""},
                                             {"a folder", "b/", ""},
                                             {"empty", "", ""}});
    }

    void keepsNamesInTheFolder() {
        QFETCH(QString, name);
        QFETCH(QString, path);
        const auto found = service::pathBelow("/data", name.toStdString());
        QCOMPARE(QString::fromStdString(found.value_or("")), path);
    }

    void refusesGraphsThatNameOtherFiles_data() {
        testing::addTable<QString, bool>({"file", "isRefused"},
                                         {{"name", "a.safetensors", false},
                                          {"name with a folder", "styles/ink", false},
                                          {"built in", "builtin:mini", false},
                                          {"model", "/models/a.safetensors", false},
                                          {"result", "/data/out/a.png", false},
                                          {"elsewhere", "/etc/passwd", true},
                                          {"hidden way out", "/models/../etc/passwd", true},
                                          {"relative way out", "../../etc/passwd", true},
                                          {"a folder with that start", "/models2/a", true}});
    }

    void refusesGraphsThatNameOtherFiles() {
        QFETCH(QString, file);
        QFETCH(bool, isRefused);
        graph::Document document;
        document.nodes["1"].type = "load";
        document.nodes["1"].params = {{"file", file.toStdString()}, {"text", "/etc/passwd"}};
        const graph::Catalog catalog(loader());

        const Issues issues = service::foreignPaths(document, catalog, folders());

        QCOMPARE(issues.size(), size_t(isRefused ? 1 : 0));
        QVERIFY(!isRefused || (issues[0].node == "1" && issues[0].item == "file"));
    }
};

LOWTIDE_TEST(FoldersTest)

}  // namespace folders_test

#include "folders_test.moc"
