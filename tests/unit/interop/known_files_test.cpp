#include "plugin/interop/known_files.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace known_files_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

using Found = std::optional<std::string>;

}  // namespace

/// What there is of the files that a foreign graph names.
class KnownFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aModelIsFoundByTheLastPartOfItsName() {
        const KnownFiles files({}, std::vector<std::string>{"styles/ink.safetensors", "fox.ckpt"});

        QCOMPARE(files.find("ink.safetensors", true), Found("styles/ink.safetensors"));
        QCOMPARE(files.find("lora/ink.safetensors", true), Found("styles/ink.safetensors"));
        QCOMPARE(files.find("ink", true), Found("styles/ink.safetensors"));
        QCOMPARE(files.find("fox.ckpt", true), Found("fox.ckpt"));
        QCOMPARE(files.find("owl.ckpt", true), Found());
        QCOMPARE(files.find("builtin:mini", true), Found("builtin:mini"));
    }

    void everyModelIsThere_whereNobodyKnowsThem() {
        QCOMPARE(KnownFiles({}, std::nullopt).find("owl.ckpt", true), Found("owl.ckpt"));
        QCOMPARE(KnownFiles({}, std::vector<std::string>()).find("owl.ckpt", true), Found());
    }

    void anImageIsNamedByItsPath() {
        const QTemporaryDir first, second;
        testing::writeFile(second.filePath("fox.png"), "an image");
        const KnownFiles files({first.path().toStdString(), second.path().toStdString()},
                               std::nullopt);

        QCOMPARE(files.find("fox.png", false), Found(second.filePath("fox.png").toStdString()));
        QCOMPARE(files.find("owl.png", false), Found());
        QVERIFY(!files.sizeOf("fox.png"));  // it is no image
    }
};

LOWTIDE_TEST(KnownFilesTest)

}  // namespace known_files_test

#include "known_files_test.moc"
