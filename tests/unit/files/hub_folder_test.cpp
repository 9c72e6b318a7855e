// Repositories as the cache of Hugging Face's libraries has them.
#include "plugin/files/downloads.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace hub_folder_test {

using namespace lowtide;

class HubFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> cache_;

    QString at(const QString& relative) const { return cache_->filePath(relative); }

    void write(const QString& relative, const QByteArray& text) const {
        QDir().mkpath(QFileInfo(at(relative)).path());
        QFile file(at(relative));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

private Q_SLOTS:

    /// As huggingface_hub leaves it: links from snapshots to blobs, and the name of the current
    /// one.
    void init() {
        cache_ = std::make_unique<QTemporaryDir>();
        const QString repository = "models--stabilityai--sdxl-turbo";
        write(repository + "/blobs/abc", "weights");
        write(repository + "/refs/main", "f00d\n");
        QDir().mkpath(at(repository + "/snapshots/f00d/unet"));
        QDir().mkpath(at(repository + "/snapshots/old"));
        QVERIFY(
            QFile::link("../../blobs/abc", at(repository + "/snapshots/f00d/model.safetensors")));
    }

    void aRepositoryIsItsCurrentSnapshot() {
        const std::string path = at("models--stabilityai--sdxl-turbo").toStdString();
        QCOMPARE(files::hubName(path), std::string("stabilityai/sdxl-turbo"));
        QCOMPARE(files::hubSnapshot(path), std::optional(path + "/snapshots/f00d"));
    }

    void withoutAReferenceTheOnlySnapshotCounts() {
        const QString repository = at("models--stabilityai--sdxl-turbo");
        QVERIFY(QFile::remove(repository + "/refs/main"));
        QVERIFY(!files::hubSnapshot(repository.toStdString()));
        QVERIFY(QDir(repository + "/snapshots/old").removeRecursively());
        QCOMPARE(files::hubSnapshot(repository.toStdString()),
                 std::optional(repository.toStdString() + "/snapshots/f00d"));
    }

    void aReferenceThatLeadsElsewhereIsNone() {
        write("models--stabilityai--sdxl-turbo/refs/main", "../../..");
        QVERIFY(!files::hubSnapshot(at("models--stabilityai--sdxl-turbo").toStdString()));
    }

    void otherFoldersAreNone() {
        QVERIFY(files::hubName(at("checkpoints").toStdString()).empty());
        QDir().mkpath(at("models--nothing--here"));
        QVERIFY(!files::hubSnapshot(at("models--nothing--here").toStdString()));
    }

    void usersNameARepositoryAndItsFiles_data() {
        const testing::Rows<QString, QString> row("name", "position");
        const QString snapshot = "models--stabilityai--sdxl-turbo/snapshots/f00d";
        row("repository", "stabilityai/sdxl-turbo", snapshot);
        row("file", "stabilityai/sdxl-turbo/model.safetensors", snapshot + "/model.safetensors");
        row("folder of the cache", "models--stabilityai--sdxl-turbo", snapshot);
        row("another", "stabilityai/sdxl", "");
        row("one word", "sdxl-turbo", "");
        row("another file", "stabilityai/sdxl-turbo/vae.safetensors", "");
    }

    void usersNameARepositoryAndItsFiles() {
        QFETCH(QString, name);
        QFETCH(QString, position);
        const auto found = files::pathBelow(at("").toStdString(), name.toStdString());
        QCOMPARE(QDir::cleanPath(QString::fromStdString(found.value_or(""))),
                 position.isEmpty() ? QString() : at(position));
    }
};

LOWTIDE_TEST(HubFolderTest)

}  // namespace hub_folder_test

#include "hub_folder_test.moc"
