#include "tests/published/published_rows.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/published_files.hpp"
#include "ui/models/model_folders.hpp"

namespace lowtide::testing {

std::vector<PublishedRow> publishedRows(const QString& kind) {
    std::vector<PublishedRow> rows;
    const QString table = contentsOf(sourcePath("tests/published/expected.tsv"));
    for (const QString& line : table.split('\n')) {
        const QStringList cells = line.split('\t');
        if (cells.size() > 2 && cells[0] == kind) {
            rows.push_back({cells[1], cells[2], cells.value(3)});
        }
    }
    return rows;
}

Plugin& publishedModule() {
    std::vector<std::string> folders;
    for (const ui::ModelFolder& folder :
         ui::modelFoldersIn((publishedFolder() + "/models").toStdString())) {
        folders.push_back(folder.path);
    }
    return openModule(folders);
}

}  // namespace lowtide::testing
