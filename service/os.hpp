#pragma once

#include <functional>
#include <string>

namespace lowtide::service {

/// The path of a Unix socket, which one service at a time has: a lock on "PATH.lock" ends with the
/// process, however that ends. Removes the socket with itself.
class SocketFile {
public:
    /// Removes a socket that was left behind. Error{InvalidInput}: another service has the path,
    /// something else lies there, it is too long, or its folder cannot be written.
    explicit SocketFile(std::string path);
    ~SocketFile();
    SocketFile(const SocketFile&) = delete;
    SocketFile& operator=(const SocketFile&) = delete;

    /// What `make` returns; the socket that it makes at the path may be opened by this user alone.
    template <class Make>
    auto made(const Make& make) const {
        const OwnFilesOnly ownOnly;
        return make();
    }

private:
    /// Files that the process makes while it lives are this user's alone.
    class OwnFilesOnly {
    public:
        OwnFilesOnly();
        ~OwnFilesOnly();

    private:
        unsigned before_;
    };

    std::string path_;
    int lock_ = -1;
};

}  // namespace lowtide::service
