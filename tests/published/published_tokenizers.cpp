#include "tests/published/published_tokenizers.hpp"

#include "plugin/files/input_file.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

namespace lowtide::testing {

QString publishedTokenizers() {
    const QString script = sourcePath("tests/published/make_tokenizer_ids.py");
    QString hashes;
    for (const QString& file : {script, sourcePath("tests/unit/models/make_script_goldens.py")}) {
        hashes +=
            "-" + QString::fromStdString(files::sha256OfFile(file.toStdString()).substr(0, 8));
    }
    const QString folder = cacheFolder() + "/tokenizers" + hashes;
    runReferenceAlone(folder, {script, folder});
    return folder;
}

}  // namespace lowtide::testing
