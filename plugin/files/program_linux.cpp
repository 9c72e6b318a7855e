#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/os.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/files/program.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lowtide::files {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 20;   // between looks at the stop token
constexpr size_t kMostWords = 4096;     // of what a program reports about its failure
constexpr int kPatienceOfTheEnd = 500;  // pauses after it was killed
constexpr int kMillisecondsInASecond = 1000;
constexpr int kLeastHandle = 10;  // above those that the program is given

/// A handle that another program does not inherit, and that is none of those that it gets.
os::Descriptor movedUp(int handle) {
    os::Descriptor moved(handle < 0 ? -1 : ::fcntl(handle, F_DUPFD_CLOEXEC, kLeastHandle));
    if (handle >= 0) {
        ::close(handle);
    }
    return moved;
}

/// A file without a name, at its beginning.
os::Descriptor fileInMemory(std::string_view content) {
    os::Descriptor file = movedUp(::memfd_create("lowtide", MFD_CLOEXEC));
    if (!file.isOpen() || os::writeAll(file, std::as_bytes(std::span(content)))) {
        return {};
    }
    ::lseek(file.handle(), 0, SEEK_SET);
    return file;
}

/// Whether the handle is ready, or its other end is gone, after so many milliseconds at most.
bool isReady(short event, const os::Descriptor& handle, int milliseconds) {
    pollfd asked{.fd = handle.handle(), .events = event, .revents = 0};
    return ::poll(&asked, 1, milliseconds) > 0;
}

class SpawnActions {
public:
    SpawnActions() { posix_spawn_file_actions_init(&actions_); }

    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    void beIn(const std::string& folder) {
        posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }

    void give(const os::Descriptor& handle, int as) {
        posix_spawn_file_actions_adddup2(&actions_, handle.handle(), as);
    }

    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

/// The program is its own group, so that an interrupt at the terminal is ours to handle, and gets
/// signals as a fresh one does.
class SpawnAttributes {
public:
    SpawnAttributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigaddset(&signals, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }

    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }

    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;

    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

}  // namespace

std::optional<std::string> findProgram(std::string_view name) {
    const char* const folders = std::getenv("PATH");
    for (const std::string& folder : split(folders ? folders : "/usr/bin:/bin", ':')) {
        const std::string path = (folder.empty() ? "." : folder) + "/" + std::string(name);
        os::FileStatus status;
        if (!os::statusOf(path, status) && status.kind == os::FileKind::Regular &&
            ::access(path.c_str(), X_OK) == 0) {
            return std::filesystem::absolute(path).string();
        }
    }
    return std::nullopt;
}

struct Program::State {
    std::string name;
    std::chrono::milliseconds patience{};
    pid_t process = -1;  ///< leader of a group of its own; -1: it has ended
    /// Names the process even when the system gave its number to another one, which happens where
    /// a host ignores SIGCHLD or waits for every child. Not open: the system knows no such handles.
    os::Descriptor watch;
    std::optional<int> code;  ///< how it ended: its code, or minus a signal; nothing: not known
    os::Descriptor input;
    os::Descriptor answer;
    os::Descriptor errors;

    [[noreturn]] void refuse(const Message& problem) const {
        throw Error(ErrorKind::Device, message("the program {} {}", quotedName(name), problem));
    }

    /// As waitid(): fills `info`; false when there is no such child.
    bool waitFor(int options, siginfo_t& info) const {
        const idtype_t kind = watch.isOpen() ? P_PIDFD : P_PID;
        const auto id = static_cast<id_t>(watch.isOpen() ? watch.handle() : process);
        int failed = 0;
        do {
            info = {};
            failed = ::waitid(kind, id, &info, options);
        } while (failed != 0 && errno == EINTR);
        return failed == 0;
    }

    /// Takes its code, and ends what it started and left behind.
    bool isOver() noexcept {
        if (process < 0) {
            return true;
        }
        siginfo_t info{};
        if (waitFor(WEXITED | WNOHANG | WNOWAIT, info)) {
            if (info.si_pid == 0) {
                return false;
            }
            ::kill(-process, SIGKILL);  // its number is not given away before the next line
            if (waitFor(WEXITED | WNOHANG, info)) {
                code = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
            }
        }
        process = -1;
        return true;
    }

    void end() noexcept {
        input = {};
        answer = {};
        if (isOver()) {
            return;
        }
        ::kill(-process, SIGKILL);
        // One that waits for a disk that is gone does not even end now, and nobody waits for it.
        for (int left = kPatienceOfTheEnd; !isOver() && left > 0; --left) {
            pause();
        }
        process = -1;
    }

    static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

    void requirePatience(Clock::time_point begin) const {
        if (patience.count() > 0 && Clock::now() - begin > patience) {
            refuse(message("does not answer: it wrote nothing for {} seconds",
                           patience.count() / kMillisecondsInASecond));
        }
    }

    /// Returns when the handle is ready: false when the program has ended and it is not, whoever
    /// else may hold its other end.
    bool waitUntil(short event, const os::Descriptor& handle, const StopToken& stop) {
        const Clock::time_point begin = Clock::now();
        while (!isReady(event, handle, kPollMilliseconds)) {
            stop.throwIfStopped();
            if (isOver()) {
                return isReady(event, handle, 0);
            }
            requirePatience(begin);
        }
        stop.throwIfStopped();
        return true;
    }

