#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QRegularExpression>
#include <QtTest/QtTest>

#include <set>

namespace nodes_test {

using namespace lowtide;

namespace {

const QRegularExpression kNodeId("^[a-z]+\\.[a-z_]+$");
const QRegularExpression kItemId("^[a-z][a-z0-9_]*$");

bool isNumber(const ParamDesc& param) {
    return param.kind == ParamKind::Int || param.kind == ParamKind::Float;
}

}  // namespace

/// Every node that is registered: what a user needs to use it is there.
class NodesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyNodeIsDescribed_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const NodeDesc& node : testing::openModule().nodes()) {
            QTest::newRow(node.id.c_str()) << index++;
        }
    }

    void everyNodeIsDescribed() {
        QFETCH(int, index);
        const NodeDesc& node = testing::openModule().nodes()[static_cast<size_t>(index)];
        QVERIFY(kNodeId.match(QString::fromStdString(node.id)).hasMatch());
        QVERIFY(!node.label.empty() && !node.category.empty());
        QVERIFY2(node.tooltip.ends_with('.'), "a tooltip is a sentence");
        QFile help(testing::sourcePath("resources/help/") + QString::fromStdString(node.id) +
                   ".md");
        QVERIFY2(help.open(QIODevice::ReadOnly), qPrintable("no help page " + help.fileName()));
        const QByteArray page = help.readAll();
        QVERIFY(page.startsWith("# " + QByteArray::fromStdString(node.label) + "\n"));
        for (const ParamDesc& param : node.params) {
            QVERIFY2(param.label.empty() || page.contains(QByteArray::fromStdString(param.label)),
                     qPrintable("the help page does not describe " +
                                QString::fromStdString(param.label)));
        }
    }

    void everyPortAndParameterIsDescribed_data() { everyNodeIsDescribed_data(); }

    void everyPortAndParameterIsDescribed() {
        QFETCH(int, index);
        const NodeDesc& node = testing::openModule().nodes()[static_cast<size_t>(index)];
        std::set<std::string> ids;
        for (const auto* ports : {&node.inputs, &node.outputs}) {
            ids.clear();
            for (const PortDesc& port : *ports) {
                QVERIFY(kItemId.match(QString::fromStdString(port.id)).hasMatch());
                QVERIFY(!port.label.empty() && !port.tooltip.empty() && !port.type.empty());
                QVERIFY2(ids.insert(port.id).second, "an id is taken twice");
            }
        }
        ids.clear();
        for (const ParamDesc& param : node.params) {
            QVERIFY2(ids.insert(param.id).second, "an id is taken twice");
            checkParameter(param);
        }
    }

    void foreignNamesAreThoseOfTheTable() {
        QFile file(testing::sourcePath("resources/foreign_nodes.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        Json names = Json::object();
        for (const NodeDesc& node : testing::openModule().nodes()) {
            if (!node.aliases.empty()) {
                names[node.id] = node.aliases;
            }
        }
        QCOMPARE(names.dump(), Json::parse(file.readAll().toStdString()).dump());
    }

private:
    static void checkParameter(const ParamDesc& param) {
        const char* id = param.id.c_str();
        QVERIFY(kItemId.match(QString::fromStdString(param.id)).hasMatch());
        QVERIFY2(!param.label.empty() && param.tooltip.ends_with('.'), id);
        if (isNumber(param)) {
            QVERIFY2(param.min && param.max && param.softMin && param.softMax && param.step, id);
            QVERIFY2(*param.min <= *param.softMin && *param.softMin < *param.softMax &&
                         *param.softMax <= *param.max,
                     id);
        }
        if (param.kind == ParamKind::Int) {
            QVERIFY2(!param.unit.empty(), id);
        }
        if (param.kind == ParamKind::Choice) {
            QVERIFY2(param.choices.size() > 1, id);
            for (const ChoiceDesc& choice : param.choices) {
                QVERIFY2(!choice.id.empty() && !choice.label.empty(), id);
            }
        }
    }
};

LOWTIDE_TEST(NodesTest)

}  // namespace nodes_test

#include "nodes_test.moc"
