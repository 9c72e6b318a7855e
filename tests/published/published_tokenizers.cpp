#include "tests/published/published_tokenizers.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"

namespace lowtide::testing {

QString publishedTokenizers() {
    const QString script = sourcePath("tests/published/make_tokenizer_ids.py");
    const QString folder = cacheFolder() + "/published-tokenizers-" + hashOfScript(script);
    runReferenceAlone(folder, {script, folder});
    return folder;
}

}  // namespace lowtide::testing
