#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/document/os.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QLocale>

namespace lowtide::ui {

namespace {

struct Locks {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};

constexpr qsizetype kLongestLockName = 200;
constexpr qint64 kLongestOwner = 4096;

/// One place for all names of a file: links and "." and ".." are followed.
QString lockPathOf(const QString& path) {
    const QFileInfo info(path);
    const QFileInfo target(info.exists() ? info.canonicalFilePath() : info.absoluteFilePath());
    const QString name =
        QFile::decodeName(QFile::encodeName(target.fileName()).left(kLongestLockName));
    return target.absolutePath() + QStringLiteral("/.") + name + QStringLiteral(".lock");
}

QString personName() {
    return qEnvironmentVariable("USER", qEnvironmentVariable("LOGNAME"));
}

std::string ownerText() {
    const os::Program program = os::thisProgram();
    return Json{{"process", program.number},
                {"machine", program.machine.toStdString()},
                {"person", personName().toStdString()},
                {"since", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()}}
               .dump(2) +
           "\n";
}

/// Who holds the lock, as far as its file says.
QString ownerSentence(const QString& path, const QString& lockPath) {
    const QString name = QFileInfo(path).fileName();
    QFile file(lockPath);
    const QByteArray text =
        file.open(QIODevice::ReadOnly) ? file.read(kLongestOwner) : QByteArray();
    try {
        const Json json = parseJson(text.toStdString(), "lock");
        const JsonReader reader(json, "lock");
        const QString person = QString::fromStdString(reader.text("person").value_or(""));
        const QString machine = QString::fromStdString(reader.text("machine").value_or(""));
        const QDateTime since = QDateTime::fromString(
            QString::fromStdString(reader.text("since").value_or("")), Qt::ISODate);
        const int64_t process = reader.integer("process").value_or(0);
        if (process == QCoreApplication::applicationPid()) {
            return Locks::tr("“%1” is open in another window of this program.").arg(name);
        }
        return Locks::tr("“%1” is being edited by %2 on %3 (process %4, since %5).")
            .arg(name,
                 person.isEmpty() ? Locks::tr("another program") : person,
                 machine,
                 QString::number(process),
                 QLocale().toString(since.toLocalTime(), QLocale::ShortFormat));
    } catch (const Error&) {
        return Locks::tr("“%1” is being edited by another program.").arg(name);
    }
}

}  // namespace

struct DocumentLock::State {
    QString path;
    QString lockPath;
    os::FileLock lock;
};

DocumentLock::DocumentLock(const QString& path) : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->lockPath = lockPathOf(path);
}

DocumentLock::~DocumentLock() = default;

QString DocumentLock::tryLock() {
    switch (state_->lock.tryLock(QFile::encodeName(state_->lockPath).toStdString())) {
        case os::LockState::Taken:
            return ownerSentence(state_->path, state_->lockPath);
        case os::LockState::Held:
            state_->lock.write(ownerText());
            break;
        case os::LockState::Unavailable:
            break;  // where no lock can be made nobody else has one
    }
    return {};
}

}  // namespace lowtide::ui
