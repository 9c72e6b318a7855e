#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "service/os.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace lowtide::service {

namespace {

[[noreturn]] void refuseSocket(const std::string& path, const Message& why) {
    throw Error(ErrorKind::InvalidInput,
                message("the socket {} cannot be made: {}", quotedName(path), why),
                message("name another path with --socket"));
}

}  // namespace

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
    if (path_.empty() || path_.size() >= sizeof(sockaddr_un::sun_path)) {
        refuseSocket(path_,
                     message("its path has {} bytes, and may have {}",
                             path_.size(),
                             sizeof(sockaddr_un::sun_path) - 1));
    }
    lock_ = ::open((path_ + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock_ < 0) {
        refuseSocket(path_, Message(std::strerror(errno)));
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        ::close(lock_);
        refuseSocket(path_, message("another service has it"));
    }

    struct stat known {};

    if (::lstat(path_.c_str(), &known) == 0) {
        if (!S_ISSOCK(known.st_mode)) {
            ::close(lock_);
            refuseSocket(path_, message("a file of that name is there"));
        }
        ::unlink(path_.c_str());
    }
}

SocketFile::~SocketFile() {
    ::unlink(path_.c_str());
    ::close(lock_);
}

SocketFile::OwnFilesOnly::OwnFilesOnly() : before_(::umask(0177)) {}

SocketFile::OwnFilesOnly::~OwnFilesOnly() {
    ::umask(before_);
}

}  // namespace lowtide::service
