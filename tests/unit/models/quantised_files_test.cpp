// Files in every encoding: the list that images and policies are tested with is complete.
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/encodings/encodings.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <set>

namespace quantised_files_test {

using namespace lowtide;

namespace {

std::set<std::string> encodingsIn(const QString& path) {
    std::set<std::string> found;
    for (const auto& [name, location] : models::openWeightFile(path.toStdString()).map.tensors) {
        if (location.encoded) {
            found.insert(location.encoded->encoding);
        }
    }
    return found;
}

}  // namespace

class QuantisedFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyEncodingIsInOneOfThem() {
        const QStringList names(std::begin(testing::kQuantisedFiles),
                                std::end(testing::kQuantisedFiles));
        const QString folder = testing::quantisedFolder("sd15_1", names);
        std::set<std::string> found;
        for (const QString& name : names) {
            found.merge(encodingsIn(folder + "/" + name));
        }
        for (const encodings::Encoding& encoding : encodings::encodings()) {
            QVERIFY2(found.contains(std::string(encoding.name)), encoding.name.data());
        }
    }

    /// What the others are compared with: plain numbers under the same names, of the same shapes.
    void decodedOnesHaveNone() {
        for (const char* checkpoint : {"sd15_1", "sdxl_1"}) {
            const QString path = testing::quantisedFile(checkpoint, "q5_k.gguf");
            const auto quantised = models::openWeightFile(path.toStdString()).map.tensors;
            const auto decoded =
                models::openWeightFile(testing::decodedFile(path).toStdString()).map.tensors;
            QCOMPARE(decoded.size(), quantised.size());
            for (const auto& [name, location] : decoded) {
                QVERIFY2(!location.encoded && location.type == DType::F32, name.c_str());
                QVERIFY2(location.shape == quantised.at(name).shape, name.c_str());
            }
        }
    }
};

LOWTIDE_TEST(QuantisedFilesTest)

}  // namespace quantised_files_test

#include "quantised_files_test.moc"
