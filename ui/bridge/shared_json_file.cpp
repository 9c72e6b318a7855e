#include "ui/bridge/shared_json_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"
#include "ui/bridge/json_merge.hpp"

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kLockMilliseconds = 5000;

}  // namespace

SharedJsonFile::SharedJsonFile(std::string path, Bytes most)
    : path_(std::move(path)),
      most_(most),
      lock_(QString::fromStdString(path_) + QStringLiteral(".lock")) {
    files::makeFolders(files::folderOf(path_));
    static_cast<void>(lock_.tryLock(kLockMilliseconds));
}

Json SharedJsonFile::merged(const Json& base, const Json& mine) const {
    Json theirs = base;
    try {
        theirs = parseJson(files::InputFile(path_).readAll(most_), path_);
    } catch (const Error&) {  // nobody else has written it
    }
    return ui::merged(base, mine, theirs);
}

void SharedJsonFile::write(const std::string& text) const {
    files::writeFileAtomically(path_, text);
}

}  // namespace lowtide::ui
