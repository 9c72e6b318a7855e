#include "ui/bridge/sessions.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/document/journal.hpp"

#include <QDir>
#include <QFile>

namespace lowtide::ui {

namespace {

constexpr const char* kSuffix = ".lock";
constexpr qint64 kLongest = 4096;

os::Life lifeIn(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return os::Life::Unknown;
    }
    try {
        return os::lifeOf(
            programFrom(parseJson(file.read(kLongest).toStdString(), "session"), "session"));
    } catch (const Error&) {  // of an older version, or half written
        return os::Life::Unknown;
    }
}

bool hasEnded(const QString& path) {
    os::FileLock lock;
    switch (lock.tryLock(path.toStdString())) {
        case os::LockState::Held:
            return true;
        case os::LockState::Taken:
            return false;
        case os::LockState::Unavailable:
            break;
    }
    return lifeIn(path) == os::Life::Ended;
}

}  // namespace

Sessions sessionsIn(const QString& folder) {
    Sessions sessions;
    const QDir directory(folder);
    for (const QString& file :
         directory.entryList({QStringLiteral("*") + QLatin1String(kSuffix)})) {
        const QString path = directory.filePath(file);
        if (hasEnded(path)) {
            sessions.hasDead = true;
            QFile::remove(path);
        } else {
            sessions.living << file.chopped(static_cast<int>(qstrlen(kSuffix)));
        }
    }
    return sessions;
}

SessionFile::SessionFile(const QString& folder, const QString& name)
    : path_(QDir(folder).filePath(name + QLatin1String(kSuffix))) {}

SessionFile::~SessionFile() {
    if (isUnlocked_) {
        QFile::remove(path_);
    }
}

void SessionFile::make() {
    const std::string text = toJson(os::thisProgram()).dump() + "\n";
    const os::LockState state = lock_.tryLock(path_.toStdString());
    if (state == os::LockState::Held) {
        lock_.write(text);
    } else if (state == os::LockState::Unavailable) {
        QFile file(path_);
        if (file.open(QIODevice::WriteOnly)) {
            isUnlocked_ = true;
            file.write(text.data(), static_cast<qint64>(text.size()));
        }
    }
}

}  // namespace lowtide::ui
