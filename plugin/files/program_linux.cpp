#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/os.hpp"
#include "plugin/files/path_parts.hpp"
#include "plugin/files/program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lowtide::files {

namespace {

constexpr int kPollMilliseconds = 20;  // between looks at the stop token
constexpr size_t kMostWords = 4096;    // of what a program says of its failure
constexpr int kLeastHandle = 10;       // above those that the program is given

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

/// Waits until the handle is ready, or its other end is gone.
void waitUntil(short event, const os::Descriptor& handle, const StopToken& stop) {
    pollfd asked{.fd = handle.handle(), .events = event, .revents = 0};
    while (::poll(&asked, 1, kPollMilliseconds) == 0) {
        stop.throwIfStopped();
    }
    stop.throwIfStopped();
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
    pid_t process = -1;
    int status = 0;  ///< as waitpid() gives it
    os::Descriptor input;
    os::Descriptor answer;
    os::Descriptor errors;

    [[noreturn]] void refuse(const std::string& problem) const {
        throw Error(ErrorKind::Device, "the program " + quotedName(name) + " " + problem);
    }

    /// False while it runs.
    bool isOver(int options) {
        if (process < 0) {
            return true;
        }
        pid_t ended = -1;
        do {
            ended = ::waitpid(process, &status, options);
        } while (ended < 0 && errno == EINTR);
        if (ended == 0) {
            return false;
        }
        process = -1;
        if (ended < 0) {
            refuse("cannot be watched: " +
                   std::error_code(errno, std::generic_category()).message());
        }
        return true;
    }

    void end() {
        input = {};
        answer = {};
        if (process >= 0) {
            ::kill(process, SIGKILL);
            while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
            }
            process = -1;
        }
    }

    /// The last that it said.
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

    [[noreturn]] void refuseFailure() const {
        const std::string how = WIFSIGNALED(status)
                                    ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                    : "failed with code " + std::to_string(WEXITSTATUS(status));
        const std::string said = words();
        refuse(how + (said.empty() ? "" : ": " + said));
    }
};

Program::Program(const Start& start) : state_(std::make_unique<State>()) {
    state_->name = lastPart(start.path);
    // A socket, for it can be told not to end this process when the other end is gone.
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
        state_->refuse("cannot be started: there are no more handles");
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
        state_->refuse("cannot be started: " +
                       std::error_code(code, std::generic_category()).message());
    }
}

Program::~Program() {
    state_->end();
}

void Program::write(std::span<const std::byte> bytes, const StopToken& stop) {
    while (!bytes.empty()) {
        const ssize_t sent =
            ::send(state_->input.handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<size_t>(sent));
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            waitUntil(POLLOUT, state_->input, stop);
        } else if (sent < 0 && errno != EINTR) {
            finish(stop);
            state_->refuse("ended before it had read all");
        }
    }
}

size_t Program::read(std::span<std::byte> target, const StopToken& stop) {
    while (true) {
        waitUntil(POLLIN, state_->answer, stop);
        const ssize_t count = ::read(state_->answer.handle(), target.data(), target.size());
        if (count >= 0) {
            return static_cast<size_t>(count);
        }
        if (errno != EINTR) {
            state_->refuse("gives no answer");
        }
    }
}

void Program::finish(const StopToken& stop) {
    state_->input = {};
    while (!state_->isOver(WNOHANG)) {
        stop.throwIfStopped();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!WIFEXITED(state_->status) || WEXITSTATUS(state_->status) != 0) {
        state_->refuseFailure();
    }
}

std::string answerOf(const Program::Start& start, size_t most, const StopToken& stop) {
    Program program(start);
    std::string answer;
    std::array<std::byte, 1u << 16> part{};
    while (const size_t count = program.read(part, stop)) {
        answer.append(reinterpret_cast<const char*>(part.data()), count);
        if (answer.size() > most) {
            throw Error(ErrorKind::Device,
                        "the program " + quotedName(lastPart(start.path)) + " answers more than " +
                            std::to_string(most) + " bytes");
        }
    }
    program.finish(stop);
    return answer;
}

}  // namespace lowtide::files
