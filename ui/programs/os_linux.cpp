#include "plugin/base/text.hpp"
#include "ui/programs/os.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lowtide::ui::os {

namespace {

/// The file may be removed between opening and locking it; then the lock is of nothing.
constexpr int kTries = 8;
constexpr size_t kLongestSystemFile = 4096;

/// The beginning of a file of the system; empty: it cannot be read.
std::string systemFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kLongestSystemFile, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
    return text;
}

struct ProcessState {
    char state = 'X';
    std::string startedAt;
};

/// Nothing when there is no such process. Source: proc(5): the name may hold anything, so fields
/// are counted behind its last bracket; state is field 3, starttime field 22.
std::optional<ProcessState> stateOf(int64_t process) {
    const std::string text = systemFile("/proc/" + std::to_string(process) + "/stat");
    const size_t name = text.rfind(')');
    if (name == std::string::npos || name + 2 >= text.size()) {
        return std::nullopt;
    }
    const std::vector<std::string> fields = split(std::string_view(text).substr(name + 2), ' ');
    if (fields.size() < 20 || fields[0].empty()) {
        return std::nullopt;
    }
    return ProcessState{.state = fields[0][0], .startedAt = fields[19]};
}

std::string machineStart() {
    return trim(systemFile("/proc/sys/kernel/random/boot_id"));
}

/// Source: machine-id(5): 32 digits. D-Bus's comes first: earlier versions recorded it alone.
std::string machineId() {
    constexpr size_t kDigits = 32;
    for (const char* path : {"/var/lib/dbus/machine-id", "/etc/machine-id"}) {
        if (const std::string id = trim(systemFile(path)).substr(0, kDigits); !id.empty()) {
            return id;
        }
    }
    return {};
}

std::string machineName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Source: namespaces(7): "pid:[4026531836]", the same for all who see the same numbers.
std::string processNamespace() {
    std::array<char, 64> name{};
    const ssize_t length = ::readlink("/proc/self/ns/pid", name.data(), name.size());
    return length > 0 ? std::string(name.data(), static_cast<size_t>(length)) : std::string();
}

/// By the name alone where an older version wrote no more.
bool isSameMachine(const Program& one, const Program& other) {
    return one.machineId.empty() ? one.machine == other.machine : one.machineId == other.machineId;
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
            .startedAt = state ? state->startedAt : std::string(),
            .machineStart = machineStart(),
            .machineId = machineId(),
            .processes = processNamespace(),
            .machine = machineName()};
}

Life lifeOf(const Program& program) {
    const Program mine = thisProgram();
    if (program.machineStart != mine.machineStart) {
        // This machine was started since; of another one nothing is known.
        return isSameMachine(program, mine) ? Life::Ended : Life::Unknown;
    }
    if (!program.processes.empty() && program.processes != mine.processes) {
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