    /// The last text that it wrote.
    [[nodiscard]] std::string words() const {
        std::string text(kMostWords, '\0');
        const off_t size = ::lseek(errors.handle(), 0, SEEK_END);
        const Bytes at = std::max<Bytes>(0, size - static_cast<Bytes>(kMostWords));
        size_t count = 0;
        if (os::readAt(errors, std::as_writable_bytes(std::span(text)), at, count)) {
            count = 0;
        }
        text.resize(count);
        std::string line;
        for (const std::string& each : split(text, '\n')) {
            line += (each.empty() || line.empty() ? "" : "; ") + each;
        }
        return isValidUtf8(line) ? line : std::string();
    }

    /// A program whose code another part of the host took has failed when it wrote something.
    void requireSuccess() const {
        const std::string text = words();
        if (code == 0 || (!code && text.empty())) {
            return;
        }
        const Message how = !code       ? message("failed")
                            : *code < 0 ? message("was ended by signal {}", -*code)
                                        : message("failed with code {}", *code);
        refuse(text.empty() ? how : message("{}: {}", how, text));
    }
};

Program::Program(const Start& start) : state_(std::make_unique<State>()) {
    state_->name = lastPart(start.path);
    state_->patience = start.patience;
    // A socket, for it can be set not to end this process when the other end is gone.
    std::array<int, 2> sockets = {-1, -1};
    std::array<int, 2> pipes = {-1, -1};
    const bool hasEnds =
        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0 &&
        ::pipe2(pipes.data(), O_CLOEXEC) == 0;
    state_->input = movedUp(sockets[0]);
    const os::Descriptor its = movedUp(sockets[1]);
    state_->answer = movedUp(pipes[0]);
    const os::Descriptor itsAnswer = movedUp(pipes[1]);
    const os::Descriptor third = fileInMemory(start.third);
    state_->errors = fileInMemory({});
    if (!hasEnds || !state_->input.isOpen() || !its.isOpen() || !state_->answer.isOpen() ||
        !itsAnswer.isOpen() || !third.isOpen() || !state_->errors.isOpen()) {
        state_->refuse(message("cannot be started: there are no more handles"));
    }
    ::fcntl(state_->input.handle(), F_SETFL, O_NONBLOCK);
    ::shutdown(state_->input.handle(), SHUT_RD);
    SpawnActions actions;
    actions.give(its, STDIN_FILENO);
    actions.give(itsAnswer, STDOUT_FILENO);
    actions.give(state_->errors, STDERR_FILENO);
    actions.give(third, 3);
    if (!start.folder.empty()) {
        actions.beIn(start.folder);
    }
    const SpawnAttributes attributes;
    std::vector<char*> words = {const_cast<char*>(state_->name.c_str())};
    for (const std::string& argument : start.arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const int code = ::posix_spawn(&state_->process,
                                   start.path.c_str(),
                                   actions.get(),
                                   attributes.get(),
                                   words.data(),
                                   environ);
    if (code != 0) {
        state_->process = -1;
        state_->refuse(message("cannot be started: {}",
                               std::error_code(code, std::generic_category()).message()));
    }
    state_->watch = movedUp(static_cast<int>(::syscall(SYS_pidfd_open, state_->process, 0)));
}

Program::~Program() {
    state_->end();
}

void Program::refuseUnread(const StopToken& stop) {
    finish(stop);
    state_->refuse(message("ended before it had read all"));
}

void Program::write(std::span<const std::byte> bytes, const StopToken& stop) {
    while (!bytes.empty()) {
        const ssize_t sent =
            ::send(state_->input.handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<size_t>(sent));
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!state_->waitUntil(POLLOUT, state_->input, stop)) {
                refuseUnread(stop);
            }
        } else if (sent < 0 && errno != EINTR) {
            refuseUnread(stop);
        }
    }
}

size_t Program::read(std::span<std::byte> target, const StopToken& stop) {
    while (state_->waitUntil(POLLIN, state_->answer, stop)) {
        const ssize_t count = ::read(state_->answer.handle(), target.data(), target.size());
        if (count >= 0) {
            return static_cast<size_t>(count);
        }
        if (errno != EINTR) {
            state_->refuse(message("gives no answer"));
        }
    }
    return 0;
}

void Program::finish(const StopToken& stop) {
    state_->input = {};
    const Clock::time_point begin = Clock::now();
    while (!state_->isOver()) {
        stop.throwIfStopped();
        state_->requirePatience(begin);
        State::pause();
    }
    state_->requireSuccess();
}

std::string Program::words() const {
    return state_->words();
}

Answer answerOf(const Program::Start& start, size_t most, const StopToken& stop) {
    Program program(start);
    Answer answer;
    std::array<std::byte, 1u << 16> part{};
    while (const size_t count = program.read(part, stop)) {
        answer.text.append(reinterpret_cast<const char*>(part.data()), count);
        if (answer.text.size() > most) {
            throw Error(ErrorKind::Device,
                        message("the program {} answers more than {} bytes",
                                quotedName(lastPart(start.path)),
                                most));
        }
    }
    program.finish(stop);
    answer.words = program.words();
    return answer;
}

}  // namespace lowtide::files
