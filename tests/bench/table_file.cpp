#include "tests/bench/table_file.hpp"

#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"

#include <QtGlobal>

namespace lowtide::testing {

void writeTable(const QString& name, const Json& table) {
    const QString path = buildPath(name + ".json");
    writeFile(path, QByteArray::fromStdString(table.dump(2) + "\n"));
    qInfo("written to %s", qPrintable(path));
}

}  // namespace lowtide::testing
