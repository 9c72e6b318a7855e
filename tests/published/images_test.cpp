// Images as other programs save them: what they carry goes to an import, and a plain one is
// refused.
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/document/opened_graph.hpp"

#include <QDir>
#include <QtTest/QtTest>

namespace images_test {

using namespace lowtide;

class ImagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void whatAProgramWroteIsImported_data() {
        const testing::Rows<QString> row("path");
        const QDir folder(testing::publishedFolder() + "/pictures");
        const QStringList names = folder.entryList({"*.png", "*.jpg", "*.webp"}, QDir::Files);
        QVERIFY(names.contains("comfyui.png") && names.contains("comfyui.webp") &&
                names.contains("a1111.jpg") && names.contains("plain.png"));
        for (const QString& name : names) {
            row(qPrintable(name), folder.filePath(name));
        }
    }

    void whatAProgramWroteIsImported() {
        QFETCH(QString, path);
        std::string text;
        const ui::Importer importer = [&](const std::string& carried, const QString&) {
            text = carried;
            return ui::ImportedGraph{.document = {}, .report = {{"source", "a test"}}};
        };

        const auto error =
            testing::errorOf([&] { static_cast<void>(ui::openedFile(path, importer)); });

        if (QFileInfo(path).fileName().startsWith("plain")) {
            QVERIFY(error && error->kind() == ErrorKind::NotFound);
            return;
        }
        QVERIFY2(!error, error ? error->message().str().c_str() : "");
        QVERIFY(text.find("at dusk") != std::string::npos);  // its prompt
    }
};

LOWTIDE_WINDOW_TEST(ImagesTest)

}  // namespace images_test

#include "images_test.moc"
