#include "ui/document/os.hpp"

#include <QFile>
#include <QSysInfo>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lowtide::ui::os {

namespace {

/// The file may be removed between opening and locking it; then the lock is of nothing.
constexpr int kTries = 8;
constexpr qint64 kLongestProcFile = 4096;

QByteArray procFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(kLongestProcFile) : QByteArray();
}

struct ProcessState {
    char state = 'X';
    QString startedAt;
};

/// Nothing when there is no such process. Source: proc(5): the name may hold anything, so fields
/// are counted behind its last bracket; state is field 3, starttime field 22.
std::optional<ProcessState> stateOf(int64_t process) {
    const QByteArray text = procFile(QStringLiteral("/proc/%1/stat").arg(process));
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    if (text.isEmpty() || fields.size() < 20 || fields[0].isEmpty()) {
        return std::nullopt;
    }
    return ProcessState{.state = fields[0][0], .startedAt = QString::fromLatin1(fields[19])};
}

QString machineStart() {
    return QString::fromLatin1(procFile(QStringLiteral("/proc/sys/kernel/random/boot_id")))
        .trimmed();
}

/// Source: namespaces(7): "pid:[4026531836]", the same for all who see the same numbers.
QString processNamespace() {
    char name[64];
    const ssize_t length = ::readlink("/proc/self/ns/pid", name, sizeof name);
    return length > 0 ? QString::fromLatin1(name, length) : QString();
}

/// By the name alone where an older version wrote no more.
bool isSameMachine(const Program& one, const Program& other) {
    return one.machineId.isEmpty() ? one.machine == other.machine
                                   : one.machineId == other.machineId;
}

int openLockFile(const std::string& path) {
    constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int handle = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0644);
    // One that another user made can still be locked.
    return handle < 0 && errno == EACCES ? ::open(path.c_str(), O_RDONLY | kFlags) : handle;
}

bool isStillThere(int handle, const std::string& path) {
    struct stat opened {};

    struct stat named {};

    return ::fstat(handle, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

Program thisProgram() {
    const int64_t number = ::getpid();
    const std::optional<ProcessState> state = stateOf(number);
    return {.number = number,
            .startedAt = state ? state->startedAt : QString(),
            .machineStart = machineStart(),
            .machineId = QString::fromLatin1(QSysInfo::machineUniqueId()),
            .processes = processNamespace(),
            .machine = QSysInfo::machineHostName()};
}

Life lifeOf(const Program& program) {
    const Program mine = thisProgram();
    if (program.machineStart != mine.machineStart) {
        // This machine was started since; of another one nothing is known.
        return isSameMachine(program, mine) ? Life::Ended : Life::Unknown;
    }
    if (!program.processes.isEmpty() && program.processes != mine.processes) {
        return Life::Unknown;
    }
    const std::optional<ProcessState> state =
        program.number > 0 ? stateOf(program.number) : std::nullopt;
    const bool hasEnded = !state || state->state == 'Z' || state->state == 'X' ||
                          state->startedAt != program.startedAt;
    return hasEnded ? Life::Ended : Life::Running;
}

FileLock::~FileLock() {
    if (handle_ >= 0) {
        ::unlink(path_.c_str());  // before it is given back: nobody else can have it
        ::close(handle_);
    }
}

LockState FileLock::tryLock(const std::string& path) {
    if (handle_ >= 0) {
        return LockState::Held;
    }
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const int handle = openLockFile(path);
        if (handle < 0) {
            return LockState::Unavailable;
        }
        if (::flock(handle, LOCK_EX | LOCK_NB) != 0) {
            const bool isTaken = errno == EWOULDBLOCK;
            ::close(handle);
            return isTaken ? LockState::Taken : LockState::Unavailable;
        }
        if (isStillThere(handle, path)) {
            handle_ = handle;
            path_ = path;
            return LockState::Held;
        }
        ::close(handle);
    }
    return LockState::Unavailable;
}

void FileLock::write(const std::string& text) {
    // Who holds it is a courtesy: a full disk must not cost the lock.
    if (::ftruncate(handle_, 0) == 0) {
        [[maybe_unused]] const auto written = ::pwrite(handle_, text.data(), text.size(), 0);
    }
}

}  // namespace lowtide::ui::os
