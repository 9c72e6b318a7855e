#pragma once
// The system calls of this library. One implementation per operating system: os_linux.cpp.

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::ui::os {

/// What tells a running program from all others, also from one that gets its number later.
struct Program {
    int64_t number = 0;        ///< of the process
    std::string startedAt;     ///< ticks since the machine started
    std::string machineStart;  ///< differs after every start of the machine
    std::string machineId;     ///< of the system that is installed; empty: it has none
    std::string processes;     ///< within which the number holds: those of a container are its own
    std::string machine;       ///< its name, for a user: it may change at any time
};

[[nodiscard]] Program thisProgram();

enum class Life {
    Ended,
    Running,
    Unknown  ///< of another machine, or in another container
};

[[nodiscard]] Life lifeOf(const Program& program);

enum class LockState { Taken, Held, Unavailable };

/// A lock on a file that the system gives back when the program ends, however it ends.
class FileLock {
public:
    FileLock() = default;
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Held: this object has it. Taken: another one has. Unavailable: the folder has no locks, or
    /// nothing can be made there.
    [[nodiscard]] LockState tryLock(const std::string& path);
    /// Makes `text` the file's contents, for those who find it taken.
    void write(const std::string& text);

private:
    std::string path_;
    int handle_ = -1;
};

}  // namespace lowtide::ui::os
