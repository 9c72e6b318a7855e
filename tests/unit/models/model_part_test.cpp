// Parts of a model in files of their own: opened once, and again when their file changed.

#include "nodes/engine/stages.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace model_part_test {

using namespace lowtide;

class ModelPartTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isOpenedOnce_untilItsFileChanges() {
        const QString split = testing::splitFileFolder({"wan_t2v_0"}) + "/wan_t2v_0/";
        const QTemporaryDir folder;
        const QString path = folder.filePath("part.safetensors");
        testing::ModelBench bench;
        const auto opened = [&] {
            return bench.stages().loadPart(
                {.item = "autoencoder", .files = {{"file", path.toStdString()}}}, "");
        };
        QVERIFY(QFile::copy(split + "autoencoder.safetensors", path));
        const memory::WireRef first = opened();
        QCOMPARE(opened().get(), first.get());

        QVERIFY(QFile::remove(path) &&
                QFile::copy(split + "autoencoder_diffusers.safetensors", path));
        const memory::WireRef changed = opened();
        QVERIFY(changed.get() != first.get());
        QVERIFY(bench.stages().fingerprint(changed) != bench.stages().fingerprint(first));
    }
};

LOWTIDE_TEST(ModelPartTest)

}  // namespace model_part_test

#include "model_part_test.moc"
