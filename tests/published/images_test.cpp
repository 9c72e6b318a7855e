// Images as other programs save them: none of them carries a graph of this one, and a workflow of
// ComfyUI is named.
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/document/saved_file.hpp"

#include <QDir>
#include <QtTest/QtTest>

namespace images_test {

using namespace lowtide;

class ImagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aRefusalNamesAWorkflow_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("name");
        const QDir folder(testing::publishedFolder() + "/pictures");
        const QStringList names = folder.entryList({"*.png", "*.jpg", "*.webp"}, QDir::Files);
        QVERIFY(names.contains("comfyui.png") && names.contains("comfyui.webp") &&
                names.contains("comfyui_nan.png"));
        for (const QString& name : names) {
            QTest::newRow(qPrintable(name)) << folder.filePath(name) << name;
        }
    }

    void aRefusalNamesAWorkflow() {
        QFETCH(QString, path);
        QFETCH(QString, name);
        const auto error = testing::errorOf([&] { static_cast<void>(ui::loadGraph(path)); });
        QVERIFY(error.has_value());
        const bool isOfComfy = name.startsWith("comfyui");
        QCOMPARE(error->kind(), isOfComfy ? ErrorKind::Unsupported : ErrorKind::NotFound);
        QCOMPARE(QString::fromStdString(error->message().str()),
                 isOfComfy ? QString("\"%1\": This is a ComfyUI workflow with 7 nodes; this "
                                     "version does not read it.")
                                 .arg(name)
                           : QString("the image \"%1\" carries no graph").arg(name));
    }
};

LOWTIDE_WINDOW_TEST(ImagesTest)

}  // namespace images_test

#include "images_test.moc"
