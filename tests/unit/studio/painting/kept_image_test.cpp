#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QtTest/QtTest>

namespace kept_image_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

class KeptImageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void thePixelsAreThoseOfTheFile() {
        const QImage mask = someMask(77, 55, 1);
        const KeptImage kept = keepImage(folder_->filePath("new"), "mask", mask);
        QCOMPARE(kept.problem, QString());
        QCOMPARE(QImage(kept.path).convertToFormat(QImage::Format_Grayscale8), mask);
        QCOMPARE(keepImage(folder_->filePath("new"), "mask", mask).path, kept.path);
        QVERIFY(keepImage(folder_->filePath("new"), "mask", someMask(77, 55, 2)).path != kept.path);
    }

    void whatSomebodyChangedIsNotWrittenOver() {
        const QImage mask = someMask(20, 20, 1);
        const QString first = keepImage(folder_->path(), "mask", mask).path;
        writeFile(first, "another file");
        const KeptImage again = keepImage(folder_->path(), "mask", mask);
        QVERIFY(again.path != first);
        QCOMPARE(contentsOf(first), QByteArray("another file"));
        QCOMPARE(keepImage(folder_->path(), "mask", mask).path, again.path);
    }

    /// What a user put there or changed is not the program's to offer.
    void onlyWhatItWroteIsListed() {
        const QString mask = keepImage(folder_->path(), "mask", someMask(20, 20, 1)).path;
        const QString crop = keepImage(folder_->path(), "crop", someMask(20, 20, 2)).path;
        const QString painted = keepImage(folder_->path(), "mask", someMask(20, 20, 3)).path;
        writeFile(painted, "painted on in another program");
        const QString second = keepImage(folder_->path(), "mask", someMask(20, 20, 3)).path;
        QVERIFY(QFile::copy(mask, folder_->filePath("mask-mine.png")));
        QVERIFY(QFile::copy(mask, folder_->filePath("photo.png")));
        QVERIFY(QFile::copy(crop, folder_->filePath("mask-0123456789abcdef.png")));
        QVERIFY(QFile::link(mask, folder_->filePath("link-" + QFileInfo(mask).fileName().mid(5))));
        QStringList listed;
        for (const QFileInfo& file : keptImagesIn(folder_->path())) {
            listed << file.absoluteFilePath();
        }
        QStringList written = {mask, crop, second};
        written.sort();
        listed.sort();
        QCOMPARE(listed, written);
        QVERIFY(keptImagesIn(folder_->filePath("none")).isEmpty());
    }

    void aFolderThatCannotBeMadeIsNamed() {
        writeFile(folder_->filePath("file"), "x");
        const KeptImage kept = keepImage(folder_->filePath("file/in"), "mask", someMask(9, 9, 1));
        QVERIFY(!kept.problem.isEmpty());
    }

    void anUnfinishedMaskIsThereAgain() {
        const UnfinishedMasks masks(folder_->filePath("unfinished"));
        const QImage mask = someMask(300, 200, 3);
        QVERIFY(masks.of("/some/picture.png", mask.size()).isNull());
        QCOMPARE(masks.keep("/some/picture.png", mask), QString());
        QCOMPARE(masks.of("/some/picture.png", mask.size()), mask);
        QVERIFY(masks.of("/some/other.png", mask.size()).isNull());
        QVERIFY(masks.of("/some/picture.png", {200, 300}).isNull());
        QCOMPARE(masks.keep("/some/picture.png", filledMask({300, 200}, 0)), QString());
        QVERIFY(masks.of("/some/picture.png", mask.size()).isNull());
    }

    void severalOfAnImageAreThereByNumber() {
        const UnfinishedMasks masks(folder_->path());
        const QSize size(300, 200);
        const auto maskOf = [&](int seed) {
            return someMask(size.width(), size.height(), static_cast<quint32>(seed));
        };
        QCOMPARE(masks.keep("/a.png", {.number = 12, .name = "The sky", .mask = maskOf(12)}),
                 QString());
        QCOMPARE(masks.keep("/a.png", {.number = 2, .isShown = false, .mask = maskOf(2)}),
                 QString());
        QCOMPARE(masks.keep("/a.png", maskOf(1)), QString());
        QCOMPARE(masks.keep("/b.png", maskOf(3)), QString());

        const std::vector<NamedMask> all = masks.allOf("/a.png", size);

        QCOMPARE(all.size(), size_t{3});
        QCOMPARE(all[0].number, 1);
        QCOMPARE(all[1].number, 2);
        QVERIFY(!all[1].isShown);
        QCOMPARE(all[2].name, QString("The sky"));
        QCOMPARE(all[2].mask, maskOf(12));
        QVERIFY(all[2].mask.textKeys().isEmpty());
        masks.forget("/a.png", size, 12);
        QCOMPARE(masks.allOf("/a.png", size).size(), size_t{2});
        QVERIFY(masks.allOf("/a.png", {200, 300}).empty());
    }

    void aDamagedOneIsNone() {
        const UnfinishedMasks masks(folder_->path());
        const QImage mask = someMask(300, 200, 3);
        QCOMPARE(masks.keep("/a.png", mask), QString());
        const QString file = folder_->filePath(QDir(folder_->path()).entryList({"*.png"}).front());
        writeFile(file, "no image");
        QVERIFY(masks.of("/a.png", mask.size()).isNull());
    }

    void theOldestAreForgotten() {
        const UnfinishedMasks masks(folder_->path());
        for (int i = 0; i < UnfinishedMasks::kMost + 5; ++i) {
            QCOMPARE(masks.keep(QString("/%1.png").arg(i), someMask(9, 9, 1)), QString());
        }
        QCOMPARE(QDir(folder_->path()).entryList({"*.png"}).size(), UnfinishedMasks::kMost);
    }

private:
    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(KeptImageTest)

}  // namespace kept_image_test

#include "kept_image_test.moc"
