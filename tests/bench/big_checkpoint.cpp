#include "tests/bench/big_checkpoint.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

namespace lowtide::testing {

QString bigCheckpoint(const QString& size, const QString& folder) {
    const QString checkpoint = cacheFolder() + "/" + folder;
    runReference({sourcePath("tests/bench/big_checkpoint.py"),
                  size,
                  sourcePath("resources/mini/model"),
                  checkpoint});
    return checkpoint;
}

QString bigXlCheckpoint(const QString& folder) {
    const QString checkpoint = cacheFolder() + "/" + folder;
    runReference({sourcePath("tests/bench/xl_checkpoint.py"),
                  sourcePath("tests/golden/reference"),
                  sourcePath("resources/mini/model"),
                  checkpoint});
    return checkpoint;
}

QString bigLora(const QStringList& arguments, const QString& path) {
    runReference(QStringList{sourcePath("tests/bench/lora_file.py")} + arguments +
                 QStringList{path});
    return path;
}

}  // namespace lowtide::testing
