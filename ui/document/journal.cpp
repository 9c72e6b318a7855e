#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/journal_text.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QDateTime>
#include <QFile>
#include <QUuid>

#include <exception>

namespace lowtide::ui {

Journal::Journal(const QString& folder, const QString& path)
    : folder_(folder),
      file_(QStringLiteral("%1/%2%3").arg(
          folder, QUuid::createUuid().toString(QUuid::Id128), QLatin1String(kJournalSuffix))),
      path_(path),
      graphFolder_(graphFolderOf(path)),
      exceptions_(std::uncaught_exceptions()) {}

Journal::~Journal() {
    // An exception on its way out is no order: what is not saved stays for the next start.
    if (!isLeft_ && std::uncaught_exceptions() == exceptions_) {
        clear();
    }
}

bool Journal::write(const graph::Document& document, QString* reason) {
    try {
        const std::string text =
            textOf(JournalText{.program = os::thisProgram(),
                               .path = path_,
                               .graphFolder = graphFolder_,
                               .writtenAt = QDateTime::currentDateTimeUtc().toString(Qt::ISODate),
                               .document = document});
        files::makeFolders(encoded(folder_));
        files::writeFileAtomically(encoded(file_), text);
        hasFailed_ = false;
        return true;
    } catch (const Error& error) {
        if (reason && !hasFailed_) {
            *reason = errorText(error);
        }
        hasFailed_ = true;
        return false;
    }
}

void Journal::setPlace(const QString& path, const QString& graphFolder) {
    path_ = path;
    graphFolder_ = graphFolder;
}

void Journal::clear() {
    QFile::remove(file_);
}

}  // namespace lowtide::ui
